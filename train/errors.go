package train

import (
	"errors"

	"hinge/bilevel"
	"hinge/symbolic/infer"
)

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

// ExitCode returns the exit code of an error; one of no special kind is
// internal.
func ExitCode(err error) int {
	var (
		usage      *UsageError
		changed    *ConfigChangedError
		data       *DataError
		infeasible *infer.InfeasibleError
		unsolved   *bilevel.CheckError
	)
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrInterrupted):
		return ExitInterrupted
	case errors.As(err, &usage), errors.As(err, &changed):
		return ExitUsage
	case errors.As(err, &data):
		return ExitData
	case errors.As(err, &infeasible):
		return ExitInfeasible
	case errors.As(err, &unsolved):
		return ExitUnsolved
	}
	return ExitInternal
}
