//go:build long

package infer

import "testing"

// The same on more problems. What is not solved, for rounding with multipliers of
// 10⁴ and more, is not called solved.
func TestRandomBCDLong(t *testing.T) { testRandom(t, Settings{}, 10000, 30000, 3) }

func TestRandomIPMLong(t *testing.T) {
	testRandom(t, Settings{Method: InteriorPoint{}}, 10000, 30000, 3)
}

// The methods of the paper rarely reach the default tolerances in few sweeps;
// where they claim it, it is true.
func TestRandomClaimsLong(t *testing.T) {
	for _, name := range []string{"admm", "subgradient", "bcd-paper", "bcd-lockfree"} {
		m, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		testRandom(t, Settings{Method: m, MaxIterations: 200}, 0, 10000, 10000)
	}
}
