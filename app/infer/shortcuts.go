package infer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"hinge/app/cli"
	"hinge/symbolic/facts"
	"hinge/symbolic/shortcut"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// besideShortcuts are the flags that -shortcuts knows.
var besideShortcuts = []string{"model", "config", "shortcuts", "timeout", "quiet", "strict", "max-memory", "json"}

// validateShortcuts refuses flags that mean nothing together with -shortcuts.
func (o *options) validateShortcuts(set map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if o.shortcuts && !slices.Contains(besideShortcuts, name) {
			return cli.Usage("-shortcuts counts from rules and labels, and infers nothing; leave -%s out", name)
		}
	}
	return nil
}

// counted is the result of -shortcuts in JSON.
type counted struct {
	// Count is the number of maps, a lower bound where Complete is false.
	Count    *big.Int `json:"count"`
	Complete bool     `json:"complete"`
	// Unique reports whether the true map is the only one.
	Unique bool `json:"unique"`
	// Report is the text that is printed without -json, line by line.
	Report []string `json:"report"`
}

// countShortcuts prints the meanings that the concepts of the model could have. With -strict
// more than the true one is an error.
func (c *command) countShortcuts() error {
	c.progress.Start("counting what the concepts could mean")
	options := shortcut.Options{MaxTime: c.timeout}
	r, err := modelfile.CountShortcuts(c.stop.Ctx, c.model, options)
	if err != nil {
		return c.countError(err)
	}
	soft, err := r.Soft(c.stop.Ctx, options)
	if err != nil {
		return c.countError(err)
	}
	c.progress.Close()
	var text strings.Builder
	if err := r.Write(&text, soft); err != nil {
		return err
	}
	if c.json {
		lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
		err = cli.PrintJSON(c.stdout, counted{r.Number(), r.Complete, r.Unique(), lines})
	} else {
		_, err = io.WriteString(c.stdout, text.String())
	}
	if err != nil {
		return err
	}
	if c.strict && !r.Unique() {
		return &facts.Error{Err: fmt.Errorf("-strict: %s; see docs/SHORTCUTS.md", r.Summary())}
	}
	return nil
}

// countError gives the errors of a count the kinds of this command.
func (c *command) countError(err error) error {
	switch {
	case c.stop.Ctx.Err() != nil:
		return context.Canceled
	case errors.Is(err, shortcut.ErrTime):
		return cli.WithCode(exit.Unsolved, "the time was over before the examples were looked at; -timeout 5m gives it more")
	}
	return fromTraining("", err)
}

// fromTraining gives the errors of package train the kinds of this command.
func fromTraining(prefix string, err error) error {
	var usage *config.UsageError
	var data *learning.DataError
	switch {
	case errors.As(err, &usage):
		return cli.Usage("%s%v", prefix, usage)
	case errors.As(err, &data):
		return &facts.Error{Err: fmt.Errorf("%s%w", prefix, err)}
	}
	return err
}
