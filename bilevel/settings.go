package bilevel

import (
	"cmp"
	"fmt"
	"math"

	"hinge/optim"
)

// The losses of the paper: two value-based ones (section 3) and two bilevel
// ones (section 4), which differ in their supervised term d(y, t): the sum over the labelled
// targets of (y − t)² for mse, and of −t·log y − (1 − t)·log(1 − y) for bce.
const (
	LossEnergy LossName = "energy"
	LossSP     LossName = "sp"
	LossMSE    LossName = "mse"
	LossBCE    LossName = "bce"
)

// LossAnswer is ours: the cross entropy of the MAP state itself, differentiated through
// inference by a second inference that the labels pull at (answer.go).
const LossAnswer LossName = "answer"

// Losses lists the losses of the paper.
var Losses = []LossName{LossEnergy, LossSP, LossMSE, LossBCE}

// Settings choose the loss and its parameters. The zero value of each field but Loss
// is a default.
type Settings struct {
	// Loss is the loss.
	Loss LossName
	// New, if not nil, makes the loss in place of its kind (Kind.New).
	New func(o *Objective) (Loss, error)
	// Value configures the inferences. Draws and Prefix are set by NewObjective.
	Value Options
	// Draws is K, the random draws of the neural outputs a sample has; zero
	// means 1.
	Draws int
	// Reduction makes the loss the mean over the batch or the sum.
	Reduction Reduction
	// Factor multiplies the loss in the graph; zero means 1.
	Factor float64
	// ColdLatent keeps no warm states for the problems with fixed labels and
	// conditions their program on the labels (Options.Condition): for models
	// whose labels leave next to nothing free.
	ColdLatent bool
	// Lagrangian holds the parameters of the bilevel losses.
	Lagrangian
	// Regularizer on w_sy is minimised by the caller; here only StationarityGradient uses it.
	Regularizer optim.Regularizer
}

// Validate reports the first setting that makes no sense.
func (s Settings) Validate() error {
	_, err := s.resolve()
	return err
}

func (s Settings) resolve() (Settings, error) {
	k, ok := KindOf(s.Loss)
	if !ok {
		return s, fmt.Errorf("bilevel: no loss %q, want one of %v", s.Loss, Having(func(Kind) bool { return true }))
	}
	if k.Check != nil {
		if err := k.Check(&s); err != nil {
			return s, err
		}
	}
	if s.Draws < 0 || math.IsNaN(s.Factor) || math.IsInf(s.Factor, 0) || s.Reduction != Mean && s.Reduction != Sum {
		return s, fmt.Errorf("bilevel: %d draws, factor %v, reduction %d; want 0 draws or more, a finite factor and the reduction %d or %d",
			s.Draws, s.Factor, s.Reduction, Mean, Sum)
	}
	if s.Draws = max(s.Draws, 1); s.Draws > 1 && !k.Draws {
		return s, fmt.Errorf("bilevel: the loss %s takes the outputs as they are; %d draws of them mean nothing", s.Loss, s.Draws)
	}
	s.ConstraintDraws, s.Factor = cmp.Or(s.ConstraintDraws, s.Draws), cmp.Or(s.Factor, 1)
	if s.ConstraintDraws > s.Draws {
		return s, fmt.Errorf("bilevel: ConstraintDraws is %d, want 1 to %d", s.ConstraintDraws, s.Draws)
	}
	if !s.Loss.Bilevel() {
		s.Constraint = "" // the losses without constraints do not look at it
	}
	var err error
	s.Lagrangian, err = s.Lagrangian.resolve()
	return s, err
}
