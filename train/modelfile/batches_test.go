package modelfile

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/traintest"
)

// sums is a model of distant supervision: a network reads classes 0 to 2 of points, of which
// nothing is known but the sums of pairs. A second network reads whether a pair is odd.
// Uniform outputs break no rule, so that plain softmaxes have no gradient to begin with.
func sums(t testing.TB, pairs int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	var first, second, points, signs, adds, odd []string
	classes := map[string][]string{}
	truth := map[string][]string{}
	for _, part := range []string{"learn", "infer"} {
		for i := range pairs {
			name, sum := fmt.Sprintf("%s%d", part[:1], i), 0
			for k, list := range []*[]string{&first, &second} {
				class, at := rng.IntN(3), []float64{0.3 * rng.NormFloat64(), 0.3 * rng.NormFloat64(), 0.3 * rng.NormFloat64()}
				at[class]++
				sum += class
				x := fmt.Sprintf("%s_%d", name, k)
				*list = append(*list, name+"\t"+x)
				points = append(points, fmt.Sprintf("%s\t%.3f\t%.3f\t%.3f", x, at[0], at[1], at[2]))
				for c := range 3 {
					classes[part] = append(classes[part], fmt.Sprintf("%s\t%d", x, c))
				}
			}
			signs = append(signs, fmt.Sprintf("%s\t%.3f\t%.3f", name, float64(2*(sum%2)-1)+0.2*rng.NormFloat64(), rng.NormFloat64()))
			odd = append(odd, name)
			for s := range 5 {
				v := 0
				if s == sum {
					v = 1
				}
				truth[part] = append(truth[part], fmt.Sprintf("%s\t%d\t%d", name, s, v))
			}
		}
	}
	for a := range 3 {
		for b := range 3 {
			adds = append(adds, fmt.Sprintf("%d\t%d\t%d", a, b, a+b))
		}
	}
	const src = `{
		"rules": [
			"1: First(P, X) & Second(P, Y) & Read(X, A) & Read(Y, B) & Adds(A, B, S) -> Sum(P, S)",
			"0.1: Odd(P) & Even(S) -> !Sum(P, S)",
			"Sum(P, +S) = 1 ."
		],
		"predicates": {
			"Read/2": {"network": {"model": "mlp", "layers": [8], "features": "points.txt", "classes": 3}, "targets": {"learn": ["read_learn.txt"], "infer": ["read_infer.txt"]}},
			"Odd/1": {"network": {"model": "mlp", "features": "signs.txt"}, "targets": {"learn": ["odd_learn.txt"], "infer": ["odd_infer.txt"]}},
			"First/2": {"observations": ["first.txt"]},
			"Second/2": {"observations": ["second.txt"]},
			"Adds/3": {"observations": ["adds.txt"]},
			"Even/1": {"observations": [["0"], ["2"], ["4"]]},
			"Sum/2": {
				"targets": {"learn": ["sum_learn.txt"], "infer": ["sum_infer.txt"]},
				"truth": {"learn": ["truth_learn.txt"], "infer": ["truth_infer.txt"]},
				"evaluations": [{"evaluator": "CategoricalEvaluator", "primary": true}]
			}
		}
	}`
	files := map[string][]string{
		"points.txt": points, "signs.txt": signs, "first.txt": first, "second.txt": second, "adds.txt": adds,
		"read_learn.txt": classes["learn"], "read_infer.txt": classes["infer"], "odd_learn.txt": odd[:pairs], "odd_infer.txt": odd[pairs:],
		"truth_learn.txt": truth["learn"], "truth_infer.txt": truth["infer"],
	}
	for _, part := range []string{"learn", "infer"} {
		for _, line := range truth[part] {
			files["sum_"+part+".txt"] = append(files["sum_"+part+".txt"], line[:strings.LastIndex(line, "\t")])
		}
	}
	text := map[string]string{}
	for name, lines := range files {
		text[name] = strings.Join(lines, "\n") + "\n"
	}
	return write(t, src, text)
}

