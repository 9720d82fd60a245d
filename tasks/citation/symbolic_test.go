package citation

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
)

// outputs are random distributions for every paper.
func outputs(rng *rand.Rand, s *Symbolic) []float64 {
	g := make([]float64, s.Papers*s.Classes)
	for i := range s.Papers {
		row, sum := g[i*s.Classes:(i+1)*s.Classes], 0.0
		for c := range row {
			row[c] = rng.ExpFloat64()
			sum += row[c]
		}
		for c := range row {
			row[c] /= sum
		}
	}
	return g
}

// TestEnergy: the ground program's energy is the formula of the model: squared
// distance from the outputs and, over links in both directions, between papers.
func TestEnergy(t *testing.T) {
	d := smallData(t, "best")
	s, err := NewSymbolic(d.Graph, d.rules, "")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	y, g := outputs(rng, s), outputs(rng, s)
	w := make([]float64, s.Template.Rules)
	for i := range w {
		w[i] = rng.Float64()
	}
	want := 0.0
	for i := range y {
		want += w[0] * (y[i] - g[i]) * (y[i] - g[i])
	}
	square := func(l [2]int32, c int) float64 {
		v := y[int(l[0])*s.Classes+c] - y[int(l[1])*s.Classes+c]
		return v * v
	}
	for c := range s.Classes {
		for _, l := range d.Graph.Links() {
			want += w[1+c] * 2 * square(l, c)
		}
		for _, l := range d.Graph.Similar(similar) {
			want += w[1+s.Classes] * 2 * square(l, c)
		}
	}
	assert.InDelta(t, want, s.Template.Program().Energy(y, g, w), 1e-9*want)
	assert.LessOrEqual(t, s.Template.Program().Violation(y, g), 1e-12)
}

// TestInference: the default method and the interior point method agree in every phase, and
// fixed labels stay.
func TestInference(t *testing.T) {
	d := smallData(t, "paper")
	s, err := NewSymbolic(d.Graph, d.rules, "")
	require.NoError(t, err)
	g := outputs(rand.New(rand.NewPCG(2, 1)), s)
	for _, part := range []learning.Part{learning.TrainPart, learning.ValidPart, learning.TestPart} {
		var value [2]float64
		for k, method := range []infer.Method{infer.Auto{}, infer.InteriorPoint{}} {
			f, err := bilevel.New(s.Template, 1, bilevel.Options{Epsilon: 1e-3, Solver: infer.Settings{Method: method, StationarityTolerance: strict}, Check: true})
			require.NoError(t, err)
			observed := d.observed(part, TrainValidLabels)
			require.NoError(t, s.FixLabels(f.Instance(0), observed))
			require.NoError(t, f.Solve(startWeights(t, s), g))
			value[k] = f.Values()[0]
			assert.Equal(t, len(observed), s.Right(f.Result(0).Y, observed), part)
		}
		assert.InDeltaf(t, value[1], value[0], 1e-6*(1+value[1]), "%s: values %v", part, value)
	}
}

// TestPhases: what may be observed and learned from is what the protocol says.
func TestPhases(t *testing.T) {
	d := smallData(t, "paper")
	for _, c := range []struct {
		part   learning.Part
		labels string
		want   int
	}{
		{learning.TrainPart, TrainValidLabels, 0},
		{learning.ValidPart, TrainLabels, 15}, {learning.ValidPart, TrainValidLabels, 15},
		{learning.TestPart, TrainLabels, 15}, {learning.TestPart, TrainValidLabels, 30},
	} {
		assert.Equalf(t, c.want, len(d.observed(c.part, c.labels)), "%s with labels %s observes", c.part, c.labels)
	}
	if _, err := d.nodes("more"); err == nil {
		t.Error("an unknown part has nodes")
	}
	for _, c := range []struct {
		last   bool
		labels string
		want   []int
	}{
		{false, TrainLabels, d.Split.Train}, {false, TrainValidLabels, d.Split.Train},
		{true, TrainLabels, d.Split.Train}, {true, TrainValidLabels, slices.Concat(d.Split.Train, d.Split.Valid)},
	} {
		cfg := smallConfig("energy", "best")
		cfg.Training.LastWeights, OptionsOf(&cfg).Labels = c.last, c.labels
		assert.Equalf(t, c.want, d.learned(&cfg), "labels %s, last weights %v: learned from", c.labels, c.last)
	}
}

