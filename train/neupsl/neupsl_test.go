package neupsl

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/models/mlp"
	"hinge/nn"
	"hinge/optim"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
)

// papers is one program for all: six papers in two chains of citations, of which the
// first two are labelled, two are for validation and two for the test.
type papers struct {
	template *lcqp.Template
	seen     map[learning.Part]bool // observed for
}

const paperRules = `
1: Neural(P, K) -> Cat(P, K)
4: Link(P, Q) & Cat(P, K) -> Cat(Q, K)
Cat(P, +K) = 1 .
`

func newPapers(t *testing.T) *papers { return linked(t, 2) }

// linked returns papers of which each cites the one that many places before it.
func linked(t *testing.T, back int) *papers {
	t.Helper()
	b := ground.NewBuilder()
	for i := range 6 {
		for k := range 2 {
			b.Deep("Neural", fmt.Sprint(i), fmt.Sprint(k))
			b.Target("Cat", fmt.Sprint(i), fmt.Sprint(k))
		}
		if i >= back {
			b.Observe("Link", fmt.Sprint(i-back), fmt.Sprint(i))
		}
	}
	template, err := half.CompileRules("", "papers.psl", []byte(paperRules), b)
	require.NoError(t, err)
	return &papers{template, map[learning.Part]bool{}}
}

func (p *papers) Len(part learning.Part) int {
	if part == learning.MoreTestPart || part == learning.FreshTestPart {
		return 0
	}
	return 1
}

func (p *papers) Inputs(learning.Part, []int) []float32 { return []float32{1, -1, 1, -1, 1, -1} }

func (p *papers) Label(_ int, in *lcqp.Instance) error { return p.fix(in, 2) }

// fix fixes the topics of the first papers, which alternate.
func (p *papers) fix(in *lcqp.Instance, n int) error {
	for i := range n {
		if err := in.FixOneHot([]int{2 * i, 2*i + 1}, i%2); err != nil {
			return err
		}
	}
	return nil
}

func (p *papers) Observe(part learning.Part, _ int, in *lcqp.Instance) error {
	if p.seen[part] = true; part == learning.TestPart {
		return p.fix(in, 4)
	}
	return p.fix(in, 2)
}

func (p *papers) Judge(part learning.Part, _ int, y []float64) (right, of int) {
	first := map[learning.Part]int{learning.ValidPart: 2, learning.TestPart: 4}[part]
	for i := first; i < first+2; i++ {
		if nn.Argmax(y[2*i:2*i+2]) == i%2 {
			right++
		}
	}
	return right, 2
}

func (p *papers) Class(_ learning.Part, _, row int) int { return row % 2 }

// reader reads the six papers.
func reader() Reader {
	return Reader{Logits: mlp.Define[float32]("mlp", mlp.Config{Out: 2}), Shape: []int{1}, Rows: 6}
}

func (p *papers) model(t *testing.T, c config.Config) *NeuPSL {
	t.Helper()
	m, err := New(c, Setup{
		Examples: p, Program: Program{Template: p.template, Observe: p.Observe}, Show: Show{Class: p.Class}, Network: reader(),
	})
	require.NoError(t, err)
	return m
}

