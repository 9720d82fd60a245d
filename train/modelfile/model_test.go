package modelfile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"hinge/bilevel"
	"hinge/data/jsonl"
	"hinge/optim"
	"hinge/symbolic/model"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
	"hinge/train/traintest"
)

// metrics reads a run's metrics without its times.
func metrics(t *testing.T, dir string) []record.Metric {
	t.Helper()
	lines, err := jsonl.Read[record.Metric](filepath.Join(dir, "metrics.jsonl"))
	require.NoError(t, err)
	for i := range lines {
		lines[i].SolverS, lines[i].NeuralS = 0, 0
	}
	return lines
}

// twice runs a model at once, and again with an interruption after a step, which has to give
// the same bits. It returns the result and the folder of the second run.
func twice(t *testing.T, file, loss string, stop int, change func(*config.Config, *Options)) (record.Result, string) {
	t.Helper()
	m, c := open(t, file, loss, change)
	whole, dir := t.TempDir(), t.TempDir()
	res := traintest.Run(t, c, m, train.Options{Dir: whole})
	m, c = open(t, file, loss, change)
	traintest.RunUntil(t, stop, c, m, train.Options{Dir: dir})
	m, c = open(t, file, loss, change)
	again := traintest.Run(t, c, m, train.Options{Dir: dir, Resume: true})
	if !reflect.DeepEqual(again.Rules, res.Rules) || again.TestAccuracy != res.TestAccuracy ||
		!reflect.DeepEqual(again.Certificates, res.Certificates) || !reflect.DeepEqual(metrics(t, dir), metrics(t, whole)) {
		t.Errorf("%s: another result after an interruption", loss)
	}
	return res, dir
}

// TestRun: with every loss a run ends, learns, and goes on after an interruption with
// the same bits.
func TestRun(t *testing.T) {
	file := write(t, tiny, tinyFiles)
	for _, loss := range config.CommonLosses() {
		res, dir := twice(t, file, loss, 3, func(c *config.Config, s *Options) {
			s.LabelEpochs = 2
			c.Symbolic.Check = true
		})
		if res.Steps != 6 || res.TestExamples != 3 || len(res.Rules) != 4 || res.Solves == 0 {
			t.Errorf("%s: %d steps, %d examples, %d rules, %d solves", loss, res.Steps, res.TestExamples, len(res.Rules), res.Solves)
		}
		if _, ok := res.More["A Categorical accuracy"]; !ok {
			t.Errorf("%s: figures %v", loss, res.More)
		}
		if _, err := os.Stat(filepath.Join(dir, record.ShownFile)); err != nil {
			t.Errorf("%s: %v", loss, err)
		}
	}
}

// TestLabelEpochs: they are a phase before the first step, with seconds of its own and a line in the
// log; an interruption ends them, and the run has taken no step.
func TestLabelEpochs(t *testing.T) {
	m, c := open(t, write(t, tiny, tinyFiles), "energy", func(c *config.Config, s *Options) { s.LabelEpochs = 2 })
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := train.Run(ended, c, m, train.Options{Dir: t.TempDir()})
	require.ErrorIs(t, err, train.ErrPretrainInterrupted)
	var notes []string
	watch := traintest.Observer{OnNote: func(text string) { notes = append(notes, text) }}
	res := traintest.Run(t, c, m, train.Options{Dir: t.TempDir(), Observer: watch})
	require.Contains(t, notes, "2 label epochs")
	require.Positive(t, res.PretrainS)
}

// TestLabelEpochsDecay: plain decay acts on biases in the label epochs too, decoupled decay does not; without
// another gradient each step of Adam is the label rate.
func TestLabelEpochsDecay(t *testing.T) {
	for decoupled, want := range map[bool]float32{false: 1 - 2*0.01, true: 1} {
		m, _ := open(t, write(t, tiny, tinyFiles), "energy", func(c *config.Config, s *Options) {
			s.LabelEpochs, s.LabelRate, s.LabelWeight = 2, 0.01, 0
			c.Neural.WeightDecay, c.Neural.Decoupled = 0.1, decoupled
		})
		biases := slices.DeleteFunc(m.Params(), func(p optim.Param) bool { return !strings.HasSuffix(p.Name, "bias") })
		require.NotEmpty(t, biases)
		for _, p := range biases {
			for i := range p.Value {
				p.Value[i] = 1
			}
		}
		require.NoError(t, m.fitLabels(t.Context()))
		for _, p := range biases {
			for _, v := range p.Value {
				require.InDelta(t, want, v, 1e-5, "%s, decoupled %v", p.Name, decoupled)
			}
		}
	}
}

