package mnistadd

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/symbolic/infer"
	"hinge/train/mapstate"
)

// A wrong sum breaks the rules of its columns by all they can be broken by; the
// right one breaks none.
func TestExplain(t *testing.T) {
	sym, err := NewSymbolic(1, "")
	require.NoError(t, err)
	g := make([]float64, sym.Template.Deep)
	g[7], g[10+5] = 1, 1
	at := func(sum int) *mapstate.Explanation {
		in, err := sym.Template.NewInstance(1e-4)
		require.NoError(t, err)
		var r infer.Result
		for _, err := range []error{in.SetWeights(startWeights(sym)), in.SetDeep(g), sym.FixLabels(in, mnist.NewSum(sum, 1)), infer.Solve(in, nil, infer.Settings{}, &r), r.Err()} {
			require.NoError(t, err)
		}
		e := mapstate.ExplainTargets(sym.Template, r.Y, startWeights(sym), g, nil)
		e.Energy = r.Energy
		return e
	}
	if e := at(12); e.Broken != 0 || len(e.BrokenRules) != 0 || e.Energy > 1e-6 {
		t.Errorf("7 + 5 = 12: %+v", e)
	}
	e := at(3)
	if e.Broken <= 5 || len(e.BrokenRules) != 5 || e.Energy < 0.1 {
		t.Fatalf("7 + 5 = 3: %+v", e)
	}
	implied := slices.IndexFunc(e.BrokenRules, func(b mapstate.BrokenRule) bool {
		return slices.Contains(b.Atoms, mapstate.AtomValue{Atom: "SumPlace(a,b,1,2)", Value: 0}) && slices.Contains(b.Atoms, mapstate.AtomValue{Atom: "Neural(a,7)", Value: 1})
	})
	for _, b := range e.BrokenRules {
		if math.Abs(b.Distance-1) > 1e-3 || math.Abs(b.Weight-1.0/6) > 1e-12 {
			t.Errorf("7 + 5 = 3: %+v", b)
		}
	}
	if implied < 0 || !strings.Contains(e.BrokenRules[implied].Rule, "DigitSumOnesPlace") {
		t.Errorf("7 + 5 = 3 does not break what 7 and 5 imply: %+v", e.BrokenRules)
	}
	var out strings.Builder
	e.Print(&out)
	if !strings.Contains(out.String(), "breaks by 1.00, weight 0.1667: 1: Addition(A, B)") || !strings.Contains(out.String(), " Neural(b,5)=1.00") ||
		!strings.Contains(out.String(), " more ground rules\n") {
		t.Errorf("%s", out.String())
	}
}