// TestRuleFiles: every built-in file names exactly the classes of its data set.
func TestRuleFiles(t *testing.T) {
	for file, classes := range map[string]int{"cora": 7, "citeseer": 6, "demo": 5} {
		for _, name := range []string{file, file + "-best"} {
			src, err := ruleFiles.ReadFile("rules/" + name + ".psl")
			require.NoError(t, err)
			assert.Equal(t, classes, strings.Count(string(src), "* Link("), name)
			if has := strings.Contains(string(src), "* Similar("); has != (name != file) {
				t.Errorf("%s has a rule of similar papers: %v", name, has)
			}
		}
	}
}

// TestRules: a rule file of one's own replaces the built-in one; a mistake in it
// is a usage error with its place.
func TestRules(t *testing.T) {
	g := smallData(t, "paper").Graph
	dir := t.TempDir()
	write := func(text string) string {
		name := filepath.Join(dir, "own.psl")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		return name
	}
	s, err := NewSymbolic(g, "demo", write("3: Neural(P, L) = HasCat(P, L) ^2\n1: HasCat(P, +L) = 1 ^2\n"))
	require.NoError(t, err)
	if w := startWeights(t, s); len(w) != 2 || w[0] != 0.75 {
		t.Errorf("weights %v, want 0.75 and 0.25", w)
	}
	var usage *config.UsageError
	for want, text := range map[string]string{
		"own.psl:1:": "1: Neural(P, L) = \n", "own.psl:2:": "\n1: Topic(P) -> HasCat(P, 'x')\n",
	} {
		if _, err := NewSymbolic(g, "demo", write(text)); !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want a usage error with %s", err, want)
		}
	}
	if _, err := NewSymbolic(g, "demo", filepath.Join(dir, "none.psl")); !errors.As(err, &usage) {
		t.Errorf("error %v", err)
	}
}

func TestFixLabelsError(t *testing.T) {
	d := smallData(t, "paper")
	s, err := NewSymbolic(d.Graph, d.rules, "")
	require.NoError(t, err)
	in, err := s.Template.NewInstance(1e-3)
	require.NoError(t, err)
	assert.Error(t, s.FixLabels(in, []int{d.Graph.Nodes()}), "a paper that is not there was fixed")
}

// TestDataErrors: an absent graph is a fault of the data, a split that is not
// there one of usage.
func TestDataErrors(t *testing.T) {
	cfg := Defaults("cora", "energy", "paper")
	var data *learning.DataError
	if _, err := LoadData(&cfg, filepath.Join(t.TempDir(), "none")); !errors.As(err, &data) {
		t.Errorf("error %v", err)
	}
	cfg = Defaults("citation-demo", "energy", "paper")
	cfg.Split = -1
	var usage *config.UsageError
	if _, err := LoadData(&cfg, ""); !errors.As(err, &usage) || usage.Key != "split" {
		t.Errorf("error %v", err)
	}
}

// TestRuleText: the rules that a result depends on, by task and recipe.
func TestRuleText(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"cora", "citeseer", "citation-demo"} {
		for _, recipe := range []string{"best", "paper"} {
			cfg := Defaults(name, "energy", recipe)
			text, err := RuleText(&cfg)
			require.NoError(t, err)
			if other, ok := seen[string(text)]; ok {
				t.Errorf("%s, %s has the rules of %s", name, recipe, other)
			}
			seen[string(text)] = name + ", " + recipe
		}
	}
	cfg := Defaults("cora", "energy", "paper")
	cfg.Rules = "no such file"
	if _, err := RuleText(&cfg); err == nil {
		t.Error("a file that is not there was read")
	}
}

// startWeights are the rule weights where learning starts.
func startWeights(t *testing.T, s *Symbolic) []float64 {
	t.Helper()
	w, err := half.StartWeights(s.Template)
	require.NoError(t, err)
	return w
}
