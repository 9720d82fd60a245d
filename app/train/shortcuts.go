package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"hinge/bilevel"
	"hinge/symbolic/psl"
	"hinge/symbolic/shortcut"
	"hinge/train/config"
	"hinge/train/learning"
)

// shortcutsTime is how long the count at the start of a run may take.
const shortcutsTime = 2 * time.Second

// countShortcuts prints the meanings that the concepts of the task could have.
func countShortcuts(ctx context.Context, w io.Writer, o *options) error {
	model, err := o.task.Open(o.config, o.data)
	if err != nil {
		return err
	}
	p, err := model.Rulebook().Shortcuts()
	if err == nil && p == nil {
		return config.Usage("-shortcuts", "the concepts of %s cannot be counted; those of model files, and of mnist-add and sudoku with NeuPSL, can", o.config.Task)
	}
	if err != nil {
		return err
	}
	r, err := shortcut.Count(ctx, p, shortcut.Options{})
	if err != nil {
		return err
	}
	soft, err := r.Soft(ctx, shortcut.Options{})
	if err != nil {
		return err
	}
	if err := r.Write(w, soft); err != nil {
		return err
	}
	return o.strictly(r)
}

// strictly is an error where -strict does not let a run begin.
func (o *options) strictly(r *shortcut.Result) error {
	if o.strict && !r.Unique() {
		return &learning.DataError{Err: fmt.Errorf("-strict: %s; see docs/SHORTCUTS.md", r.Summary())}
	}
	return nil
}

// warn prints the warnings about rules and data before the first step. With -strict they are an
// error.
func (o *options) warn(list []string) error {
	for _, text := range list {
		fmt.Fprintf(os.Stderr, "%s: warning: %s\n", program(), text)
	}
	if o.strict && len(list) > 0 {
		return &learning.DataError{Err: fmt.Errorf("-strict: %s about rules and data", psl.Count(len(list), "warning"))}
	}
	return nil
}

// warnOfShortcuts prints one line at the start of a run if labels leave several meanings of
// the concepts and the count ends in time. With -strict the count has ten seconds, and several
// meanings, or a count that does not end, are an error.
func warnOfShortcuts(ctx context.Context, o *options, model learning.Model) error {
	p, err := model.Rulebook().Shortcuts()
	if err == nil && p == nil || o.quiet && !o.strict {
		return nil
	}
	options := shortcut.Options{MaxTime: shortcutsTime}
	if o.strict {
		options.MaxTime = 0
	}
	var r *shortcut.Result
	if err == nil {
		r, err = shortcut.Count(ctx, p, options)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return nil // the run itself reports it
	case err != nil && o.strict:
		return err
	case errors.Is(err, shortcut.ErrTime) || err == nil && !r.Complete && !o.strict:
		fmt.Fprintf(os.Stderr, "%s: what the concepts could mean was not counted to the end in %s; -shortcuts counts it; see docs/SHORTCUTS.md\n", program(), shortcutsTime)
		return nil
	case err != nil: // nothing to count by
		return nil
	}
	if bilevel.LossName(o.config.Loss).Kind().Rows {
		for _, rule := range r.Ignored {
			fmt.Fprintf(os.Stderr, "%s: warning: the true classes break the rule at %s, which %s takes to hold: %s\n", program(), rule.Source, o.config.Loss, rule.Text)
		}
	}
	if text := r.Warning(); text != "" && !o.quiet {
		fmt.Fprintf(os.Stderr, "%s: warning: %s; see docs/SHORTCUTS.md\n", program(), text)
	}
	return o.strictly(r)
}
