package problemtest

import (
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
)

// Each visits problems with targets, of every seed in turn, and more of them than
// seeds where programs have several components; presolve in full leaves fewer targets.
func TestEach(t *testing.T) {
	const seeds = 40
	targets := map[bool]int{}
	for _, full := range []bool{false, true} {
		visits, last := 0, uint64(0)
		Each(t, seeds, full, func(t *testing.T, seed uint64, p *problem.Problem) {
			if visits++; seed < last || seed >= seeds || p.Targets == 0 {
				t.Fatalf("seed %d after %d, %d targets", seed, last, p.Targets)
			}
			last = seed
			targets[full] += p.Targets
		})
		if visits < seeds/2 {
			t.Errorf("%d problems of %d seeds", visits, seeds)
		}
	}
	if targets[true] >= targets[false] {
		t.Errorf("%d targets in full, %d without", targets[true], targets[false])
	}
}

func TestRaw(t *testing.T) {
	if p := Raw(infertest.New(3).Square(1, -1, 1, 1, 1).Instance(t, 0.1)); p == nil || p.Targets != 3 {
		t.Errorf("got %+v, want three targets", p)
	}
	if p := Raw(infertest.New(1).EQ(-2, 1).Instance(t, 0.1)); p != nil {
		t.Error("a target of 2 in [0,1] has a problem")
	}
}
