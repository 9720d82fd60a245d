package infer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/symbolic/facts"
	"hinge/symbolic/shortcut"
	"hinge/train/exit"
	"hinge/train/modelfile"
)

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
	c.Progress.Start("counting what the concepts could mean")
	options := shortcut.Options{MaxTime: c.Timeout}
	r, err := modelfile.CountShortcuts(c.Stop.Ctx, c.Model, options)
	if err != nil {
		return c.countError(err)
	}
	soft, err := r.Soft(c.Stop.Ctx, options)
	if err != nil {
		return c.countError(err)
	}
	c.Progress.Close()
	var text strings.Builder
	if err := r.Write(&text, soft); err != nil {
		return err
	}
	if c.JSON {
		lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
		err = cli.PrintJSON(c.Stdout, counted{r.Number(), r.Complete, r.Unique(), lines})
	} else {
		_, err = io.WriteString(c.Stdout, text.String())
	}
	if err != nil {
		return err
	}
	if c.Strict && !r.Unique() {
		return &facts.Error{Err: fmt.Errorf("-strict: %s; see docs/SHORTCUTS.md", r.Summary())}
	}
	return nil
}

// countError gives the errors of a count the kinds of this command.
func (c *command) countError(err error) error {
	switch {
	case c.Stop.Ctx.Err() != nil:
		return context.Canceled
	case errors.Is(err, shortcut.ErrTime):
		return cli.WithCode(exit.Unsolved, "the time was over before the examples were looked at; -timeout 5m gives it more")
	}
	return problem.FromTraining("", err)
}