// drawn has cold draws, their soft minimum and batches.
func drawn(batch, epochs int) func(*config.Config, *Options) {
	return func(c *config.Config, _ *Options) {
		n := &c.Neural
		n.Samples, n.DrawTemperature, n.TemperatureStart, n.TemperatureMin = 16, 0.2, 0.3, 0.25
		c.Training.Batch, c.Training.Epochs, c.Training.ValidEvery, c.Training.Patience = batch, epochs, 10, 0
		c.Symbolic.FreezeRules = true
	}
}

// TestDraws: a model file that sticks with plain outputs learns with draws of them, in
// batches of the components of its program.
func TestDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("learns for some hundred steps")
	}
	file := sums(t, 60)
	accuracy := func(change func(*config.Config, *Options)) float64 {
		m, c := open(t, file, "energy", change)
		res := traintest.Run(t, c, m, train.Options{Dir: t.TempDir()})
		return res.TestAccuracy
	}
	draws := accuracy(drawn(10, 40))
	plain := accuracy(func(c *config.Config, o *Options) {
		drawn(10, 40)(c, o)
		c.Neural.Samples, c.Neural.DrawTemperature, c.Neural.TemperatureStart, c.Neural.TemperatureMin = 0, 0, 1, 1
	})
	t.Logf("sums right: %.2f with draws, %.2f without", draws, plain)
	if draws < 0.9 || plain > 0.6 {
		t.Errorf("sums right: %.2f with draws, %.2f without", draws, plain)
	}
}

// TestResumeBatches: with draws and batches a run goes on after an interruption with the
// same bits.
func TestResumeBatches(t *testing.T) {
	file := sums(t, 14)
	for _, loss := range config.CommonLosses() {
		res, _ := twice(t, file, loss, 6, func(c *config.Config, o *Options) {
			drawn(4, 3)(c, o)
			c.Neural.Samples, c.Symbolic.FreezeRules, c.Training.ValidEvery = 3, false, 3
		})
		if res.Steps != 12 || res.Solves == 0 {
			t.Errorf("%s: %d steps, want 12 of 14 pairs in batches of 4, with two that are empty", loss, res.Steps)
		}
	}
}

// TestLabelsAlways: every step has all labels, with the features of their entities, or each
// step those of its batch.
func TestLabelsAlways(t *testing.T) {
	file := write(t, parted(t), tinyFiles)
	for _, always := range []bool{false, true} {
		m, _ := open(t, file, "energy", func(c *config.Config, o *Options) {
			drawn(2, 1)(c, o)
			o.LabelsAlways = always
		})
		p := m.examples.pass
		total := 0
		for _, v := range m.learn.views {
			total += len(v.labels)
		}
		seen := 0
		for at := 0; at < len(m.examples.list); at += 2 {
			x, err := p.load(m.examples.of([]int{at, at + 1}))
			require.NoError(t, err)
			for k, v := range m.learn.views {
				width := len(v.x) / v.count
				for i, l := range p.labels[k] {
					if always && !slices.Equal(x[l.entity*width:][:width], v.row(v.labels[i].entity)) {
						t.Errorf("label %d of %s is one of another entity", i, v.name)
					}
				}
				x = x[p.counts[k]*width:]
				seen += len(p.labels[k])
			}
		}
		if want := total * map[bool]int{false: 1, true: len(m.examples.list) / 2}[always]; seen != want || total == 0 {
			t.Errorf("always %v: %d labels in an epoch, want %d", always, seen, want)
		}
	}
	c := small(t, file, "energy")
	c.Options.(*Options).LabelsAlways = true
	_, err := openFile(c, "", nil)
	assert.Error(t, err, "without batches the setting is accepted")
}

