package train

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/facts"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// open makes the run folder ready: optimisers, checkpoint, configuration, log.
func (r *run) open() error {
	err := r.prepareAll()
	r.began, r.savedAt, r.wallStart = time.Now(), time.Now(), r.state.WallS
	if err != nil || !r.leads() {
		return err
	}
	err = facts.Replace(filepath.Join(r.opt.Dir, record.ConfigFile), []byte(r.state.Config))
	if err != nil {
		return err
	}
	var lost int
	if r.log, lost, err = record.OpenLog(r.opt.Dir, r.state.Step, r.state.Early.Seen && r.state.Judged == r.state.Step); lost > 0 {
		r.obs.Note(fmt.Sprintf("%s has no readable line for %d of the %d steps before", record.MetricsFile, lost, r.state.Step))
	}
	return err
}

// prepare sets up the optimisers and loads a checkpoint where the run is resumed.
func (r *run) prepare(o checkpoint.Options) error {
	cfg := r.cfg
	if err := cfg.Validate(); err != nil {
		return err
	}
	examples, batch := r.model.Examples(learning.TrainPart), cfg.Training.Batch
	if batch > examples {
		return config.Usage("training.batch", "%d is more than the number of training examples, %d", batch, examples)
	}
	r.perEpoch = examples / batch
	r.total = cfg.Training.Steps
	if e := cfg.Training.Epochs * r.perEpoch; e > 0 && (r.total == 0 || e < r.total) {
		r.total = e
	}
	r.temp = temperature(cfg)
	var err error
	if r.learn, err = newLearner(cfg, r.model, r.perEpoch, r.total); err != nil {
		return err
	}
	if err := r.share(); err != nil {
		return err
	}
	if r.store, err = checkpoint.Open(r.opt.Dir, o); err != nil {
		return config.Usage("out", "%v", err)
	}
	text, err := cfg.Encode()
	if err != nil {
		return err
	}
	r.state = runState{Seed: cfg.Seed, Config: string(text), ConfigHash: cfg.Identity()}
	r.state.Content, r.state.Tested = content(r.model, learning.TrainPart, learning.ValidPart), content(r.model, learning.TestPart)
	r.state.PretrainS = r.pretrainS
	r.saved, r.epoch = point{step: -1}, -1
	if cfg.Training.FreshTest && r.model.Examples(learning.FreshTestPart) == 0 {
		return config.Usage("training.fresh-test", "the task has no fresh test examples at this size; leave it out")
	}
	return r.load()
}

// temperature is that of the softmax in training, by epoch.
func temperature(cfg *config.Config) optim.ExpDecay {
	n := &cfg.Neural
	return optim.ExpDecay{Base: cmp.Or(n.TemperatureStart, 1), Min: n.TemperatureMin, Rate: n.TemperatureDecay}
}

// load restores the newest good checkpoint if the run is to resume.
func (r *run) load() error {
	c, err := latest(r.store, r.obs.Note)
	switch {
	case errors.Is(err, checkpoint.ErrNone) && r.opt.Resume:
		return config.Usage("resume", "no checkpoint in %s to go on from", r.opt.Dir)
	case errors.Is(err, checkpoint.ErrNone):
		return r.vacant()
	case err != nil:
		return err
	case !r.opt.Resume:
		return r.occupied()
	}
	var changed *ConfigChangedError
	want := r.state
	r.state = runState{} // what an earlier version has not written is nothing
	if err := c.State(&r.state); err != nil {
		return err
	}
	if config.IdentityOf(r.state.Config) != want.ConfigHash {
		var old config.Config
		if err := old.Decode("checkpoint", []byte(r.state.Config)); err != nil {
			return err
		}
		if old.Task != r.cfg.Task {
			return config.Usage("task", "%s holds a run of %s, not of %s; leave -task out, or name its own folder with -out", r.opt.Dir, old.Task, r.cfg.Task)
		}
		changed = &ConfigChangedError{Keys: old.Diff(r.cfg)}
		if !r.evaluateOnly {
			return changed
		}
	}
	if old := r.state.Content; old == "" {
		r.obs.Note(fmt.Sprintf("the newest checkpoint in %s is of an earlier version: its rules and data are not compared with those of now", r.opt.Dir))
	} else if old != want.Content {
		const problem = "rules or data, or their order, are others than those that the run in %s began with"
		if !r.evaluateOnly {
			return config.Usage("resume", problem+"; take those again, or begin another run", r.opt.Dir)
		}
		r.obs.Note(fmt.Sprintf(problem, r.opt.Dir))
	} else if old := r.state.Tested; old != "" && old != want.Tested {
		r.obs.Note(fmt.Sprintf("data to test on, or their order, are others than when the newest checkpoint in %s was written: the test is of those of now", r.opt.Dir))
	}
	// An earlier version may have written the same settings in other words.
	r.state.Config, r.state.ConfigHash, r.state.Content, r.state.Tested = want.Config, want.ConfigHash, want.Content, want.Tested
	if r.evaluateOnly {
		err = r.learn.restoreNamed(c)
	} else {
		err = r.learn.restore(c, &r.state)
	}
	if errors.Is(err, bilevel.ErrOtherRows) {
		return config.Usage("resume", "the ground program of the run in %s has other rows, as of an earlier version; go on with that, or begin another run", r.opt.Dir)
	}
	if err != nil {
		if u, ok := errors.AsType[*config.UsageError](err); ok && changed != nil {
			return config.Usage(u.Key, "%s (the run has other settings: %s)", u.Problem, strings.Join(changed.Keys, "; "))
		}
		return err
	}
	if changed != nil { // weights may be evaluated under other settings, such as another solver
		r.obs.Note(fmt.Sprintf("the run in %s has other settings: %s", r.opt.Dir, strings.Join(changed.Keys, "; ")))
	}
	r.saved = r.state.point()
	if !r.evaluateOnly {
		r.obs.Note(fmt.Sprintf("resuming from step %d", r.state.Step))
	}
	return nil
}

// vacant returns an error where the folder of a run that begins has a configuration or a result of something else, which it
// would write over. A run that ended before its first checkpoint has left a log, too.
func (r *run) vacant() error {
	if _, err := os.Stat(filepath.Join(r.opt.Dir, record.MetricsFile)); err == nil || !r.leads() {
		return nil
	}
	for _, name := range []string{record.ConfigFile, record.ResultFile} {
		if _, err := os.Stat(filepath.Join(r.opt.Dir, name)); err == nil {
			return config.Usage("out", "%s has a %s of something else, which this run would write over: choose another folder", r.opt.Dir, name)
		}
	}
	return nil
}

// occupied is the error of a run that would begin where there is one.
func (r *run) occupied() error {
	return config.Usage("out", "%s already holds a run; go on with -resume, or choose another folder", r.opt.Dir)
}

// ConfigChangedError reports that -resume met a run with other settings.
type ConfigChangedError struct{ Keys []string }

func (e *ConfigChangedError) Error() string {
	return "the run to resume has other settings: " + strings.Join(e.Keys, "; ") + "; take those again, or begin another run"
}
