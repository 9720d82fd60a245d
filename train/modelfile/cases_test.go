package modelfile

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/evaluate"
	"hinge/train"
	"hinge/train/learning"
)

// pulled has a closed form: with two rules of equal weights w = ½ the value of Same is half of Like,
// and the forces 2w(Like − Same) and −2w·Same balance.
const pulled = `{"rules": ["1: Like(A) = Same(A) ^2", "1: !Same(A) ^2"],
	"predicates": {
		"Like/1": {"observations": [["p", 0.9], ["q", 0.2], ["r", 1]]},
		"Same/1": {"targets": [["p"], ["q"], ["r"]], "truth": [["p", 1], ["q", 0], ["r", 0]], "evaluations": ["DiscreteEvaluator"]}}}`

// TestCases: wrong answers come first, those with the least belief in the truth before others, each
// with the rule whose force explains it.
func TestCases(t *testing.T) {
	file := write(t, pulled, nil)
	c, err := Task{}.Defaults(small(t, file, "mse"))
	require.NoError(t, err)
	c.Options.(*Options).Model = file
	c.Symbolic.Epsilon = 1e-9
	m, err := Task{}.Open(c, "")
	require.NoError(t, err)
	copy(m.Loss().Weights(), []float64{0.5, 0.5})
	s, err := m.(learning.Reporter).Show()
	require.NoError(t, err)
	assert.Equal(t, 3, s.Examples)
	assert.Equal(t, 2, s.Wrong, "p at .45, and r at .5, where true begins")
	require.Len(t, s.Cases, 3)
	for i, want := range []struct {
		name, rule   string
		right        bool
		belief, pull float64
	}{
		{"Same(p)", "1: !Same(A) ^2", false, 0.45, -0.45},
		{"Same(r)", "1: Like(A) = Same(A) ^2", false, 0.5, 0.5},
		{"Same(q)", "1: Like(A) = Same(A) ^2", true, 0.9, 0.1},
	} {
		got := s.Cases[i]
		assert.Equal(t, want.name, got.Name)
		assert.Equal(t, want.right, got.Right, want.name)
		assert.InDelta(t, want.belief, *got.Belief, 1e-6, want.name)
		require.Len(t, got.Pulls, 1)
		assert.Equal(t, want.rule, got.Pulls[0].Rule)
		assert.InDelta(t, want.pull, got.Pulls[0].Force, 1e-6, want.name)
		assert.Equal(t, 2, got.Broken, "both rules are broken halfway")
	}
}

// TestClassesAnswered: the class of the largest value is the answer, in the evaluator's own count; an
// entity without a true class is left out.
func TestClassesAnswered(t *testing.T) {
	at := func(entity, class string, value, truth float64) evaluate.Atom {
		return evaluate.Atom{Args: []string{class, entity}, Value: value, Truth: truth}
	}
	s := &evaluate.Sample{Predicate: "Topic", Arity: 2,
		Labelled: []evaluate.Atom{at("a", "u", 0.3, 0), at("a", "v", 0.6, 1), at("b", "u", 0.2, 1), at("c", "u", 0.4, 0)},
		Latent:   []evaluate.Atom{at("b", "v", 0.7, 0)}}
	e := &evaluate.Categorical{Indexes: []int{-2}}
	list := classesAnswered(e, s)
	report, err := e.Evaluate(s)
	require.NoError(t, err)
	require.Len(t, list, report.Count)
	assert.Equal(t, 0.5, report.Score)
	a, b := list[0], list[1]
	assert.Equal(t, []any{"Topic(a)", "v", "v", true, 0.6}, []any{a.name, a.answer, a.truth, a.right, a.belief})
	assert.Equal(t, []any{"Topic(b)", "v", "u", false, 0.2}, []any{b.name, b.answer, b.truth, b.right, b.belief})
	assert.Equal(t, []bool{true, false}, b.up, "what raises the answer and what holds the truth down")

	// A true class that is no target is missed, as the evaluator counts it, and so is one of an entity without any.
	s.Missing = []evaluate.Atom{at("c", "v", 0, 1), at("d", "u", 0, 1)}
	list = classesAnswered(e, s)
	report, err = e.Evaluate(s)
	require.NoError(t, err)
	require.Len(t, list, report.Count)
	assert.Equal(t, 0.25, report.Score)
	assert.Equal(t, []any{"Topic(c)", "u", "v", false, 1}, []any{list[2].name, list[2].answer, list[2].truth, list[2].right, len(list[2].atoms)})
	assert.Equal(t, []any{"Topic(d)", noClass, "u", false, 0}, []any{list[3].name, list[3].answer, list[3].truth, list[3].right, len(list[3].atoms)})
	classes, counts, sure := confusion(e, s)
	assert.Equal(t, []string{noClass, "u", "v"}, classes)
	assert.Equal(t, [][]int{{0, 0, 0}, {1, 0, 1}, {0, 1, 1}}, counts)
	miss, _ := report.Get("calibration_error")
	assert.InDelta(t, miss, sure.Error, 1e-12)

	// Observed atoms are answers where the evaluator counts them.
	s.Observed = []evaluate.Atom{at("e", "v", 1, 1)}
	e.IncludeObserved = true
	list = classesAnswered(e, s)
	report, err = e.Evaluate(s)
	require.NoError(t, err)
	require.Len(t, list, report.Count)
	_, counts, _ = confusion(e, s)
	assert.Equal(t, 2, counts[2][2])

	// Of three values, each within 1e-6 of the next, the answer is the first that ties with the largest.
	list = classesAnswered(e, &evaluate.Sample{Arity: 2, Labelled: []evaluate.Atom{at("f", "u", 0.5, 0), at("f", "v", 0.5+0.7e-6, 1), at("f", "w", 0.5+1.4e-6, 0)}})
	assert.Equal(t, "v", list[0].answer)
}

