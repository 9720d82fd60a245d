package train

import (
	"errors"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/optim/collective"
	"hinge/symbolic/infer"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
)

// ExitCode returns the exit code of an error. An error of none of the known kinds has the code
// exit.Internal.
func ExitCode(err error) int {
	var (
		usage      *config.UsageError
		changed    *ConfigChangedError
		data       *learning.DataError
		contrary   *bilevel.ContraryError
		infeasible *infer.InfeasibleError
		unsolved   *bilevel.CheckError
		elsewhere  *collective.RankError
		start      *collective.StartError
		diverged   *nn.DivergedError
		tried      *TrialError
	)
	switch {
	case err == nil:
		return exit.OK
	case errors.Is(err, ErrInterrupted):
		return exit.Interrupted
	case errors.As(err, &usage), errors.As(err, &changed), errors.As(err, &start):
		return exit.Usage
	case errors.As(err, &data), errors.As(err, &contrary), errors.As(err, &diverged):
		return exit.Data
	case errors.As(err, &infeasible):
		return exit.Infeasible
	case errors.As(err, &unsolved), errors.As(err, &tried):
		return exit.Unsolved
	case errors.As(err, &elsewhere):
		return elsewhere.Code
	}
	return exit.Internal
}
