package infer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"hinge/symbolic/lcqp"
)

// ComponentResult is the outcome of one connected component.
type ComponentResult struct {
	Status Status
	// Primal and Dual are the regularised values, Violation the largest
	// violation of a hard constraint.
	Primal, Dual, Violation float64
	// Energy is the raw energy of the component's potentials.
	Energy float64
	Stats  Stats
	// Choice is what Auto has begun with, zero of other methods.
	Choice Choice

	certificate *Certificate
}

// Gap returns |Primal − Dual| of the component.
func (c *ComponentResult) Gap() float64 { return math.Abs(c.Primal - c.Dual) }

// Result is the outcome of a solve. A Result that is passed again reuses its
// storage, so that solving the same template again and again allocates next to
// nothing; the previous contents are overwritten.
type Result struct {
	// Solution is the primal–dual pair. On an infeasible instance the
	// components that are feasible are still solved.
	lcqp.Solution
	// Status is the worst status of the components.
	Status Status
	// PrimalValue and DualValue are the regularised values, summed over components:
	// V, or M with a proximal term, when solved.
	PrimalValue, DualValue float64
	// Energy is the raw energy w·Φ(y) of the point: no ε, no proximal term.
	Energy float64
	// TotalGap is the sum and MaxComponentGap the largest of the components'
	// gaps; MaxViolation is the largest violation of a hard constraint.
	TotalGap, MaxComponentGap, MaxViolation float64
	// Components are in the order of the template's components.
	Components []ComponentResult
	// Stats is the work done, all components together.
	Stats Stats
	// Certificate proves infeasibility; nil unless Status is Infeasible.
	Certificate *Certificate
	// Runtime is the wall time of the call that filled the result; the results
	// of one SolveAll share it.
	Runtime time.Duration

	instance *lcqp.Instance
}

// Err returns nil when the result can be used as an optimum and else an error
// that tells why not: an *InfeasibleError, or a plain error with the status.
func (r *Result) Err() error {
	switch {
	case r.Status.OK():
		return nil
	case r.Status == Infeasible:
		return &InfeasibleError{Certificate: r.Certificate, instance: r.instance}
	}
	return fmt.Errorf("infer: %s (gap %.3g, violation %.3g)", r.Status, r.MaxComponentGap, r.MaxViolation)
}

// Warm is the state that makes the next solve of a similar instance of the
// same template cheap, see the package comment. It is a plain value: save it, serialise it; a copy
// shares its slices, which SaveWarm overwrites. The zero value and nil mean a cold start. Multipliers
// that are not valid for the new instance are corrected, never trusted; numbers that are not finite,
// and other lengths, are an error.
type Warm struct {
	// Dual is μ, one per row of the template.
	Dual []float64 `json:"dual,omitempty"`
	// Y is the primal point, for the methods that start from one.
	Y []float64 `json:"y,omitempty"`
}

// SaveWarm copies the state of the result into w, reusing its storage.
func (r *Result) SaveWarm(w *Warm) {
	w.Dual = append(w.Dual[:0], r.Dual...)
	w.Y = append(w.Y[:0], r.Y...)
}

// InfeasibleError says which hard constraints contradict each other.
type InfeasibleError struct {
	// Certificate is the proof.
	Certificate *Certificate
	// Targets names the targets in place of the program, which may be that of several examples.
	Targets  func(i int32) string
	instance *lcqp.Instance
}

// mostRows bounds the rows of the programs that Irreducible solves, all together.
const mostRows = 1 << 16

// Irreducible returns rows of a proof that no point of the box satisfies, though some point satisfies
// all but any one of them. It leaves rows out, solves what remains, and goes on with the rows of that
// proof. Where the rows that are needed are more than about 180 it ends early, after a second or so,
// with rows that contradict each other too, but of which some may not be needed.
func Irreducible(in *lcqp.Instance, c *Certificate) []int32 {
	most := mostRows
	return lcqp.Irreducible(c.Rows, func(rest []int32) []int32 {
		if most -= len(rest); most < 0 {
			return nil
		}
		var targets []int32
		for _, row := range rest {
			targets = append(targets, in.Col[in.Ptr[row]:in.Ptr[row+1]]...)
		}
		slices.Sort(targets)
		targets = slices.Compact(targets)
		part, err := in.Cut(targets, rest)
		if err != nil {
			return nil
		}
		part.Epsilon = 1 // of hard rows alone the values do not matter
		part.ClearProx()
		var r Result
		if err := Solve(part, nil, Settings{Workers: 1}, &r); err != nil || r.Status != Infeasible || !(r.Certificate.Margin(part) > 0) {
			return nil
		}
		var less []int32
		for _, k := range r.Certificate.Rows {
			less = append(less, rest[k])
		}
		return less
	})
}

// Error names up to five of the rows that contradict each other, none of them without need (Irreducible), by
// their rules and first one of each rule, and the targets that they are about, with the values of those that are fixed.
// It reads the instance that was solved, so it has to be called before that is edited.
func (e *InfeasibleError) Error() string {
	in, p := e.instance, e.instance.Program()
	name := e.Targets
	if name == nil {
		name = func(i int32) string { return p.Targets[i] }
	}
	var rows, about []string
	var first, further []int32
	known := map[int32]bool{}
	for _, row := range Irreducible(in, e.Certificate) {
		if rule := p.ConstraintRule[row]; known[rule] {
			further = append(further, row)
		} else {
			known[rule], first = true, append(first, row)
		}
	}
	all := append(first, further...)
	named := all[:min(5, len(all))]
	for _, row := range named {
		rule, text := p.HardRules[p.ConstraintRule[row]], fmt.Sprintf("row %d", row)
		if rule.Source != "" {
			text += " of " + rule.Source
		}
		if rule.Text != "" {
			text += " (" + rule.Text + ")"
		}
		rows = append(rows, text)
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			i := in.Col[j]
			text := name(i)
			if text == "" || in.Val[j] == 0 {
				continue
			}
			if in.Lower[i] == in.Upper[i] {
				text += fmt.Sprintf(" = %v", in.Lower[i])
			}
			if !slices.Contains(about, text) {
				about = append(about, text)
			}
		}
	}
	text := "infer: infeasible hard constraints: " + strings.Join(rows, ", ")
	if more := len(all) - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(about) > 0 {
		text += "; they are about " + strings.Join(about, ", ")
	}
	return text
}
