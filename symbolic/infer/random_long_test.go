//go:build long

package infer

import "testing"

// The same on ten times as many problems. What is not solved, for rounding
// with multipliers of 10⁴ and more, is not called solved.
func TestRandomBCDLong(t *testing.T) { testRandom(t, Settings{}, 1000, 30000, 10) }

func TestRandomIPMLong(t *testing.T) {
	testRandom(t, Settings{Method: InteriorPoint{}}, 1000, 10000, 10)
}
