package mnistadd

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// answering opens a model and what answers with its first weights.
func answering(t *testing.T, c config.Config) (learning.Model, learning.Answers) {
	t.Helper()
	model, err := Open(c, 1, "")
	require.NoError(t, err)
	a, err := model.(learning.Answerer).Answers()
	require.NoError(t, err)
	return model, a
}

// examplesOf are additions of the test as examples of one's own.
func examplesOf(r *reader, n int) [][]uint8 {
	out := make([][]uint8, n)
	for i := range out {
		for _, image := range r.split.Test.Row(i) {
			out[i] = append(out[i], r.part.Raw(int(image))...)
		}
	}
	return out
}

// An example has the answer that -predict gives it, whatever it is answered with, bit for
// bit, and weights that the model gets later do not matter.
func TestAnswers(t *testing.T) {
	for _, system := range []string{"neupsl", "deepproblog"} {
		model, a := answering(t, predictConfig(system))
		r := readerOf(model)
		if l := a.Layout(); l != (learning.Layout{Images: 2, Height: 28, Width: 28, Classes: 10, Rules: system == "neupsl"}) {
			t.Errorf("%s: %+v", system, l)
		}
		path, _ := own(t, r, 1)
		predicted, err := learning.Predict(model, []string{path})
		require.NoError(t, err)
		p := predicted.(*Prediction)
		for _, w := range model.Neural().Params() {
			clear(w.Value)
		}
		const n = 7
		examples := examplesOf(r, n)
		all, err := a.Answer(examples)
		require.NoError(t, err)
		far := 0.0 // by rounding alone
		for i, v := range slices.Concat(p.Images[0].Beliefs, p.Images[1].Beliefs) {
			far = max(far, math.Abs(float64(v-all[0].Beliefs[i])))
		}
		if int(all[0].Answer) != p.Additions[0].Answer.Int() || far > 1e-6 {
			t.Errorf("%s: %+v, predicted %+v", system, all[0], p)
		}
		for i, want := range all {
			got, err := a.Answer(examples[i : i+1])
			require.NoError(t, err)
			if got[0].Answer != want.Answer || !slices.Equal(got[0].Beliefs, want.Beliefs) {
				t.Errorf("%s: example %d alone is %+v, with others %+v", system, i, got[0], want)
			}
			c := want.Certificate
			if (c == nil) != (system != "neupsl") {
				t.Fatalf("%s: certificate %v", system, c)
			}
			if c == nil {
				continue
			}
			if got[0].Certificate.Gap != c.Gap || c.Gap > 1e-6 || c.Residual > 1e-6 || c.Violation > 1e-9 || len(c.Unmet) > 0 || !strings.HasPrefix(c.Status, "solved") {
				t.Errorf("example %d: %+v", i, c)
			}
		}
	}
}

// TestTiedAnswer: where the network has one half each for 3 and 5 the sums 6 and 10 are equally good (see TestPredictTied),
// which the answer says as -predict does; where it is certain of 3 there is one sum.
func TestTiedAnswer(t *testing.T) {
	for five, want := range map[float32]bool{0: false, 50: true} {
		model, _ := answering(t, predictConfig("neupsl"))
		params := model.Neural().Params()
		last := params[len(params)-1].Value
		require.Len(t, last, 10)
		for _, p := range params {
			clear(p.Value)
		}
		last[3], last[5] = 50, five
		a, err := model.(learning.Answerer).Answers()
		require.NoError(t, err)
		got, err := a.Answer(examplesOf(readerOf(model), 1))
		require.NoError(t, err)
		path, _ := own(t, readerOf(model), 1)
		predicted, err := learning.Predict(model, []string{path})
		require.NoError(t, err)
		assert.Equal(t, want, got[0].Tied, got[0].Beliefs)
		assert.Equal(t, want, predicted.(*Prediction).Additions[0].Tied)
	}
}

// The atoms of an answer are held by forces that balance, and the rules named.
func TestWhy(t *testing.T) {
	model, own := answering(t, predictConfig("neupsl"))
	m, a := model.(*Model), own.(*mapAnswers)
	_, err := a.Answer(examplesOf(m.reader, 2))
	require.NoError(t, err)
	// Beliefs that a trained network has: 7 and 5, and 3 or 8 and 4.
	g := make([]float32, 2*m.sym.Template.Deep)
	g[7], g[10+5], g[20+3], g[20+8], g[30+4] = 1, 1, 0.6, 0.4, 1
	require.NoError(t, a.free.Solve(g, 2, nil))
	for i, sum := range []int{12, 7} {
		require.Equal(t, sum, m.sym.Answer(a.free.Result(i).Y).Int())
		a.last[i].Answer = int64(sum)
		why := a.Why(i)
		if want := fmt.Sprintf("ImageSum(a,b,%d)", sum); len(why.Supports) != 3 || why.Supports[0].Atom != want {
			t.Fatalf("%d: %+v", sum, why)
		}
		for _, s := range why.Supports {
			if s.Up <= 0 || len(s.Forces) == 0 {
				t.Errorf("nothing speaks for %+v", s)
			}
			assert.InDelta(t, 0, s.Up+s.Down+s.Bound-2*m.cfg.Symbolic.Epsilon*s.Value, 1e-6, s.Atom)
			for k, f := range s.Forces {
				if f.Rule == "" || f.Force == 0 || k > 0 && math.Abs(f.Force) > math.Abs(s.Forces[k-1].Force) ||
					!slices.ContainsFunc(f.Atoms, func(v mapstate.AtomValue) bool { return v.Atom == s.Atom }) {
					t.Errorf("%s: force %d is %+v", s.Atom, k, f)
				}
				if hard := strings.HasSuffix(f.Rule, "."); hard != (f.Weight == nil) {
					t.Errorf("%s: %s has weight %v", s.Atom, f.Rule, f.Weight)
				}
			}
		}
	}
}