// TestOneProgram: a task whose only example is everything has accuracies over parts of
// it, with the labels that each part may see, and learns.
func TestOneProgram(t *testing.T) {
	p := newPapers(t)
	c := config.Defaults(config.Config{Task: "papers"})
	c.Training.Batch, c.Training.Epochs, c.Training.ValidEvery = 1, 40, 20
	m := p.model(t, c)
	if m.Rules() != nil {
		t.Error("a table of rules before the first step")
	}
	for _, part := range []learning.Part{learning.TestPart, learning.ValidPart, learning.TestPart} {
		s, err := m.Evaluate(t.Context(), part)
		if err != nil || s.Accuracy != 1 || s.Examples != 2 || s.Solves != 1 {
			t.Errorf("%s, untrained: %+v, %v: links do not pass the labels on", part, s, err)
		}
	}
	if m.Examples(learning.MoreTestPart) != 0 || m.Examples(learning.FreshTestPart) != 0 || !p.seen[learning.TestPart] || !p.seen[learning.ValidPart] {
		t.Errorf("parts %v", p.seen)
	}
	res, err := train.Run(t.Context(), c, m, train.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	s, err := m.Evaluate(t.Context(), learning.TestPart)
	if err != nil || *s.Parts != 1 || *s.Entropy <= 0 || *s.Entropy >= 1 || len(res.Rules) != 2 {
		t.Errorf("after 40 steps: %+v, %v; rules %+v", s, err, res.Rules)
	}
}

// TestNeuPSLRefuses: what cannot be built is a usage error with its key.
func TestNeuPSLRefuses(t *testing.T) {
	p := newPapers(t)
	c := config.Defaults(config.Config{Task: "papers"})
	_, err := New(c, Setup{Examples: p, Program: Program{Template: p.template}, Network: reader()})
	var u *config.UsageError
	if !errors.As(err, &u) || u.Key != "training.batch" {
		t.Errorf("batches of 10 of one example: %v", err)
	}
	for name, text := range map[string]string{"rules": "1: Cat(P, K) &", "atoms": "1: Dog(P, K) -> Cat(P, K)"} {
		if _, err := half.CompileRules("", "x.psl", []byte(text), ground.NewBuilder()); !errors.As(err, &u) || u.Key != "rules" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := half.CompileRules("no such file", "", nil, ground.NewBuilder()); !errors.As(err, &u) {
		t.Errorf("got %v", err)
	}
	b := ground.NewBuilder()
	b.Observe("A", "x")
	b.Observe("A", "x", "y")
	if _, err := half.CompileRules("", "x.psl", nil, b); err == nil || errors.As(err, &u) && u.Key != "rules" {
		t.Errorf("atoms of two arities: %v", err)
	}
}

// TestSimplex: a method that leaves the simplex is refused beside networks.
func TestSimplex(t *testing.T) {
	c := config.Defaults(config.Config{})
	c.Symbolic.Method = optim.Gradient
	_, err := New(c, Setup{})
	require.ErrorContains(t, err, "symbolic.method")
}

// failing is a task with faults of its author: a part without examples, a judge that counts more right
// answers than there are, and an input that is no number.
type failing struct {
	*papers
	empty learning.Part
	right int
	nan   int // example
}

func (f *failing) Len(part learning.Part) int {
	if part == f.empty {
		return 0
	}
	return 3
}

func (f *failing) Judge(learning.Part, int, []float64) (right, of int) { return f.right, 2 }

func (f *failing) Inputs(_ learning.Part, examples []int) (x []float32) {
	for _, e := range examples {
		for row := range 6 {
			x = append(x, 1)
			if e == f.nan && row == 4 {
				x[len(x)-1] = float32(math.NaN())
			}
		}
	}
	return x
}

// TestFaultsOfTasks: they are told by the part or by the number of the example, not of its row.
func TestFaultsOfTasks(t *testing.T) {
	c := config.Defaults(config.Config{Task: "papers"})
	c.Training.Batch = 1
	made := func(c config.Config, f failing) (*NeuPSL, error) {
		f.papers = newPapers(t)
		return New(c, Setup{Examples: &f, Program: Program{Template: f.template, Observe: f.Observe}, Network: reader()})
	}
	for _, part := range []learning.Part{learning.ValidPart, learning.TestPart} {
		m, err := made(c, failing{empty: part})
		require.NoError(t, err)
		_, err = m.Evaluate(t.Context(), part)
		require.ErrorContains(t, err, "the part "+string(part)+" has no examples")
		_, isData := errors.AsType[*learning.DataError](err)
		require.True(t, isData)
	}
	for want, f := range map[string]failing{
		"Judge says of example 0 that 3 of 2 answers are right":  {right: 3, nan: -1},
		"Judge says of example 0 that -1 of 2 answers are right": {right: -1, nan: -1},
		"the input of example 2 (from 0) holds a NaN":            {nan: 2},
	} {
		m, err := made(c, f)
		require.NoError(t, err)
		_, err = m.Evaluate(t.Context(), learning.ValidPart)
		require.ErrorContains(t, err, want)
	}
}

// known has labels of one target in each example, NaN for none.
type known struct {
	*papers
	target []int
	value  []float64
}

func (k known) Len(part learning.Part) int {
	if part == learning.TrainPart {
		return len(k.target)
	}
	return k.papers.Len(part)
}

func (k known) Label(example int, in *lcqp.Instance) error {
	if math.IsNaN(k.value[example]) {
		return nil
	}
	return in.Fix(k.target[example], k.value[example])
}

// TestDigest: labels that differ in one example, by their target, or in being there, are other data,
// whatever the examples before it fix, and so are programs of the same rules that differ in their data.
func TestDigest(t *testing.T) {
	c := config.Defaults(config.Config{Task: "papers"})
	c.Training.Batch = 1
	seen := map[string]bool{}
	for _, k := range []known{
		{target: []int{0, 1, 0}, value: []float64{1, 1, 1}}, {target: []int{0, 1, 1}, value: []float64{1, 1, 1}},
		{target: []int{0, 1, 2}, value: []float64{1, 1, 0}}, {target: []int{0, 1, 2}, value: []float64{1, 1, math.NaN()}},
	} {
		k.papers = newPapers(t)
		m, err := New(c, Setup{Examples: k, Program: Program{Template: k.template}, Network: reader()})
		require.NoError(t, err)
		var b strings.Builder
		m.Rulebook().Digest(&b, learning.TrainPart)
		require.Falsef(t, seen[b.String()], "%v %v", k.target, k.value)
		seen[b.String()] = true
	}
	clear(seen)
	same, other := newPapers(t), linked(t, 1).template
	for i, p := range []Program{
		{Template: same.template}, {Template: other}, {Template: same.template, Answers: other},
		{Template: same.template, Templates: []*lcqp.Template{other}}, {Template: same.template, Templates: []*lcqp.Template{same.template}},
	} {
		m, err := New(c, Setup{Examples: same, Program: p, Network: reader()})
		require.NoError(t, err)
		var b strings.Builder
		m.Rulebook().Digest(&b, learning.TrainPart)
		require.Falsef(t, seen[b.String()], "program %d", i)
		seen[b.String()] = true
	}
}