// TestLabelEpochsClip: the bound on the norm of the gradient is that of the run, and a gradient that is not finite ends
// the label epochs.
func TestLabelEpochsClip(t *testing.T) {
	for clip, moved := range map[float64]bool{0: true, 1e-14: false} { // Adam divides by norm + 1e-8
		m, _ := open(t, write(t, tiny, tinyFiles), "energy", func(c *config.Config, s *Options) {
			s.LabelEpochs, s.LabelRate, c.Neural.ClipNorm = 1, 0.01, clip
		})
		p := m.Params()[0]
		before := slices.Clone(p.Value)
		require.NoError(t, m.fitLabels(t.Context()))
		most := 0.0
		for i, v := range p.Value {
			most = max(most, math.Abs(float64(v-before[i])))
		}
		require.Equal(t, moved, most > 1e-3, "clip %v: %v", clip, most)
		p.Value[0] = float32(math.NaN())
		require.ErrorContains(t, m.fitLabels(t.Context()), "label epoch 1: the gradient norm is NaN; the weights were left as they were; a lower learning rate is the usual cure")
	}
}

// TestLabelsAlone: without the rules' loss the networks learn from their labels, and
// the rule weights stay.
func TestLabelsAlone(t *testing.T) {
	m, c := open(t, write(t, tiny, tinyFiles), "energy", func(c *config.Config, s *Options) {
		s.RulesWeight = 0
		c.Symbolic.FreezeRules = true
		c.Training.Epochs = 60
		c.Neural.LearningRate = 0.1
	})
	before := append([]float64(nil), m.Weights()...)
	res := traintest.Run(t, c, m, train.Options{Dir: t.TempDir()})
	if res.Solves != 0 || !reflect.DeepEqual(before, m.Weights()) {
		t.Errorf("%d solves, weights from %v to %v", res.Solves, before, m.Weights())
	}
	// At the optimum the outputs are the labels.
	w, err := m.Gradient(learning.Step{Temperature: 1}, []int{0})
	if err != nil || w.Loss > 0.1+0.62+0.7 { // entropy of 0.3, and of 0.6 against a sure network
		t.Errorf("loss %v after learning, %v", w.Loss, err)
	}
}

// TestRulesWeight: the derivatives by the rule weights are those of the loss that is told, so a factor
// of the loss of the rules is in both, as by calculus; the loss of the labels has none.
func TestRulesWeight(t *testing.T) {
	var losses, slopes [3]float64
	for k, factor := range []float64{1, 0.5, 0.25} {
		m, _ := open(t, write(t, tiny, tinyFiles), "energy", func(_ *config.Config, s *Options) { s.RulesWeight = factor })
		work, err := m.Gradient(learning.Step{Temperature: 1}, []int{0})
		require.NoError(t, err)
		losses[k], slopes[k] = work.Loss, floats.Norm(m.WeightGradient(), 2)
	}
	require.Positive(t, slopes[0])
	assert.InDelta(t, slopes[0]/2, slopes[1], 1e-12)
	assert.InDelta(t, slopes[0]/4, slopes[2], 1e-12)
	assert.InDelta(t, (losses[0]-losses[1])/2, losses[1]-losses[2], 1e-7)
}

// TestStillWeights: rule weights that do not move, in the run or yet, are no part of the stationarity;
// where they move it has ‖w − Π(w − ∇)‖ besides, as in the paper's appendix.
func TestStillWeights(t *testing.T) {
	measure := func(change func(s *config.Symbolic)) (delta, part float64) {
		m, _ := open(t, write(t, tiny, tinyFiles), "mse", func(c *config.Config, _ *Options) {
			c.Bilevel.Stationarity, c.Bilevel.TestEvery, c.Bilevel.EnergyCoefficient = bilevel.StationarityGradient, 1, 1
			c.Symbolic.NegLog = 0
			change(&c.Symbolic)
		})
		_, err := m.Gradient(learning.Step{Temperature: 1}, []int{0})
		require.NoError(t, err)
		out, err := m.EndEpoch(0.25)
		require.NoError(t, err)
		next := slices.Clone(m.Weights())
		floats.Sub(next, m.WeightGradient())
		optim.ProjectSimplex(next)
		return out.Delta, floats.Distance(next, m.Weights(), 2)
	}
	moving, part := measure(func(*config.Symbolic) {})
	require.Greater(t, part, 1e-3)
	frozen, _ := measure(func(s *config.Symbolic) { s.FreezeRules = true })
	later, _ := measure(func(s *config.Symbolic) { s.After = 0.5 })
	assert.InDelta(t, moving-part, frozen, 1e-12)
	assert.InDelta(t, moving-part, later, 1e-12)
}

