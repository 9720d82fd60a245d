package relational

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/citation"
	"hinge/lab/linqs"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
)

// fourPapers is a half with four papers: a and b are cited by c; d stands alone.
// The topics of a and of nobody else are given.
func fourPapers() (*citation.Graph, *linqs.Half) {
	g := &citation.Graph{Name: "four", IDs: []string{"x", "a", "b", "c", "d"}, Classes: topics["citeseer"], Labels: []int{0, 2, 2, 1, 5}}
	return g, &linqs.Half{Papers: []int32{1, 2, 3, 4}, Given: []bool{true, false, false, false},
		Cites: []citation.Cite{{Citing: 3, Cited: 1}, {Citing: 3, Cited: 2}}}
}

// fourPart is their part.
func fourPart(t *testing.T) *Part {
	t.Helper()
	g, h := fourPapers()
	p, err := citationPart("citeseer", g, h, 1)
	require.NoError(t, err)
	return p
}

// A citation graph becomes observed and target atoms with labels.
func TestCitationPart(t *testing.T) {
	p := fourPart(t)
	if p.Template.Targets != 18 || len(p.Labels) != 18 || p.Template.Rules != 150 {
		t.Fatalf("%d targets, %d labels, %d rules", p.Template.Targets, len(p.Labels), p.Template.Rules)
	}
	for i, label := range p.Labels {
		_, args := p.Data.TargetAtom(i)
		want := map[string]string{"b": "DB", "c": "Agents", "d": "ML"}[args[0]] == args[1]
		if (label == 1) != want || label != 0 && label != 1 {
			t.Errorf("HasCat(%v) has the label %v", args, label)
		}
	}
	for link, want := range map[[2]string]bool{{"a", "c"}: true, {"b", "c"}: true, {"c", "a"}: false, {"a", "b"}: false} {
		if v, ok := p.Data.Observation("Link", link[0], link[1]); ok != want || ok && v != 1 {
			t.Errorf("Link%v is %v, %v", link, v, ok)
		}
	}
	if v, ok := p.Data.Observation("HasCat", "a", "DB"); !ok || v != 1 {
		t.Errorf("the given topic is %v, %v", v, ok)
	}
	// Each hard row is the sum of one paper's topics.
	assert.Equal(t, 3, p.Template.Constraints)
}

// The labels themselves are right for all; what is given counts as right in one
// figure and not in the other.
func TestCitationScore(t *testing.T) {
	p := fourPart(t)
	check := func(y []float64, want, hidden float64) {
		t.Helper()
		s, err := p.Score(y)
		if err != nil || math.Abs(s.Value-want) > 1e-9 || math.Abs(s.More["accuracy on papers without a given topic"]-hidden) > 1e-9 {
			t.Errorf("score %v, %v, want %v and %v", s, err, want, hidden)
		}
	}
	check(p.Labels, 100, 100)
	wrong := make([]float64, len(p.Labels))
	for i := range wrong {
		wrong[i] = 1 - p.Labels[i]
	}
	check(wrong, 25, 0)
	y := slices.Clone(p.Labels)
	for i := range y {
		if _, args := p.Data.TargetAtom(i); args[0] == "c" {
			y[i] = 1 - y[i]
		}
	}
	check(y, 75, 100*2.0/3)
	if _, err := p.Score(y[1:]); err == nil {
		t.Error("a value is missing, and there is no error")
	}
}

