package modelfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/learning"
)

// exact makes MAP states unique up to rounding.
func exact(c *config.Config, _ *Options) { c.Symbolic.Gap = 1e-9 }

// learned is a model after two steps, and the weights in place.
func learned(t *testing.T, file string) *Model {
	t.Helper()
	m, _ := open(t, file, "sp", exact)
	for step := range 2 {
		_, err := m.Gradient(learning.Step{Number: step, Temperature: 1}, []int{0})
		require.NoError(t, err)
		for _, p := range m.Params() {
			for i, g := range p.Grad {
				p.Value[i] -= 0.3 * g
			}
		}
	}
	return m
}

// TestPredictorReplacesFeatures: what is answered to inputs of entities is what the whole
// partition is inferred as, where the files have these features.
func TestPredictorReplacesFeatures(t *testing.T) {
	m := learned(t, write(t, parted(t), tinyFiles))
	q, err := m.NewPredictor()
	require.NoError(t, err)
	for name, changed := range map[string]struct {
		files  map[string]string
		inputs []Input
		atoms  []string // near the entities
		others int
	}{
		"nothing new": {nil, []Input{{"A", []string{"a"}, []float32{.5, -1}}}, []string{"Y(a,0)", "Y(a,1)", "Z(a)"}, 3},
		"one network": {map[string]string{"a.txt": "a\t1.5\t0.5\nb\t1\t0.25\nc\t-2\t1\n"}, []Input{{"a", []string{"a"}, []float32{1.5, .5}}},
			[]string{"Y(a,0)", "Y(a,1)", "Z(a)"}, 3},
		"two networks and components": {map[string]string{"a.txt": "a\t0.5\t-1\nb\t1\t0.25\nc\t3\t-1\n", "q.npy.txt": "a\tu\t1\t0\nb\tu\t-2\t2\nc\tu\t0\t2\n"},
			[]Input{{"Q", []string{"b", "u"}, []float32{-2, 2}}, {"A", []string{"c"}, []float32{3, -1}}, {"A", []string{"nobody"}, []float32{1, 1}}},
			[]string{"Y(c,0)", "Y(c,1)", "Z(b)", "Z(c)"}, 5},
	} {
		p, err := q.Predict(changed.inputs)
		require.NoError(t, err, name)
		files := map[string]string{}
		for file, text := range tinyFiles {
			files[file] = text
		}
		for file, text := range changed.files {
			files[file] = text
		}
		other, cfg := open(t, write(t, parted(t), files), "sp", exact)
		for i, p := range other.Params() {
			copy(p.Value, m.Params()[i].Value)
		}
		copy(other.Weights(), m.Weights())
		infer := other.parts[learning.TestPart]
		y, g, err := infer.infer(other.Weights(), &cfg, other.look)
		require.NoError(t, err)
		program := infer.template.Program()
		var near []string
		for _, a := range p.Atoms {
			near = append(near, a.Atom)
		}
		slices.Sort(near)
		if !slices.Equal(near, changed.atoms) || len(p.Others) != changed.others {
			t.Errorf("%s: atoms %q and %d others, want %q and %d", name, near, len(p.Others), changed.atoms, changed.others)
		}
		for _, a := range slices.Concat(p.Atoms, p.Others) {
			if want := y[slices.Index(program.Targets, a.Atom)]; math.Abs(a.Value-want) > 1e-4 {
				t.Errorf("%s: %s = %v, want %v", name, a.Atom, a.Value, want)
			}
		}
		if c := p.Certificate; c == nil || c.Gap > 1e-8 || len(c.Unmet) > 0 || p.Explanation == nil {
			t.Errorf("%s: certificate %+v, explanation %+v", name, c, p.Explanation)
		}
		for _, o := range p.Inputs[0].Outputs {
			args := slices.Clone(p.Inputs[0].Entity)
			if o.Class != "" {
				args = append(args, o.Class)
			}
			atom := o.Predicate + "(" + strings.Join(args, ",") + ")"
			if at := slices.Index(program.Deep, atom); at < 0 && o.Predicate != "B" || at >= 0 && math.Abs(g[at]-o.Value) > 1e-6 {
				t.Errorf("%s: %s = %v", name, atom, o.Value)
			}
		}
	}
}