// TestTrained: what is read from the run folder gives the outputs and the answers
// that the run was tested with.
func TestTrained(t *testing.T) {
	file := write(t, tiny, tinyFiles)
	m, c := open(t, file, "mse", nil)
	dir := t.TempDir()
	traintest.Run(t, c, m, train.Options{Dir: dir})
	p := m.parts[learning.TestPart]
	_, want, err := p.infer(m.Weights(), &m.cfg, m.look)
	require.NoError(t, err)
	trained, err := LoadTrained(dir, nil)
	require.NoError(t, err)
	g, err := trained.Outputs(p.Model, "")
	if err != nil || !reflect.DeepEqual(g, want) {
		t.Errorf("outputs %v, tested %v, %v", g, want, err)
	}
	rules := p.template.Program().Rules
	w, err := trained.RuleWeights(rules)
	if err != nil || !reflect.DeepEqual(w, m.Weights()) {
		t.Errorf("weights %v, tested %v, %v", w, m.Weights(), err)
	}
	_, err = trained.RuleWeights(rules[1:])
	assert.ErrorContains(t, err, "the model has 3 weighted rules, the run in", "fewer rules")
	other := append(rules[:0:0], rules...)
	other[1].Text = "1: B(X, 'v') -> Z(X)"
	_, err = trained.RuleWeights(other)
	assert.ErrorContains(t, err, "weighted rule 2 is 1: B(X, 'v') -> Z(X), the run in", "other rules")
	wide, err := loadPart(write(t, replaced(t, `"layers": [3]`, `"layers": [4]`), tinyFiles), model.Infer)
	require.NoError(t, err)
	var e *model.Error
	if _, err := trained.Outputs(wide.Model, ""); !errors.As(err, &e) || !strings.Contains(err.Error(), `the network of A: nn: import: "layers.0.weight" has shape [3 2], want [4 2]`) {
		t.Errorf("another network: %v", err)
	}
	_, err = LoadTrained(t.TempDir(), nil)
	assert.ErrorContains(t, err, "holds no checkpoint of a run", "an empty folder")
}

// TestOpenErrors lists what cannot be learned from, and what is said.
func TestOpenErrors(t *testing.T) {
	for _, test := range []struct {
		name, old, with string
		change          func(*Options)
		data            bool
		want            string
	}{
		{"no entity", `["c", "u"]],
			"truth"`, `["d", "u"]],
			"truth"`, nil, true, "B(d, u) has no features: "},
		{"no truth", `"truth": {"learn": [["a", 0, 1], ["a", 1, 0]], "infer"`, `"truth": {"infer"`, func(s *Options) {}, false, ""},
		{"nothing to test", `, "infer": [["a", 0], ["b", 0], ["c", 1]]`, ``, nil, false, ""},
		{"labels alone without labels", `"truth": {"learn": [["a", 0, 1], ["c", 1, 0.6]], "infer": [["a", 0], ["b", 0]]}`, `"truth": {}`, nil, false, ""},
		{"no evaluation", `"evaluations": [{"evaluator": "CategoricalEvaluator", "primary": true}]`, `"evaluations": []`, nil, false, ""},
		{"own rules", `"predicates"`, `"learn": {"rules": ["1: !Z(X)"]}, "predicates"`, nil, false,
			"model: FILE: the partition infer has other weighted rules than learn; the weights that are learned belong to all partitions"},
		{"shared entities", `{"share": "A", "classes": ["u", "v"]`, `{"share": "A", "entity": [0, 1]`, nil, false,
			"an entity of B has 2 arguments, one of A, whose features it shares, 1"},
		{"bad features", `"features": "a.txt"`, `"features": "pairs.txt"`, nil, true, `pairs.txt:2:1: the entity "a" occurs twice`},
		{"no images", `"model": "mlp", "layers": [3], "features": "a.txt"`, `"model": "resnet18", "features": "a.txt"`, nil, false,
			"catalog: a resnet18 sees images; 2 features are no square of pixels"},
		{"no model", `"rules"`, `"ruels"`, nil, false, `FILE:2:2: a model has no "ruels" (did you mean rules?)`},
		{"no weight", `"2: A`, `"2: A`, func(s *Options) { s.RulesWeight = -1 }, false, "options.rules-weight: -1 is not 0 or more"},
		{"no file", `"2: A`, `"2: A`, func(s *Options) { s.Model = "" }, false, "options.model: missing; -model names a model file"},
		{"label rate", `"2: A`, `"2: A`, func(s *Options) { s.LabelEpochs, s.LabelRate = 1, 0 }, false, "options.label-rate: 0 is not a positive number"},
	} {
		file := write(t, replaced(t, test.old, test.with), tinyFiles)
		c := small(t, file, "energy")
		if test.change != nil {
			test.change(c.Options.(*Options))
		}
		m, err := Task{}.Open(c, "")
		if test.want == "" {
			require.NoError(t, err, test.name)
			assert.Equal(t, test.name != "nothing to test", m.Examples(learning.TestPart) > 0, test.name)
			continue
		}
		var data *learning.DataError
		var usage *config.UsageError
		if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(test.want, "FILE", file)) ||
			test.data && !errors.As(err, &data) || !test.data && !errors.As(err, &usage) {
			t.Errorf("%s: %T %v, want %s", test.name, err, err, test.want)
		}
	}
}

