package lcqp

import (
	"fmt"
	"math"
	"slices"

	"hinge/symbolic/hlmrf"
)

// Instance is one regularised LCQP (paper, section 5.1) on a template:
//
//	min  Σ_lin (w s + ε s²) + Σ_sq (w + ε) s² + Σ_i (ε y_i² + r_i (y_i − ŷ_i)²)
//	s.t. a_k·y + b_k − s_k ≤ 0 (potentials), a_k·y + b_k ≤ 0 or = 0 (constraints),
//	     Lower ≤ y ≤ Upper, s_lin ≥ 0.
//
// A rule of weight 0 has no ε either: its slacks cost nothing and it changes no answer.
//
// With Prox = 0 its optimum is the value function V, with Prox = r = 1/(2ρ) the
// Moreau envelope M. Fixing a label sets Lower = Upper; the template stays.
//
// The fields may be read freely. Change them through the methods, which check
// their arguments.
type Instance struct {
	*Template
	// Epsilon is ε > 0.
	Epsilon float64
	// Weights is w_sy, one per rule, ≥ 0.
	Weights []float64
	// B is b = b₀ + B·g, one per row.
	B []float64
	// Lower and Upper bound the targets: 0 and 1 unless fixed.
	Lower, Upper []float64
	// Prox is r_i ≥ 0 and Center ŷ_i, one per target.
	Prox, Center []float64
}

// NewInstance compiles a program and returns an instance of its template. The errors are those of
// Compile and of Template.NewInstance.
func NewInstance(p *hlmrf.Program, epsilon float64) (*Instance, error) {
	t, err := Compile(p)
	if err != nil {
		return nil, err
	}
	return t.NewInstance(epsilon)
}

// NewInstance returns the instance with the program's own weights, g = 0, no
// label fixed and no proximal term. It is an error when epsilon is not a
// positive finite number: ε makes the program strongly convex, on which every
// gradient relies (paper, theorem 5.2).
func (t *Template) NewInstance(epsilon float64) (*Instance, error) {
	if !(epsilon > 0) || math.IsInf(epsilon, 0) {
		return nil, fmt.Errorf("lcqp: epsilon %v is not a finite number > 0", epsilon)
	}
	in := &Instance{
		Template: t, Epsilon: epsilon,
		Weights: t.program.Weights(),
		B:       append([]float64(nil), t.B0...),
		Lower:   make([]float64, t.Targets), Upper: slices.Repeat([]float64{1}, t.Targets),
		Prox: make([]float64, t.Targets), Center: make([]float64, t.Targets),
	}
	return in, nil
}

// RowCost returns the coefficients of the cost weight·s + curv·s² of a row's slack, zeros for
// hard rows and for rules of weight 0.
func (in *Instance) RowCost(row int) (weight, curv float64) {
	kind := in.Kinds[row]
	if kind <= HardEQ {
		return 0, 0
	}
	switch w := in.Weights[in.RuleOf[row]]; {
	case w == 0:
		return 0, 0
	case kind == Square:
		return 0, w + in.Epsilon
	default:
		return w, in.Epsilon
	}
}

// Solution is a primal–dual pair of an Instance.
type Solution struct {
	// Y is the primal point, Slack the slack s of each potential (index: row
	// minus Constraints).
	Y, Slack []float64
	// Dual is μ, one per row: ≥ 0 except on HardEQ rows.
	Dual []float64
	// LowerDual and UpperDual are the multipliers of Y ≥ Lower and Y ≤ Upper, SlackDual the
	// multipliers of s ≥ 0 (linear potentials; 0 for squared ones).
	LowerDual, UpperDual, SlackDual []float64
}

// Resize gives the slices of the solution the lengths t needs, keeping their
// storage where it is large enough. The contents are not specified.
func (s *Solution) Resize(t *Template) {
	s.Y = resize(s.Y, t.Targets)
	s.LowerDual = resize(s.LowerDual, t.Targets)
	s.UpperDual = resize(s.UpperDual, t.Targets)
	s.Slack = resize(s.Slack, t.Potentials)
	s.SlackDual = resize(s.SlackDual, t.Potentials)
	s.Dual = resize(s.Dual, t.Rows())
}

func resize(x []float64, n int) []float64 { return slices.Grow(x[:0], n)[:n] }
