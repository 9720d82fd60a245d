package infer

import (
	"errors"
	"io"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/app/watch"
	"hinge/symbolic/model"
	"hinge/train/exit"
)

// command is the session whose stages follow.
type command struct{ *problem.Session }

func newCommand(o *problem.Options, stop *watch.Stopper, p *watch.Progress, stdout io.Writer) *command {
	return &command{problem.NewSession(o, stop, p, stdout)}
}

// run goes through the stages. The report is nil where nothing was inferred.
func (c *command) run() (*report, error) {
	if c.Shortcuts {
		return nil, c.countShortcuts()
	}
	in, err := c.Read(model.Partition(c.Partition))
	if err != nil {
		return nil, err
	}
	var l *learned
	switch {
	case c.OnlyLearns():
		_, err = c.learn(in, false)
		return nil, err
	case c.LearnsFirst(in.Model):
		data, err := c.Read(model.Learn)
		if err == nil {
			l, err = c.learn(data, in.Infers)
		}
		if err != nil || !in.Infers {
			return nil, err
		}
		l.apply(in)
	case in.Learns && c.Loss == "" && !c.Quiet && c.Rules == "" && in.Trained == nil && in.Options.Learn == nil:
		c.Progress.Note("infer: " + in.File + ": the weights are as they are written; -learn LOSS learns them from the partition learn")
	}
	if err := c.decide(in, l); err != nil {
		return nil, err
	}
	p, err := c.Ground(in)
	if err != nil {
		return nil, err
	}
	if err := c.WarnAbout(p); err != nil {
		return nil, err
	}
	if err := c.checkAblation(p); err != nil {
		return nil, err
	}
	asked, err := findTargets(p, c.Explain)
	if err != nil {
		return nil, err
	}
	s, err := c.solve(p)
	if err != nil {
		return nil, err
	}
	r := &report{solution: s, learned: l}
	failed := c.verdict(s)
	if cli.ExitCode(failed) == exit.Infeasible {
		if c.JSON {
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
	if c.Ablate {
		if err := r.ablate(c); err != nil {
			return r, err
		}
	}
	if !s.interrupted && !s.Options.Skip { // the forces of any other point than the optimum explain nothing
		c.Progress.Start("explaining the answer")
		if r.explained, err = s.explain(c.Stop.Ctx, asked, c.Top); err != nil {
			return r, err
		}
	}
	return r, errors.Join(c.write(r), failed)
}