// TestPredictorAlone: an input of no entity, or of one that no rule knows, is answered by its
// network alone; inputs that cannot be are told by number.
func TestPredictorAlone(t *testing.T) {
	m := learned(t, write(t, tiny, tinyFiles))
	q, err := m.NewPredictor()
	require.NoError(t, err)
	p, err := q.Predict([]Input{{"A", nil, []float32{1, 2}}, {"A", []string{"x"}, []float32{1, 2}}})
	if err != nil || p.Certificate != nil || len(p.Atoms)+len(p.Others) > 0 || p.Inputs[0].Known || p.Inputs[1].Known {
		t.Fatalf("%+v, %v", p, err)
	}
	out := p.Inputs[0].Outputs
	if len(out) != 4 || out[0].Predicate != "A" || out[0].Class != "0" || out[3].Predicate != "B" || out[3].Class != "v" ||
		math.Abs(out[0].Value+out[1].Value-1) > 1e-6 || !slices.Equal(out, p.Inputs[1].Outputs) {
		t.Errorf("outputs %+v", out)
	}
	var text strings.Builder
	if err := p.Print(&text); err != nil || !strings.Contains(text.String(), "an input, by the network of A: A=0 0.") ||
		!strings.Contains(text.String(), "(no rule is about it in the partition infer)") {
		t.Errorf("printed %s, %v", text.String(), err)
	}
	if data, err := json.Marshal(p); err != nil || !strings.Contains(string(data), `"atoms":[]`) {
		t.Errorf("%s, %v", data, err)
	}
	kinds := q.Inputs()
	if len(kinds) != 2 || kinds[0].Network != "A" || len(kinds[0].Heads) != 2 || len(kinds[0].Entities) != 3 || kinds[1].Fields != 2 ||
		!slices.Equal(kinds[1].Entities[1], []string{"b", "u"}) {
		t.Errorf("inputs %+v", kinds)
	}
	for want, bad := range map[string]Input{
		"is no predicate that describes a network; there are A, Q": {"B", nil, []float32{1, 2}},
		"3 numbers for the network of A, which takes 2":            {"A", nil, []float32{1, 2, 3}},
		"NaN is no finite number":                                  {"A", nil, []float32{1, float32(math.NaN())}},
		"an entity of Q has 2 fields, not 1":                       {"Q", []string{"a"}, []float32{1, 2}},
		"a is given twice to the network of A":                     {"A", []string{"a"}, []float32{1, 2}},
	} {
		var at *InputError
		if _, err := q.Predict([]Input{{"A", []string{"a"}, []float32{1, 2}}, bad}); !errors.As(err, &at) || at.Number != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// The first entity of each network, and that of the second one twice.
	both := []Input{{"A", []string{"a"}, []float32{1, 2}}, {"Q", []string{"a", "u"}, []float32{1, 0}}}
	_, err = q.Predict(both)
	require.NoError(t, err)
	_, err = q.Predict(append(both, both[1]))
	require.ErrorContains(t, err, "input 3: a, u is given twice to the network of Q")
	// Numbers that overflow in the network are the input's fault.
	for _, p := range m.Params() {
		for i := range p.Value {
			p.Value[i] = 1e30
		}
	}
	var at *InputError
	if _, err := q.Predict([]Input{{"A", nil, []float32{1e10, 2}}}); !errors.As(err, &at) || !strings.Contains(err.Error(), "is not a number, so it has no answer") {
		t.Errorf("an overflow: %v", err)
	}
}

// TestPredictFiles: files of features are answered, each for its network, and others refused.
func TestPredictFiles(t *testing.T) {
	m := learned(t, write(t, tiny, tinyFiles))
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	a, q := file("a", "a\t1\t2\nnew\t0\t1\n"), file("q", "b\tu\t1\t1\n")
	p, err := learning.Predict(m, []string{"A=" + a, "q=" + q})
	require.NoError(t, err)
	got := p.(*Prediction)
	if len(got.Inputs) != 3 || !got.Inputs[0].Known || got.Inputs[1].Known || !got.Inputs[2].Known || len(got.Atoms) == 0 {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		path, want string
		data       bool
	}{
		{a, "the model has 2 networks: name one by its predicate, as in A=" + a, false},
		{"Y=" + a, `"Y" is no predicate that describes a network; there are A, Q`, false},
		{"A=" + q, q + ":1:3: feature 1 is \"u\"", true},
		{"A=" + file("wide", "a\t1\t2\t3\n"), "features of shape [3], the network of A takes [2]", true},
		{"A=" + file("twice", "a\t1\t2\n"), "", false},
		{"A=" + filepath.Join(dir, "nowhere"), "no such file", true},
	} {
		var u *config.UsageError
		var d *learning.DataError
		_, err := learning.Predict(m, []string{c.path})
		if c.want == "" {
			_, err = learning.Predict(m, []string{c.path, c.path})
			c.want, c.data = "a is given twice", true
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || c.data != errors.As(err, &d) || c.data == errors.As(err, &u) {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
}

// TestIntegerAnswers: where a predicate has whole numbers, the test, its page and the answers have those of the
// enumeration of all values; between 0 and 1 a tie of the pair is broken by halves.
func TestIntegerAnswers(t *testing.T) {
	const src = `{"rules": ["1: Net(X, 'yes') -> Go(X) ^2", "0.3: !Go(X) ^2", "Pal(X, Y) & Go(X) -> !Go(Y) ."], "predicates": {
		"Pal/2": {"observations": [["a", "b"], ["c", "d"]]},
		"Net/2": {"network": {"model": "mlp", "layers": [], "features": "x.txt", "classes": ["no", "yes"]},
			"targets": [["a", "yes"], ["b", "yes"], ["c", "yes"], ["d", "yes"]], "truth": [["a", "yes"]]},
		"Go/1": {"options": {"Integer": true}, "targets": [["a"], ["b"], ["c"], ["d"]], "truth": [["a"], ["b", 0], ["c", 0], ["d"]], "evaluations": ["DiscreteEvaluator"]}}}`
	m, cfg := open(t, write(t, src, map[string]string{"x.txt": "a\t3\t0\nb\t2\t0\nc\t-3\t1\nd\t1\t.5\n"}), "energy", nil)
	p := m.parts[learning.TestPart]
	y, g, err := p.infer(m.Weights(), &cfg, m.look)
	require.NoError(t, err)
	program, w := p.template.Program(), m.Weights()
	best, want := math.Inf(1), []float64(nil)
	for bits := range 1 << 4 {
		point := make([]float64, 4)
		for i := range point {
			point[i] = float64(bits >> i & 1)
		}
		if e := program.Energy(point, g, w); program.Violation(point, g) == 0 && e < best {
			best, want = e, point
		}
	}
	require.Equal(t, want, y)
	between, _, err := p.infer(m.Weights(), &cfg, m.look.plain()) // of validations
	require.NoError(t, err)
	require.NotEqual(t, want, between)
	shown, err := m.Show()
	require.NoError(t, err)
	require.Nil(t, shown.Ablations)
	q, err := m.NewPredictor()
	require.NoError(t, err)
	answer, err := q.Predict([]Input{{"Net", []string{"a"}, []float32{3, 0}}, {"Net", []string{"d"}, []float32{1, .5}}})
	require.NoError(t, err)
	require.Len(t, append(answer.Atoms, answer.Others...), 4)
	for _, a := range append(answer.Atoms, answer.Others...) {
		require.Equal(t, want[slices.Index(program.Targets, a.Atom)], a.Value, a.Atom)
	}
	require.Less(t, answer.Certificate.Gap, 1e-5)
}

// TestIntegerRules: of rules alone, too, a test has whole numbers: of two that exclude each other the one with the
// larger pull, where halves are between them.
func TestIntegerRules(t *testing.T) {
	const src = `{"rules": ["1: Pull(X) -> Go(X) ^2", "0.3: !Go(X) ^2", "Go('a') + Go('b') <= 1 ."], "predicates": {
		"Pull/1": {"observations": [["a", 0.9], ["b", 0.8]]},
		"Go/1": {"options": {"Integer": true}, "targets": [["a"], ["b"]], "truth": [["a"], ["b", 0]], "evaluations": ["DiscreteEvaluator"]}}}`
	c := small(t, write(t, src, nil), "energy")
	c.Training.Batch, c.Training.FixedBatches = 1, true
	read, err := Task{}.Open(c, "")
	require.NoError(t, err)
	m := read.(*Rules)
	y, _, err := m.values(learning.TestPart)
	require.NoError(t, err)
	require.Equal(t, []float64{1, 0}, y)
	between, _, err := m.Infer(learning.ValidPart)
	require.NoError(t, err)
	require.Less(t, between[0], 0.7)
}

// TestNoTableWithoutEvaluation: where nothing evaluates, there are no figures to compare without a rule.
func TestNoTableWithoutEvaluation(t *testing.T) {
	const src = `{"rules": ["1: Pull(X) -> Go(X) ^2", "0.3: !Go(X) ^2"], "predicates": {
		"Pull/1": {"observations": [["a", 0.9], ["b", 0.8]]}, "Go/1": {"targets": [["a"], ["b"]], "truth": [["a"], ["b", 0]]%s}}}`
	for evaluations, want := range map[string]bool{"": false, `, "evaluations": ["ContinuousEvaluator"]`: true} {
		c := small(t, write(t, fmt.Sprintf(src, evaluations), nil), "energy")
		c.Training.Batch, c.Training.FixedBatches = 1, true
		m, err := Task{}.Open(c, "")
		require.NoError(t, err)
		shown, err := m.(*Rules).Show()
		require.NoError(t, err)
		require.Equal(t, want, shown.Ablations != nil, evaluations)
	}
}