// TestDivided: every target, row and label is in one example, the potentials are those of
// the whole, equal components share a
// program, and the batches of an epoch have every example once.
func TestDivided(t *testing.T) {
	for name, file := range map[string]string{
		"sums": sums(t, 7),
		// A rule without targets, one without anything open, and an entity in no rule.
		"tiny": write(t, strings.Replace(parted(t), `"2: A(X, C) = Y`, `"1: A(X, '1') -> B(X, 'u')", "1: 0.5 * Q(X, 'u') + B('c', 'u') >= 1", "2: A(X, C) = Y`, 1), tinyFiles),
	} {
		const batch = 2
		m, _ := open(t, file, "energy", func(c *config.Config, _ *Options) { c.Training.Batch = batch })
		p, list := m.learn, m.examples.list
		if len(list)%batch != 0 {
			t.Fatalf("%s: %d examples", name, len(list))
		}
		targets, rows, labels := 0, 0, 0
		phi, sum, next := make([]float64, p.template.Rules), make([]float64, p.template.Rules), make([]float64, p.template.Rules)
		value := func(o output) float64 { return 0.5 + 0.5*math.Sin(float64(1+o.network+3*o.entity+7*o.output)) }
		state := func(t *lcqp.Template, outputs []output) (y, g []float64) {
			for _, o := range outputs {
				g = append(g, value(o))
			}
			return slices.Repeat([]float64{0.3}, t.Targets), g
		}
		programs := map[any]int{}
		for _, e := range list {
			targets, rows = targets+e.template.Targets, rows+e.template.Rows()
			if len(e.truth) != e.template.Targets || len(e.outputs) != e.template.Deep {
				t.Errorf("%s: an example of %d targets and %d outputs has %d and %d", name, e.template.Targets, e.template.Deep, len(e.truth), len(e.outputs))
			}
			for k := range e.labels {
				labels += len(e.labels[k])
				for _, o := range e.labels[k] {
					if !slices.Contains(e.entities[k], o.entity) {
						t.Errorf("%s: a label of an entity that the example does not have", name)
					}
				}
			}
			y, g := state(e.template, e.outputs)
			e.template.Program().Incompatibility(y, g, next)
			for r, v := range next {
				sum[r] += v
			}
			programs[e.template]++
		}
		want := 0
		for _, v := range p.views {
			want += len(v.labels)
		}
		y, g := state(p.template, p.outputs())
		p.template.Program().Incompatibility(y, g, phi)
		if slices.Max(phi) == 0 {
			t.Errorf("%s: no rule is violated: nothing is compared", name)
		}
		for r, v := range phi {
			if math.Abs(v-sum[r]) > 1e-9 {
				t.Errorf("%s: rule %d: the potentials of the examples sum up to %v, those of the whole to %v", name, r, sum[r], v)
			}
		}
		if targets != p.template.Targets || rows != p.template.Rows() || labels != want {
			t.Errorf("%s: %d targets, %d rows, %d labels; the partition has %d, %d, %d",
				name, targets, rows, labels, p.template.Targets, p.template.Rows(), want)
		}
		if name == "sums" && (len(list) != 8 || len(programs) != 2 || m.Empty() != 1) {
			t.Errorf("%d examples with %d programs, %d empty, want 8, one of them empty, with 2", len(list), len(programs), m.Empty())
		}
		for epoch := range 3 {
			var seen []int
			for _, b := range m.cfg.Batches(len(list), epoch) {
				seen = append(seen, b...)
			}
			if slices.Sort(seen); !slices.Equal(seen, learning.All(len(list))) {
				t.Errorf("%s: epoch %d learns from %v", name, epoch, seen)
			}
		}
	}
}

