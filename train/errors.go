package train

import "errors"

// A DataError is a fault of the data: missing, damaged, or not what it claims.
type DataError struct{ Err error }

func (e *DataError) Error() string { return e.Err.Error() }
func (e *DataError) Unwrap() error { return e.Err }

// Exit codes of the commands.
const (
	ExitOK          = 0
	ExitInternal    = 1
	ExitUsage       = 2   // flags, configuration, rules
	ExitData        = 3   // bad or missing data, checkpoints included
	ExitInfeasible  = 4   // hard rules that contradict each other
	ExitUnsolved    = 5   // a solve failed its outside check
	ExitInterrupted = 130 // SIGINT; a checkpoint was written
	ExitTerminated  = 143 // SIGTERM; a checkpoint was written
)

// coder is an error that knows its exit code.
type coder interface{ ExitCode() int }

// ExitCode implements the mapping for a UsageError.
func (e *UsageError) ExitCode() int { return ExitUsage }

// ExitCode implements the mapping for a DataError.
func (e *DataError) ExitCode() int { return ExitData }

// ExitCode implements the mapping for a ConfigChangedError.
func (e *ConfigChangedError) ExitCode() int { return ExitUsage }

// ExitCode returns the exit code of an error: that of the first error in its
// chain that has one (a method ExitCode() int), or ExitInternal.
func ExitCode(err error) int {
	var c coder
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrInterrupted):
		return ExitInterrupted
	case errors.As(err, &c):
		return c.ExitCode()
	}
	return ExitInternal
}
