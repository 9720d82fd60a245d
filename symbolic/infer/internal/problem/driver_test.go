package problem_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Helpers of the tests of presolve that solve with the driver.

// solve solves and fails the test on an error.
func solve(t testing.TB, in *lcqp.Instance, warm *infer.Warm, s infer.Settings) *infer.Result {
	t.Helper()
	res := new(infer.Result)
	require.NoError(t, infer.Solve(in, warm, s, res))
	return res
}

// mustBeSolved checks a claim of success with the independent judge.
func mustBeSolved(t testing.TB, in *lcqp.Instance, res *infer.Result) {
	t.Helper()
	if res.Status != infer.Solved {
		t.Fatalf("%v: gap %g, violation %g", res.Status, res.TotalGap, res.MaxViolation)
	}
	if r := lcqp.Residuals(in, &res.Solution); !(r.Max() <= 1e-6) {
		t.Fatalf("claimed to be solved, but %+v", r)
	}
}

func results(n int) []*infer.Result {
	r := make([]*infer.Result, n)
	for i := range r {
		r[i] = new(infer.Result)
	}
	return r
}

func mustBeEqual(t *testing.T, want, got *infer.Result, name string) {
	t.Helper()
	if !slices.Equal(want.Y, got.Y) || !slices.Equal(want.Dual, got.Dual) || !slices.Equal(want.Slack, got.Slack) ||
		!slices.Equal(want.LowerDual, got.LowerDual) || want.PrimalValue != got.PrimalValue ||
		want.DualValue != got.DualValue || want.Status != got.Status || want.Stats != got.Stats {
		t.Fatalf("%s: results differ", name)
	}
}