// Trust is balanced, mutual, and as frequent as what is given.
func TestTrustPart(t *testing.T) {
	learn := &linqs.TrustPart{
		Given:  []linqs.Judgement{{From: 1, To: 2, Trusts: true}, {From: 2, To: 3, Trusts: true}, {From: 4, To: 1, Trusts: false}, {From: 5, To: 5}},
		Hidden: []linqs.Judgement{{From: 1, To: 3, Trusts: true}, {From: 2, To: 1, Trusts: true}, {From: 1, To: 4}},
	}
	p, err := trustPart(learn)
	require.NoError(t, err)
	if v, _ := p.Data.Observation("Prior", "0"); v != 0.5 {
		t.Errorf("prior %v", v)
	}
	in, err := p.Template.NewInstance(1e-3)
	require.NoError(t, err)
	var res infer.Result
	if err := infer.Solve(in, nil, infer.Settings{}, &res); err != nil || res.Err() != nil {
		t.Fatal(err, res.Err())
	}
	value := func(from, to string) float64 {
		i, ok := p.Data.TargetIndex("Trusts", from, to)
		if !ok {
			t.Fatalf("Trusts(%s, %s) is no target", from, to)
		}
		return res.Y[i]
	}
	if !(value("1", "3") > 0.5) || !(value("2", "1") > 0.5) || !(value("1", "4") < 0.5) {
		t.Errorf("trust of 1 in 3 %v, 2 in 1 %v, 1 in 4 %v", value("1", "3"), value("2", "1"), value("1", "4"))
	}
	s, err := p.Score(res.Y)
	if err != nil || s.Value != 100 || s.More != nil {
		t.Errorf("score %v, %v", s, err)
	}
	// Without both classes there is no area under the curve; that is no 0.
	learn.Hidden = learn.Hidden[:0]
	p, err = trustPart(learn)
	require.NoError(t, err)
	if _, err := p.Score(nil); err == nil || !strings.Contains(err.Error(), "nothing to compare") {
		t.Errorf("score of nothing: %v", err)
	}
}

// A drug interacts with what a similar drug interacts with, in both directions.
func TestInteractionPart(t *testing.T) {
	d := &linqs.InteractionPart{
		Given:  []linqs.DrugPair{{A: "a", B: "c", Value: 1}, {A: "c", B: "a", Value: 1}, {A: "e", B: "c"}, {A: "c", B: "e"}},
		Hidden: []linqs.DrugPair{{A: "b", B: "c", Value: 1}, {A: "c", B: "b", Value: 1}, {A: "f", B: "c"}, {A: "c", B: "f"}},
	}
	for _, list := range [][]linqs.DrugPair{d.Given, d.Hidden} {
		for _, p := range list {
			d.Valid = append(d.Valid, linqs.DrugPair{A: p.A, B: p.B, Value: 1})
		}
	}
	for i := range d.Similar {
		d.Similar[i] = []linqs.DrugPair{{A: "a", B: "b", Value: 0.9}, {A: "e", B: "f", Value: 0.9}, {A: "a", B: "a", Value: 1}}
	}
	p, err := interactionPart(d)
	require.NoError(t, err)
	if p.Template.Targets != 4 || p.Template.Rules != 8 {
		t.Fatalf("%d targets, %d rules", p.Template.Targets, p.Template.Rules)
	}
	in, err := p.Template.NewInstance(1e-3)
	require.NoError(t, err)
	var res infer.Result
	if err := infer.Solve(in, nil, infer.Settings{}, &res); err != nil || res.Err() != nil {
		t.Fatal(err, res.Err())
	}
	bc, _ := p.Data.TargetIndex("Interacts", "b", "c")
	cb, _ := p.Data.TargetIndex("Interacts", "c", "b")
	fc, _ := p.Data.TargetIndex("Interacts", "f", "c")
	if math.Abs(res.Y[bc]-res.Y[cb]) > 1e-9 || !(res.Y[bc] > res.Y[fc]+0.3) {
		t.Errorf("b, c: %v, c, b: %v, f, c: %v", res.Y[bc], res.Y[cb], res.Y[fc])
	}
	if s, err := p.Score(res.Y); err != nil || s.Value != 100 {
		t.Errorf("score %v, %v", s, err)
	}
}

// Contradictions in the data are errors, not panics.
func TestPartErrors(t *testing.T) {
	d := &linqs.TrustPart{Given: []linqs.Judgement{{From: 1, To: 2}}, Hidden: []linqs.Judgement{{From: 1, To: 2}}}
	if _, err := trustPart(d); err == nil {
		t.Error("a judgement is both given and hidden, and there is no error")
	}
	if _, err := newPart("cora", &Part{Data: ground.NewDatabase()}); err == nil || !strings.Contains(err.Error(), "relational: cora: ") {
		t.Errorf("a database without predicates: %v", err)
	}
}
