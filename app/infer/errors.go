package infer

import (
	"errors"
	"fmt"
	"os"

	"hinge/app/cli"
	"hinge/symbolic/psl"
)

// interruptedError reports what was done when a signal came, and where it was written.
type interruptedError struct{ text string }

func (e *interruptedError) Error() string { return "interrupted " + e.text }

// printError prints an error and returns its exit code. Mistakes in rules take
// several lines: the rule, a caret and a hint.
func printError(err error) int {
	text := err.Error()
	if rule, ok := errors.AsType[*psl.Error](err); ok {
		text = rule.Detail()
	}
	fmt.Fprintln(os.Stderr, "infer:", text)
	return cli.ExitCode(err)
}