// TestDeepPredicate trains a model of the reference system whose one change is the
// description in the place of the Python network's path.
func TestDeepPredicate(t *testing.T) {
	const src = `{
		"rules": ["1.0: Neural(X, C) = Label(X, C) ^2", "1.0: Link(X, W) & Label(X, C) -> Label(W, C) ^2", "Label(X, +C) = 1 ."],
		"predicates": {
			"Neural/2": {
				"type": "DeepPredicate",
				"options": {
					"model-path": {"model": "mlp", "layers": [4]},
					"entity-data-map-path": "entity-data-map.txt",
					"entity-argument-indexes": "0",
					"class-size": "2",
					"learning-rate": "1.0e-3"
				},
				"targets": ["targets.txt"]
			},
			"Link/2": {"observations": [["a", "b"], ["c", "d"]]},
			"Label/2": {
				"targets": ["targets.txt"],
				"truth": {"learn": [["a", 0, 1], ["a", 1, 0], ["c", 0, 0], ["c", 1, 1]], "infer": [["b", 0], ["d", 1]]},
				"evaluations": ["CategoricalEvaluator"]
			}
		}
	}`
	file := write(t, src, map[string]string{
		"targets.txt":         "a\t0\na\t1\nb\t0\nb\t1\nc\t0\nc\t1\nd\t0\nd\t1\n",
		"entity-data-map.txt": "a\t1\t0.5\t0\nb\t1\t0.25\t0\nc\t-1\t0.5\t1\nd\t-1\t0.25\t1\n",
	})
	m, c := open(t, file, "energy", func(c *config.Config, _ *Options) { c.Training.Epochs = 20 })
	if v := m.learn.views[0]; len(v.x) != 8 || v.x[0] != 1 || v.x[1] != 0.5 {
		t.Fatalf("the network sees %v: the label is no feature", v.x)
	}
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	if err != nil || res.TestAccuracy != 1 {
		t.Errorf("accuracy %v, %v", res.TestAccuracy, err)
	}
}

