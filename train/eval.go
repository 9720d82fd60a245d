package train

import (
	"errors"
	"time"

	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// Evaluate loads the newest good checkpoint of a run folder and measures its
// best weights on validation and test data as Run does at its end. It writes nothing. Settings may
// differ from those of the run (another solver, other tolerances) as long as
// they describe the same network; differences are noted. The model keeps the
// weights.
func Evaluate(cfg config.Config, model learning.Model, opt Options) (record.Result, error) {
	began := time.Now()
	r, err := loadTested(&cfg, model, opt)
	if err != nil {
		return record.Result{}, err
	}
	r.began, r.wallStart = began, 0
	r.state.uncount()
	valid, err := r.score(learning.ValidPart, 0)
	if err != nil {
		return record.Result{}, err
	}
	r.state.Early.Best, r.state.Early.Parts = *valid.Accuracy, valid.Parts
	return r.judge(r.score)
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
	if !r.state.Early.Seen {
		return nil, &learning.DataError{Err: errors.New("the newest checkpoint of " + opt.Dir + " is older than the first validation; train on with -resume")}
	}
	r.learn.restoreBest()
	return r, nil
}
