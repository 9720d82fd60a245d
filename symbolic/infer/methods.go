package infer

import (
	"hinge/symbolic/infer/internal/admm"
	"hinge/symbolic/infer/internal/ipm"
	"hinge/symbolic/infer/internal/paper"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/subgradient"
)

type (
	Problem     = problem.Problem
	Method      = problem.Method
	Solver      = problem.Solver
	Progress    = problem.Progress
	Stats       = problem.Stats
	Certificate = problem.Certificate

	InteriorPoint = ipm.InteriorPoint
	PaperBCD      = paper.PaperBCD
	LockFreeBCD   = paper.LockFreeBCD
	ADMM          = admm.ADMM
	Subgradient   = subgradient.Subgradient
)

const (
	Moving  = problem.Moving
	Settled = problem.Settled
	Ready   = problem.Ready
	Refused = problem.Refused
)