// TestImages trains a resnet18 on images in every form, with names and by numbers.
func TestImages(t *testing.T) {
	const src = `{
		"rules": ["1: Net(X) = Y(X) ^2", "1: Same(X, W) & Y(X) -> Y(W) ^2"],
		"predicates": {
			"Net/1": {"network": {"model": "resnet18", "widths": [2, 2, 2, 2], "features": "FILE"}, "targets": "TARGETS"},
			"Same/2": {"observations": [["PAIR", "PAIR"]]},
			"Y/1": {"targets": "TARGETS", "truth": "TRUTH", "evaluations": ["DiscreteEvaluator"]}
		}
	}`
	const n, side = 4, 8
	pixels := make([]byte, 0, n*side*side)
	for i := range n {
		for k := range side * side {
			pixels = append(pixels, byte(255*(i%2)*(k%2)))
		}
	}
	idx := append([]byte{0, 0, 8, 3, 0, 0, 0, n, 0, 0, 0, side, 0, 0, 0, side}, pixels...)
	const header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 8, 8), }\n"
	npy := append([]byte("\x93NUMPY\x01\x00"+string(rune(len(header)))+"\x00"+header), pixels...)
	for _, form := range []struct {
		file  string
		data  []byte
		names bool
	}{{"images.idx", idx, true}, {"images.npy", npy, false}} {
		name := [n]string{"0", "1", "2", "3"}
		description := form.file
		files := map[string]string{form.file: string(form.data)}
		if form.names {
			name = [n]string{"ann", "bob", "cleo", "dan"}
			description += `", "entities": "names.txt`
			files["names.txt"] = strings.Join(name[:], "\n")
		}
		quote := func(values bool) string {
			var rows []string
			for i, s := range name {
				if values {
					rows = append(rows, fmt.Sprintf("[%q, %d]", s, i%2))
				} else {
					rows = append(rows, fmt.Sprintf("[%q]", s))
				}
			}
			return "[" + strings.Join(rows, ", ") + "]"
		}
		text := strings.NewReplacer("FILE", description, `"TARGETS"`, quote(false), `"TRUTH"`, quote(true), "PAIR", name[0]).Replace(src)
		m, c := open(t, write(t, text, files), "energy", nil)
		res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
		if err != nil || res.TestExamples != n {
			t.Errorf("%s: %d examples, %v", form.file, res.TestExamples, err)
		}
		path := filepath.Join(t.TempDir(), "net.onnx")
		if _, err := train.Export(path, m); err != nil {
			t.Errorf("%s: %v", form.file, err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() < 1000 {
			t.Errorf("%s: the network as a file: %v", form.file, err)
		}
		if v := m.learn.views[0]; v.count != n || v.x[side*side+1] != 1 || v.x[1] != 0 || len(m.Buffers()) == 0 {
			t.Errorf("%s: %d images, %d buffers", form.file, v.count, len(m.Buffers()))
		}
	}
}

// TestFigures: an evaluation that is no accuracy is called by its name in the log and in the result,
// and each of several networks has its accuracy where its classes are known: the figures of the test.
func TestFigures(t *testing.T) {
	src := strings.NewReplacer(
		`"evaluations": [{"evaluator": "CategoricalEvaluator", "primary": true}]`, `"evaluations": [{"evaluator": "AUCEvaluator", "primary": true}]`,
		`"targets": [["a", "u"], ["b", "u"], ["c", "u"]]`, `"targets": [["a", "u"], ["b", "u"], ["c", "u"]], "truth": [["a", "u", 1], ["b", "u", 0]],
			"evaluations": ["DiscreteEvaluator"]`).Replace(tiny)
	file := write(t, src, tinyFiles)
	m, c := open(t, file, "energy", nil)
	dir := t.TempDir()
	res := traintest.Run(t, c, m, train.Options{Dir: dir})
	assert.Equal(t, "auroc", res.Figure)
	assert.Equal(t, res.More["Y AUC auroc"], res.TestAccuracy)
	lines := metrics(t, dir)
	last := lines[len(lines)-1]
	assert.Equal(t, learning.TestPart, last.Split)
	assert.Equal(t, "auroc", last.Figure)
	assert.Equal(t, map[string]float64{"A": res.More["A Categorical accuracy"], "Q": res.More["Q Discrete accuracy"]}, last.Networks)
}

// TestFiguresOfRules: the same of a file without networks, where an error counts negated.
func TestFiguresOfRules(t *testing.T) {
	file := write(t, `{"rules": ["1: P(X) = Q(X) ^2", "1: !Q(X) ^2"], "predicates": {"P/1": {"observations": [["a", 0.75], ["b", 0.25]]},
		"Q/1": {"targets": [["a"], ["b"]], "truth": [["a", 1], ["b", 0]], "evaluations": ["ContinuousEvaluator"]}}}`, nil)
	c := small(t, file, "sp")
	own, err := Task{}.Open(c, "")
	require.NoError(t, err)
	res := traintest.Run(t, c, own, train.Options{Dir: t.TempDir()})
	assert.Equal(t, "negated_mse", res.Figure)
	assert.Equal(t, -res.More["Q Continuous mse"], res.TestAccuracy)
}

// Without a network a run keeps its best rule weights beside the last ones too, is taken up again, and
// infers with the best. Here validation asks for the reverse of what is learned, so that the first are.
func TestRunOfRulesAlone(t *testing.T) {
	file := write(t, `{"rules": ["1: F(A) -> K(A) ^2", "1: G(A) -> K(A) ^2", "1: K(A) = 0 ^2"], "predicates": {
		"F/1": {"observations": [["a", 0.9], ["b", 0.1]]}, "G/1": {"observations": [["a", 0.1], ["b", 0.9]]},
		"K/1": {"targets": [["a"], ["b"]], "truth": {"learn": [["a", 0.9], ["b", 0.1]], "validation": [["a", 0.1], ["b", 0.9]], "infer": [["a", 0.1], ["b", 0.9]]},
			"evaluations": ["ContinuousEvaluator"]}}}`, nil)
	c, dir := small(t, file, "mse"), t.TempDir()
	c.Training.Epochs, c.Symbolic.Step = 10, 0.5
	open := func() learning.Model {
		m, err := Task{}.Open(c, "")
		require.NoError(t, err)
		return m
	}
	res := traintest.Run(t, c, open(), train.Options{Dir: t.TempDir()})
	require.Zero(t, res.BestStep)
	traintest.RunUntil(t, 7, c, open(), train.Options{Dir: dir})
	again := traintest.Run(t, c, open(), train.Options{Dir: dir, Resume: true})
	log := metrics(t, dir)
	traintest.Run(t, c, open(), train.Options{Dir: dir, Resume: true})
	assert.Equal(t, log, metrics(t, dir), "a run that has ended is not judged anew")
	assert.Equal(t, res.Rules, again.Rules)
	assert.Equal(t, res.TestAccuracy, again.TestAccuracy)
	trained, err := LoadTrained(dir, nil)
	require.NoError(t, err)
	require.Len(t, trained.Weights, 3)
	for i, w := range trained.Weights {
		assert.InDelta(t, 1./3, w, 1e-12)
		assert.Equal(t, res.Rules[i].Weight, w)
	}
}

// TestLearnsFromOutputsAlone: without true values of targets energy learns from potentials of outputs, if something
// can be measured, and losses in which these cancel do not.
func TestLearnsFromOutputsAlone(t *testing.T) {
	const src = `{"rules": ["1: Dig(A, '3') = 0 ^2"], "predicates": {"Dig/2": {
		"network": {"model": "mlp", "layers": [], "features": "f.txt", "classes": 4}, "evaluations": ["CategoricalEvaluator"],
		"targets": [["a", 0], ["a", 1], ["a", 2], ["a", 3]], "truth": {TRUTH}}}}`
	for truth, losses := range map[string]map[string]bool{`"validation": [["a", 1]]`: {"energy": true, "sp": false, "mse": false}, ``: {"energy": false}} {
		for loss, learns := range losses {
			c := small(t, write(t, strings.Replace(src, "TRUTH", truth, 1), map[string]string{"f.txt": "a\t1\n"}), loss)
			c.Training.NoTest = true
			_, err := openFile(c, "", nil)
			if learns {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "no target has a true value in the partition learn", loss)
			}
		}
	}
}

// TestNothingToMeasure: true values between 0 and 1, of which none makes a category right or wrong, validate
// nothing. The run would end with an error after its first step.
func TestNothingToMeasure(t *testing.T) {
	between := strings.Replace(tiny, `"infer": [["a", 0], ["b", 0], ["c", 1]]}`, `"validation": [["a", 0, 0.7], ["a", 1, 0.3]], "infer": [["a", 0], ["b", 0], ["c", 1]]}`, 1)
	m, err := openFile(small(t, write(t, between, tinyFiles), "energy"), "", nil)
	require.NoError(t, err)
	score, err := m.Evaluate(t.Context(), learning.ValidPart)
	require.NoError(t, err)
	assert.Equal(t, 1, score.Examples, "the partition learn in its place")

	between = strings.Replace(between, `"learn": [["a", 0, 1], ["a", 1, 0]]`, `"learn": [["a", 0, 0.9], ["a", 1, 0.1]]`, 1)
	c := small(t, write(t, between, tinyFiles), "energy")
	m, err = openFile(c, "", nil)
	require.NoError(t, err)
	_, err = train.Run(t.Context(), c, m, train.Options{Dir: t.TempDir()})
	assert.ErrorContains(t, err, "the part valid has no examples with true values")
}