// TestCasesOfNetworks: a case has the features of the entities that its ground rules name, and what
// the network reads in them.
func TestCasesOfNetworks(t *testing.T) {
	m, c := open(t, write(t, tiny, tinyFiles), "energy", nil)
	_, err := train.Run(t.Context(), c, m, train.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	s, err := m.Show()
	require.NoError(t, err)
	require.Equal(t, 3, s.Examples)
	texts := map[string][]string{}
	for _, c := range s.Cases {
		texts[c.Name] = c.Inputs
		assert.Contains(t, c.Read, "A("+c.Name[2:3]+") ")
		assert.NotEmpty(t, c.Pulls)
	}
	assert.Contains(t, texts["Y(a)"], "A(a): 0.5 -1")
	assert.Contains(t, texts["Y(c)"], "A(c): -2 1")

	for _, test := range []struct {
		shape []int
		x     []float32
		want  [3]uint32
	}{
		{[]int{1, 2}, []float32{0, 1}, [3]uint32{255, 255, 255}},
		{[]int{1, 2}, []float32{0, -1}, [3]uint32{0, 0, 0}},
		{[]int{3, 1, 2}, []float32{0, 1, 0, 0.2, 0, 0.6}, [3]uint32{255, 51, 153}},
	} {
		file, err := pictureOf(test.x, test.shape)
		require.NoError(t, err)
		picture, err := png.Decode(bytes.NewReader(file))
		require.NoError(t, err)
		r, g, b, _ := picture.At(1, 0).RGBA()
		assert.Equal(t, test.want, [3]uint32{r >> 8, g >> 8, b >> 8})
	}
}

// TestCaseReads: each softmax of a network reads an entity, by the name of its own predicate; sigmoids
// have no class.
func TestCaseReads(t *testing.T) {
	for src, want := range map[string]string{
		tiny: "A(a) 1",
		replaced(t, `["u", "v"], "output": "sigmoid"`, `["u", "v"]`): "B(a) v, A(a) 1",
	} {
		m, _ := open(t, write(t, src, tinyFiles), "energy", nil)
		p := m.parts[learning.TestPart]
		g := make([]float64, p.Data.DeepAtoms())
		var seen []output
		for _, atom := range [][]string{{"B", "a", "u"}, {"A", "a", "0"}, {"B", "a", "v"}, {"A", "a", "1"}} {
			column, ok := p.Data.DeepIndex(atom[0], atom[1:]...)
			require.True(t, ok)
			g[column] = float64(len(seen)) / 4 // v and 1 are the largest
			seen = append(seen, p.outputs()[column])
		}
		var c learning.Case
		require.NoError(t, p.addInputs(&c, seen, g))
		assert.Equal(t, want, c.Read)
		assert.Equal(t, []string{"A(a): 0.5 -1"}, c.Inputs, "once")
	}
}

// An error of one half is one on either side of the last bits that a solver leaves.
func TestErrorOfOneHalfIsWrong(t *testing.T) {
	s := evaluate.Sample{Predicate: "P", Arity: 1, Labelled: []evaluate.Atom{
		{Args: []string{"a"}, Value: 0.5 + 1e-9, Truth: 1}, {Args: []string{"b"}, Value: 0.5 - 1e-9, Truth: 1}, {Args: []string{"c"}, Value: 0.6, Truth: 1},
	}}
	var right []bool
	for _, a := range atomsAnswered(&evaluate.Continuous{}, &s) {
		right = append(right, a.right)
	}
	assert.Equal(t, []bool{false, false, true}, right)
}
