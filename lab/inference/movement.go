package inference

import (
	"math"
	"sync/atomic"
	"time"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Tolerances of the published stop rule.
const (
	movementTolerance  = 1e-3
	violationTolerance = 5e-3
)

// movement is a method that ends when the method it wraps no longer moves the
// targets: the published stop rule. The driver, whose own tolerances are out of
// reach then, reports infer.NoProgress, or infer.AlmostSolved for a point that is
// better than the rule asks for.
type movement struct {
	infer.Method
	limit *deadline
}

// deadline is the time after which no iteration is begun; missed reports whether one was
// still wanted then, in any component.
type deadline struct {
	at     time.Time
	missed atomic.Bool
}

// NewSolver implements infer.Method.
func (m movement) NewSolver() infer.Solver { return &mover{Solver: m.Method.NewSolver(), method: m} }

// mover is the state of a movement for one component.
type mover struct {
	infer.Solver
	method movement
	last   []float64
}

// Init implements infer.Solver.
func (m *mover) Init(p *infer.Problem) {
	m.Solver.Init(p)
	m.Solver.Point(p)
	m.last = append(m.last[:0], p.Y...)
}

// Iterate implements infer.Solver. It leaves the point in p.Y.
func (m *mover) Iterate(p *infer.Problem) infer.Progress {
	if !time.Now().Before(m.method.limit.at) {
		m.method.limit.missed.Store(true)
		return infer.Settled
	}
	progress := m.Solver.Iterate(p)
	if progress == infer.Settled || progress == infer.Refused {
		return progress
	}
	m.Solver.Point(p)
	moved := 0.0
	for i, y := range p.Y {
		moved = max(moved, math.Abs(y-m.last[i]))
	}
	copy(m.last, p.Y)
	if moved < movementTolerance && violation(p) <= violationTolerance {
		return infer.Settled
	}
	return infer.Moving
}

// violation is the largest violation of a hard row at p.Y.
func violation(p *infer.Problem) float64 {
	worst := 0.0
	for k, kind := range p.Kind {
		switch kind {
		case lcqp.HardEQ:
			worst = max(worst, math.Abs(p.Activity(k, p.Y)))
		case lcqp.HardLE:
			worst = max(worst, p.Activity(k, p.Y))
		}
	}
	return worst
}