// TestBatchOfAll: a batch of all components has the loss and the gradients of the whole
// partition, except for the mean over them.
func TestBatchOfAll(t *testing.T) {
	file := write(t, strings.Replace(parted(t), `"2: A(X, C) = Y`, `"1: A(X, '1') -> B(X, 'u')", "2: A(X, C) = Y`, 1), tinyFiles)
	for _, loss := range []string{"energy", "sp"} {
		var losses []float64
		var grads [][]float32
		var dw [][]float64
		for _, batch := range []int{1, 2} {
			m, _ := open(t, file, loss, func(c *config.Config, _ *Options) {
				c.Training.Batch = batch
				c.Symbolic.Gap = 1e-10
			})
			work, err := m.Gradient(learning.Step{Temperature: 1}, learning.All(batch))
			require.NoError(t, err)
			losses, dw = append(losses, float64(batch)*work.Loss), append(dw, m.WeightGradient())
			var all []float32
			for _, p := range m.Params() {
				for _, v := range p.Grad {
					all = append(all, float32(batch)*v)
				}
			}
			grads = append(grads, all)
		}
		if math.Abs(losses[0]-losses[1]) > 1e-5 {
			t.Errorf("%s: losses %v", loss, losses)
		}
		for i, v := range grads[0] {
			if math.Abs(float64(v-grads[1][i])) > 1e-4 {
				t.Errorf("%s: gradient %d is %v of the whole, %v of a batch of all", loss, i, v, grads[1][i])
			}
		}
		for r, v := range dw[0] {
			if math.Abs(v-2*dw[1][r]) > 1e-4 {
				t.Errorf("%s: rule %d: %v and %v", loss, r, v, dw[1][r])
			}
		}
	}
}

// TestBatchesRefused: what cannot be is said with the reason.
func TestBatchesRefused(t *testing.T) {
	one, two := write(t, tiny, tinyFiles), write(t, parted(t), tinyFiles)
	for want, change := range map[string]func(*config.Config, *Options){
		"training.batch: 2: the program of the partition learn has 1 component": func(c *config.Config, o *Options) { c.Training.Batch, o.Model = 2, one },
		"training.shards: the examples of a model file have programs of their own": func(c *config.Config, o *Options) {
			c.Training.Batch, c.Training.Shards = 2, 2
		},
		"neural.pretrain: a model file has no pre-training":               func(c *config.Config, _ *Options) { c.Neural.Pretrain = "simclr" },
		"neural.gumbel-at-test: cmd/infer applies what is learned":        func(c *config.Config, _ *Options) { c.Neural.NoisyTest = true },
		"neural.augment: light: no network of the model sees grey images": func(c *config.Config, _ *Options) { c.Neural.Augment = "light" },
	} {
		c := small(t, two, "energy")
		change(&c, c.Options.(*Options))
		_, err := Task{}.Open(c, "")
		var usage *config.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestTakeAlong: several networks are as many files in ONNX.
func TestTakeAlong(t *testing.T) {
	m, _ := open(t, write(t, tiny, tinyFiles), "energy", nil)
	dir := t.TempDir()
	paths, err := train.Export(filepath.Join(dir, "net.onnx"), m)
	if err != nil || !slices.Equal(paths, []string{filepath.Join(dir, "net.A.onnx"), filepath.Join(dir, "net.Q.onnx")}) {
		t.Errorf("%v, %v", paths, err)
	}
}

// TestAugment: images of MNIST's size are distorted anew in every step, and only where a
// step looks at them.
func TestAugment(t *testing.T) {
	m, _ := open(t, striped(t), "energy", func(c *config.Config, _ *Options) { c.Neural.Augment, c.Training.Batch = "strong", 2 })
	inputs := func(step int) []float32 {
		x, err := m.examples.TrainingInputs(learning.Step{Number: step, Progress: 0.5}, []int{1, 0})
		require.NoError(t, err)
		return slices.Clone(x)
	}
	plain := m.learn.views[0].x
	if a, b := inputs(1), inputs(2); slices.Equal(a, b) || slices.Equal(a[:28*28], plain[28*28:]) || slices.Equal(a[28*28:], plain[:28*28]) || !slices.Equal(a, inputs(1)) {
		t.Error("inputs are not distorted, or not by the step alone")
	}
	for i, v := range plain {
		if v != float32(i/9%2) {
			t.Fatalf("feature %d has become %v", i, v)
		}
	}
}
