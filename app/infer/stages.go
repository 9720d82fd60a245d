package infer

import (
	"errors"
	"io"

	"hinge/app/watch"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/model"
	"hinge/train/exit"
)

// command holds what all stages share: the flags, and the receivers of warnings, progress and
// signals.
type command struct {
	*options
	*warnings
	stop     *watch.Stopper
	progress *watch.Progress
	stdout   io.Writer
}

func newCommand(o *options, stop *watch.Stopper, p *watch.Progress, stdout io.Writer) *command {
	return &command{options: o, warnings: &warnings{silent: o.quiet, progress: p}, stop: stop, progress: p, stdout: stdout}
}

// report holds the results of the stages, to be written.
type report struct {
	*solution
	// learned is the result of learning before inference, or nil.
	learned *learned
	metrics []model.Result
	curve   map[string][]evaluate.Point
	explained
}

// run goes through the stages. The report is nil where nothing was inferred.
func (c *command) run() (*report, error) {
	if c.shortcuts {
		return nil, c.countShortcuts()
	}
	in, err := c.read(model.Partition(c.partition))
	if err != nil {
		return nil, err
	}
	var l *learned
	switch {
	case c.onlyLearns():
		_, err = c.learn(in, false)
		return nil, err
	case c.learnsFirst(in.Model):
		data, err := c.read(model.Learn)
		if err == nil {
			l, err = c.learn(data, in.Infers)
		}
		if err != nil || !in.Infers {
			return nil, err
		}
		l.apply(in)
	case in.Learns && c.loss == "" && !c.quiet && c.rules == "" && in.trained == nil && in.Options.Learn == nil:
		c.progress.Note("infer: " + in.File + ": the weights are as they are written; -learn LOSS learns them from the partition learn")
	}
	if err := c.decide(in, l); err != nil {
		return nil, err
	}
	p, err := c.ground(in)
	if err != nil {
		return nil, err
	}
	if err := c.warnAbout(p); err != nil {
		return nil, err
	}
	asked, err := findTargets(p, c.explain)
	if err != nil {
		return nil, err
	}
	s, err := c.solve(p)
	if err != nil {
		return nil, err
	}
	r := &report{solution: s, learned: l}
	failed := c.verdict(s)
	if exitCode(failed) == exit.Infeasible {
		if c.json {
			failed = errors.Join(r.writeJSON(c), failed)
		}
		return r, failed
	}
	if s.integer != nil && s.integer.Err() != nil {
		return r, failed // there are no values
	}
	if err := r.evaluate(); err != nil {
		return r, err
	}
	if !s.interrupted && !s.Options.Skip { // the forces of any other point than the optimum explain nothing
		if r.explained, err = s.explain(asked, c.top); err != nil {
			return r, err
		}
	}
	return r, errors.Join(c.write(r), failed)
}