// withRule is a configuration whose rules have one more.
func withRule(t *testing.T, rule string) config.Config {
	t.Helper()
	c := predictConfig("neupsl")
	c.Rules = filepath.Join(t.TempDir(), "rules.psl")
	require.NoError(t, os.WriteFile(c.Rules, append(slices.Clone(add1Rules), "\n"+rule+"\n"...), 0o644))
	return c
}

// Where hard rules cannot be met with what the network believes, there is no answer but
// the rule's name, and the examples beside are answered all the same.
func TestUnmetBelief(t *testing.T) {
	model, a := answering(t, predictConfig("neupsl"))
	examples := examplesOf(model.(*Model).reader, 2)
	answers, err := a.Answer(examples)
	require.NoError(t, err)
	low, high := answers[0].Beliefs[0], answers[1].Beliefs[0]
	bad := 1
	if low > high {
		low, high, bad = high, low, 0
	}
	rule := fmt.Sprintf("Neural(A, '0') + SumPlace(A, B, '10', '2') <= %.7f .", (low+high)/2)
	model, a = answering(t, withRule(t, rule))
	got, err := a.Answer(examples)
	require.NoError(t, err)
	names := func(r string) bool { return strings.Contains(r, "Neural(A, '0')") }
	if c := got[bad].Certificate; got[bad].Answer != learning.NoAnswer || !slices.ContainsFunc(c.Unmet, names) || a.Why(bad) != nil {
		t.Errorf("%+v, %+v", got[bad], c)
	}
	if good := 1 - bad; got[good].Answer != answers[good].Answer || len(got[good].Certificate.Unmet) > 0 || a.Why(good) == nil {
		t.Errorf("beside it: %+v, want %+v", got[good], answers[good])
	}
	path, _ := own(t, model.(*Model).reader, 2)
	var infeasible *infer.InfeasibleError
	if _, err := learning.Predict(model, []string{path}); !errors.As(err, &infeasible) || !strings.Contains(err.Error(), fmt.Sprintf("addition %d: ", bad+1)) {
		t.Errorf("-predict: %v", err)
	}
}

// TestUnmetSet: where rules want both 0 and 1 in the tens place, with more than a half each, the rules that are
// named are these and the one by which a place has one digit. Rules of other digits and of the sum are not to blame.
func TestUnmetSet(t *testing.T) {
	const zero, one = "Addition(A, B) & Neural(A, '8') -> SumPlace(A, B, '10', '0') .", "Addition(A, B) & Neural(A, '8') -> SumPlace(A, B, '10', '1') ."
	model, _ := answering(t, withRule(t, zero+"\n"+one))
	params := model.Neural().Params()
	for _, p := range params {
		clear(p.Value)
	}
	params[len(params)-1].Value[8] = 50
	a, err := model.(learning.Answerer).Answers()
	require.NoError(t, err)
	got, err := a.Answer(examplesOf(readerOf(model), 1))
	require.NoError(t, err)
	assert.EqualValues(t, learning.NoAnswer, got[0].Answer)
	assert.ElementsMatch(t, []string{zero, one, "SumPlace(A, B, P, +Z) = 1 ."}, got[0].Certificate.Unmet)
	assert.Nil(t, got[0].Certificate.Judgement, "there is no MAP state to judge")
}

// Where the MAP state satisfies the hard rules but no whole sum does, the answer says so.
func TestUnmetAnswer(t *testing.T) {
	model, a := answering(t, withRule(t, "ImageSum(A, B, Z) <= 0.9 ."))
	got, err := a.Answer(examplesOf(model.(*Model).reader, 1))
	require.NoError(t, err)
	if c := got[0].Certificate; got[0].Answer == learning.NoAnswer || c.Violation > 1e-9 || !slices.ContainsFunc(c.Unmet, func(r string) bool { return strings.Contains(r, "<= 0.9") }) {
		t.Errorf("%+v, %+v", got[0], c)
	}
}
