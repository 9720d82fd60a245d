package lcqp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// Two shares of a budget, y0 + y1 = 1, with a wish for y0 ≥ 0.8 (a squared hinge of
// weight 2) and prices of 0.5 a unit of y0 and 0.1 a unit of y1 (linear ones).
func ExampleSparse() {
	s := &lcqp.Sparse{Targets: 2, Weights: []float64{2, 0.5, 0.1}}
	s.Append(lcqp.HardEQ, []int32{0, 1}, []float64{1, 1}, -1)
	s.Append(lcqp.Square, []int32{0}, []float64{-1}, 0.8)
	s.Append(lcqp.Linear, []int32{0}, []float64{1}, 0)
	s.Append(lcqp.Linear, []int32{1}, []float64{1}, 0)
	in, err := s.NewInstance(1e-6)
	if err != nil {
		fmt.Println(err)
		return
	}
	var res infer.Result
	if err := infer.Solve(in, nil, infer.Settings{}, &res); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("y = %.3f, multiplier of the budget %.3f\n", res.Y, res.Dual[0])
	fmt.Println(res.Status, "– the judge agrees:", lcqp.Residuals(in, &res.Solution).Max() < 1e-7)
	// Output:
	// y = [0.700 0.300], multiplier of the budget -0.100
	// solved: gap and feasibility within tolerance – the judge agrees: true
}

// What comes from numbers is what comes from a ground program.
func TestSparseIsTheProgram(t *testing.T) {
	for seed := range uint64(200) {
		k := lcqptest.Random(rand.New(rand.NewPCG(seed, 3)), lcqptest.Shape{Targets: 12, Rows: 15})
		in := k.Instance
		rows := &lcqp.Sparse{Targets: in.Targets, Ptr: in.Ptr, Col: in.Col, Val: in.Val, B: in.B, Kinds: in.Kinds}
		for row := in.Constraints; row < in.Rows(); row++ {
			rows.Weights = append(rows.Weights, in.Weights[in.RuleOf[row]])
		}
		same, err := rows.NewInstance(in.Epsilon)
		require.NoErrorf(t, err, "seed %d", seed)
		require.NoError(t, same.SetBounds(in.Lower, in.Upper))
		require.NoError(t, same.SetProx(in.Prox, in.Center))
		if r := lcqp.Residuals(same, &k.Solution); r.Max() > 1e-9 || math.Abs(r.PrimalValue-k.Value) > 1e-9*(1+math.Abs(k.Value)) {
			t.Fatalf("seed %d: the optimum of the program is judged %+v, value %v", seed, r, k.Value)
		}
	}
}

func TestSparseErrors(t *testing.T) {
	good := func() *lcqp.Sparse {
		return &lcqp.Sparse{Targets: 2, Ptr: []int32{0, 1, 3}, Col: []int32{1, 0, 1}, Val: []float64{1, 2, 3},
			B: []float64{0, 0}, Kinds: []lcqp.Kind{lcqp.HardLE, lcqp.Linear}, Weights: []float64{1}}
	}
	_, err := good().Compile()
	require.NoError(t, err)
	for _, c := range []struct {
		spoil func(s *lcqp.Sparse)
		want  string
	}{
		{func(s *lcqp.Sparse) { s.Targets = -1 }, "-1 targets"},
		{func(s *lcqp.Sparse) { s.Ptr = s.Ptr[:2] }, "2 row pointers"},
		{func(s *lcqp.Sparse) { s.B = nil }, "0 constants"},
		{func(s *lcqp.Sparse) { s.Weights = nil }, "0 weights for 1 potentials"},
		{func(s *lcqp.Sparse) { s.Val = s.Val[:2] }, "2 coefficients"},
		{func(s *lcqp.Sparse) { s.Ptr[1] = 9 }, "row 0 ends at 9"},
		{func(s *lcqp.Sparse) { s.Ptr[1] = -1 }, "row 0 ends at -1"},
		{func(s *lcqp.Sparse) {
			s.Kinds = []lcqp.Kind{lcqp.Linear, lcqp.HardLE}
			s.Weights = []float64{1, 1}
		}, "row 1 of kind 0 after potentials"},
		{func(s *lcqp.Sparse) { s.Kinds[1] = 9 }, "row 1 of kind 9"},
		{func(s *lcqp.Sparse) { s.Col[2] = 2 }, "column 2"},
	} {
		s := good()
		c.spoil(s)
		if _, err := s.NewInstance(1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
