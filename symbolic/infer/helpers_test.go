package infer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
)

// solve solves and fails the test on an error.
func solve(t testing.TB, in *lcqp.Instance, warm *Warm, s Settings) *Result {
	t.Helper()
	res := new(Result)
	require.NoError(t, Solve(in, warm, s, res))
	return res
}

// mustBeSolved checks a claim of success with the independent judge.
func mustBeSolved(t testing.TB, in *lcqp.Instance, res *Result) {
	t.Helper()
	if res.Status != Solved {
		t.Fatalf("%v: gap %g, violation %g", res.Status, res.TotalGap, res.MaxViolation)
	}
	if r := lcqp.Residuals(in, &res.Solution); !(r.Max() <= 1e-6) {
		t.Fatalf("claimed to be solved, but %+v", r)
	}
}

// The methods of package baselines, which imports this one, take part in the tests of all.
func init() {
	for _, m := range firstOrder {
		Register(m)
	}
}
