package train

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// Tested holds the weights that a test would use, the best ones on validation, from the newest
// good checkpoint of a run. It is for programs that apply a model without learning.
type Tested struct {
	// Config is the configuration of the run.
	Config config.Config
	// Weights is w_sy; Rules is the table of the rules as of the last validation, where
	// there are rules.
	Weights []float64
	Rules   []learning.Rule

	checkpoint *checkpoint.Checkpoint
}

// OpenTested reads the newest good checkpoint of a run folder. note, which may be nil, is
// called for each damaged checkpoint. A folder without a checkpoint is a UsageError for the
// key out.
func OpenTested(dir string, note func(text string)) (*Tested, error) {
	store, err := checkpoint.Open(dir, checkpoint.Options{ReadOnly: true})
	if err != nil {
		return nil, config.Usage("out", "%v", err)
	}
	c, err := latest(store, note)
	if errors.Is(err, checkpoint.ErrNone) {
		return nil, config.Usage("out", "%s holds no checkpoint of a run", dir)
	}
	if err != nil {
		return nil, err
	}
	var s runState
	if err := c.State(&s); err != nil {
		return nil, err
	}
	if err := s.validated(dir); err != nil {
		return nil, err
	}
	t := &Tested{Rules: s.Rules, checkpoint: c}
	if err := t.Config.Decode("checkpoint", []byte(s.Config)); err != nil {
		return nil, err
	}
	w, err := c.Tensor(tensorW)
	if err != nil {
		return nil, err
	}
	var ok bool
	if t.Weights, ok = w.Data.([]float64); !ok {
		return nil, fmt.Errorf("train: tensor %q holds %T, want []float64", tensorW, w.Data)
	}
	return t, nil
}

// latest opens the newest good checkpoint and notes each damaged one that is newer. Where all are damaged, the
// error is a DataError.
func latest(store *checkpoint.Store, note func(text string)) (*checkpoint.Checkpoint, error) {
	c, err := store.Latest(func(name string, err error) {
		if note != nil {
			note(fmt.Sprintf("skipping damaged checkpoint %s: %v", name, err))
		}
	})
	if errors.Is(err, checkpoint.ErrDamaged) {
		err = &learning.DataError{Err: err}
	}
	return c, err
}

// Import puts the run's arrays into the networks.
func (t *Tested) Import(net learning.NeuralHalf) error { return importNetwork(net, t.checkpoint) }

// importNetwork takes the arrays of networks out of a checkpoint, which must have no more of them: the networks
// would answer otherwise than those that learned.
func importNetwork(net learning.NeuralHalf, c *checkpoint.Checkpoint) error {
	own, all := map[string]bool{}, map[string]bool{}
	for _, t := range net.Export() {
		first, _, _ := strings.Cut(t.Name, ".")
		own[first], all[t.Name] = true, true
	}
	for _, name := range c.Names() {
		if first, _, _ := strings.Cut(name, "."); own[first] && !all[name] {
			return fmt.Errorf("the run has the array %q more: it learned another network, or by an earlier version, where buffers and constants of ONNX files learned too (use that, or begin another run)", name)
		}
	}
	return net.Import(c.Tensor)
}

// Evaluate loads the newest good checkpoint of a run folder and measures its
// best weights on validation and test data as Run does at its end. It writes nothing. Settings may
// differ from those of the run (another solver, other tolerances) as long as
// they describe the same network; differences are noted. The model keeps the
// weights.
func Evaluate(ctx context.Context, cfg config.Config, model learning.Model, opt Options) (record.Result, error) {
	began := time.Now()
	r, err := loadTested(&cfg, model, opt)
	if err != nil {
		return record.Result{}, err
	}
	r.began, r.wallStart = began, 0
	s := &r.state // the work is the evaluation's own
	s.SolverS, s.NeuralS, s.CommS, s.Solves, s.Evaluated, s.Unsolved = 0, 0, 0, 0, 0, 0
	s.GapSum, s.WorstGap, s.WorstViolation = 0, 0, 0
	valid, err := r.score(ctx, learning.ValidPart, 0)
	if err != nil {
		return record.Result{}, err
	}
	r.state.Early.Parts, r.state.Early.Unjudged = valid.Parts, valid.Accuracy == nil
	if valid.Accuracy != nil {
		r.state.Early.Best = *valid.Accuracy
	}
	return r.judge(ctx, r.score)
}

// LoadTested puts the weights that Evaluate measures, network and rules, into the
// model. It writes nothing.
func LoadTested(cfg config.Config, model learning.Model, opt Options) error {
	_, err := loadTested(&cfg, model, opt)
	return err
}

func loadTested(cfg *config.Config, model learning.Model, opt Options) (*run, error) {
	opt.Comm, opt.Resume = nil, true
	r := newRun(cfg, model, opt)
	r.evaluateOnly = true
	if err := r.prepare(checkpoint.Options{ReadOnly: true}); err != nil {
		return nil, err
	}
	return r, r.state.validated(opt.Dir)
}

// validated returns an error about a run in dir that has not chosen weights yet.
func (s *runState) validated(dir string) error {
	if !s.Early.Seen {
		return &learning.DataError{Err: errors.New("the newest checkpoint of " + dir + " is older than the first validation; train on with -resume")}
	}
	return nil
}

// Begun reports whether there is a checkpoint in a folder to go on from, readable or not.
func Begun(dir string) bool {
	store, err := checkpoint.Open(dir, checkpoint.Options{ReadOnly: true})
	if err != nil {
		return false
	}
	_, err = store.Latest(nil)
	return !errors.Is(err, checkpoint.ErrNone)
}
