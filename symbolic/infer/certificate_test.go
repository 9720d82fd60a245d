package infer

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp/lcqptest"
)

// Hidden contradictions must be found and proved, by every exact method, with
// and without presolve.
func TestInfeasible(t *testing.T) {
	for _, test := range []struct {
		name  string
		s     Settings
		seeds uint64
	}{
		{"auto", Settings{}, 1000},
		{"auto without presolve", Settings{NoPresolve: true}, 500},
	} {
		t.Run(test.name, func(t *testing.T) {
			var res Result
			for seed := range test.seeds {
				in := infeasible(t, rand.New(rand.NewPCG(seed, 9)), lcqptest.Shape{Targets: 12, Rows: 12}, 0.01)
				require.NoError(t, Solve(in, nil, test.s, &res))
				if res.Status != Infeasible {
					t.Errorf("seed %d: %v, violation %v", seed, res.Status, res.MaxViolation)
					continue
				}
				if m := res.Certificate.Margin(in); !(m > 1e-9) {
					t.Errorf("seed %d: margin %v", seed, m)
				}
			}
		})
	}
}

// A proof names only the rows that contradict each other, and the error their
// rules.
func TestInfeasibleNamesRows(t *testing.T) {
	in := infertest.New(3).
		LE(-1.5, 1, 1, 0). // fine
		EQ(-1, 0, 1, 1).   // fine
		LE(-0.2, 1, 0, 0). // a ≤ 0.2
		LE(0.6, -1, -1, 0).
		LE(-0.3, 0, 1, 0). // b ≤ 0.3, so a + b ≥ 0.6 is impossible
		Square(1, 0, 1, 0, 0).Instance(t, 0.1)
	res := solve(t, in, nil, Settings{})
	require.Equal(t, Infeasible, res.Status)
	if c := res.Certificate; !slices.Equal(c.Rows, []int32{2, 3, 4}) || !(c.Margin(in) > 0.09) {
		t.Errorf("certificate %+v with margin %v", c, c.Margin(in))
	}
	var err *InfeasibleError
	if !errors.As(res.Err(), &err) || !strings.Contains(err.Error(), "test.psl:7:1 (hard rule)") {
		t.Errorf("error %v", res.Err())
	}
	if !math.IsInf(res.PrimalValue, 1) || res.Y[0] != 0 || res.Dual[0] != 0 {
		t.Errorf("value %v at %v", res.PrimalValue, res.Y)
	}
}

func TestMarginRejects(t *testing.T) {
	in := infertest.New(1).LE(0.5, 1).Square(1, 0, 1).Instance(t, 0.1)
	if m := (&Certificate{Rows: []int32{0}, Mu: []float64{2}}).Margin(in); m != 1 {
		t.Errorf("margin %v, want 1", m)
	}
	for _, c := range []Certificate{
		{Rows: []int32{0}, Mu: []float64{-1}}, // wrong sign
		{Rows: []int32{1}, Mu: []float64{1}},  // not a hard row
	} {
		if m := c.Margin(in); !math.IsInf(m, -1) {
			t.Errorf("margin %v of %+v", m, c)
		}
	}
	// Violated by less than the tolerance: not worth a verdict.
	in = infertest.New(1).LE(1e-12, 1).Instance(t, 0.1)
	if res := solve(t, in, nil, Settings{}); res.Status != Solved {
		t.Errorf("%v", res.Status)
	}
}
