package infer

import (
	"time"

	"hinge/optim/collective"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// A Joint solves one program whose rows are divided among the ranks of a job. Each rank calls
// it with the instance of its own rows and with the numbers that its targets have in the whole
// program. It calls observe with its progress. Package cluster has such a function.
type Joint func(c collective.Comm, in *lcqp.Instance, targets []int32, s infer.Settings,
	observe func(iterations int, r lcqp.Residual)) (JointResult, error)

// JointResult is the result of a Joint. Solution and Own are about the targets and rows of
// this rank; everything else is the same on all ranks.
type JointResult struct {
	// Solution has the values of the rank's targets, which agree on all ranks, and what
	// belongs to its rows.
	lcqp.Solution
	// Own tells which of the rank's targets count as its own: each target is one rank's.
	Own    []bool
	Status infer.Status
	// Certificate proves that the rank's own rows are infeasible; nil unless they are.
	// Where only rows of several ranks together contradict each other, no rank has one.
	Certificate *infer.Certificate
	// Energy is w·Φ, Residual what lcqp.Residuals finds for the whole program.
	Energy     float64
	Residual   lcqp.Residual
	Iterations int // of the ranks together
	// Rows, Constraints and Components are sizes of the whole program; Shared counts the
	// targets that several ranks have, SharedRows the rows in components with one.
	Rows, Constraints, Components, Shared, SharedRows int
	Runtime                                           time.Duration
}
