package train

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/optim/collective"
	"hinge/train/learning"
)

// certified is a toy whose programs have gaps: of step n one is 0.1·n, of an evaluation
// they are far off.
type certified struct{ *toy }

func (m certified) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	w, err := m.toy.Gradient(step, examples)
	w.WorstGap, w.MeanGap, w.WorstViolation = 0.1*float64(step.Number), 0.5, 1e-9
	return w, err
}

func (m certified) Evaluate(ctx context.Context, part learning.Part) (learning.Score, error) {
	s, err := m.toy.Evaluate(ctx, part)
	s.Work = learning.Work{Solves: 4, WorstGap: 2, MeanGap: 1, WorstViolation: 1e-12}
	return s, err
}

// TestCertificates: those of all sittings of a run are in its result, and those of an
// evaluation are its own.
func TestCertificates(t *testing.T) {
	dir, cfg := t.TempDir(), toyConfig()
	cfg.Training.Steps = 12
	first := newToy(1)
	ranUntil(t, 7, cfg, certified{first}, first, Options{Dir: dir})
	res := ran(t, cfg, certified{newToy(1)}, Options{Dir: dir, Resume: true})
	steps, looks := float64(12*cfg.Training.Batch), float64(res.EvaluationSolves)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	c := res.Certificates
	if c == nil || c.WorstGap != 2 || !near(c.MeanGap, (steps*.5+looks)/(steps+looks)) || c.WorstViolation != 1e-9 ||
		c.Tolerance != cfg.Symbolic.Gap || c.Checked || looks != 4*4 {
		t.Errorf("%+v after %v programs in evaluations", c, looks)
	}
	if *res.TestParts != .125 || *res.ValidParts != .125 {
		t.Errorf("parts: test %v, validation %v", *res.TestParts, *res.ValidParts)
	}
	again, err := Evaluate(context.Background(), cfg, certified{newToy(1)}, Options{Dir: dir})
	require.NoError(t, err)
	if c := again.Certificates; c == nil || c.MeanGap != 1 || c.WorstViolation != 1e-12 || *again.ValidParts != .125 {
		t.Errorf("evaluation: %+v, parts %v", c, again.ValidParts)
	}
}

// shared is a toy in shards, each with gaps of its own.
type shared struct{ *toy }

func (m shared) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	w, err := m.toy.Gradient(step, examples)
	w.WorstGap, w.WorstViolation = []float64{.5, .75, .25}[step.Shard], []float64{.125, .0625, 0}[step.Shard]
	w.MeanGap, w.Solves = []float64{.25, .5, 0}[step.Shard], []int{1, 2, 1}[step.Shard]
	w.DrawSpread = []float64{1, 2, 6}[step.Shard]
	return w, err
}

// TestCertificatesOfShards: the worst of all shards, and the mean over all programs.
func TestCertificatesOfShards(t *testing.T) {
	cfg := toyConfig()
	cfg.Training.Shards = 3
	r := &run{cfg: &cfg, model: shared{newToy(1)}, comm: collective.Local(1)[0]}
	require.NoError(t, r.share())
	w, _, err := r.sums.gradient(learning.Step{}, learning.All(cfg.Training.Batch), requests{})
	if err != nil || w.Solves != 4 || w.WorstGap != .75 || w.WorstViolation != .125 || w.MeanGap != (.25+2*.5)/4 || w.DrawSpread != 3 {
		t.Errorf("%+v, %v", w, err)
	}
}
