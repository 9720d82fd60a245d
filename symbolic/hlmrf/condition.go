package hlmrf

import (
	"errors"
	"fmt"
	"math"
)

// Conditional is a program given the values of some of its targets.
type Conditional struct {
	// Program has the free targets, in the order they had, and the rows that can still
	// matter. It has all neural outputs and rules of the whole program.
	Program *Program
	// Free are the indices of its targets in the whole program.
	Free []int
}

// idle is the largest value of a row over the box at which it counts as never
// positive. It is not 0, because sums of coefficients are rounded.
const idle = 1e-9

// ErrContrary reports labels that contradict a constraint.
var ErrContrary = errors.New("hlmrf: the labels contradict a constraint")

// Condition returns the program given labels: label[i] is the value of target i,
// or NaN where it stays free. For all free targets in [0,1] and all neural
// outputs in [0,1] it has the energy of the whole program, and a point is feasible
// in both or in neither: labels become constants, and rows that are then never
// positive, most of them in latent inference, are gone.
//
// It is an error when a label is outside [0,1], the number of labels is not the number of
// targets, or a constraint cannot hold whatever the free targets and the outputs
// are; then it is ErrContrary and names the rule.
func (p *Program) Condition(label []float64) (*Conditional, error) {
	if len(label) != len(p.Targets) {
		return nil, fmt.Errorf("hlmrf: %d labels for %d targets", len(label), len(p.Targets))
	}
	c := &Conditional{Program: &Program{Deep: p.Deep, Rules: p.Rules, HardRules: p.HardRules}}
	q := c.Program
	place := make([]int32, len(label))
	for i, v := range label {
		if !math.IsNaN(v) {
			if !(v >= 0 && v <= 1) {
				return nil, fmt.Errorf("hlmrf: label %v of target %s is outside [0,1]", v, p.Targets[i])
			}
			continue
		}
		place[i] = int32(len(c.Free))
		c.Free = append(c.Free, i)
		q.Targets = append(q.Targets, p.Targets[i])
	}
	var r conditioned
	for k := range p.Constraints.Len() {
		r.of(&p.Constraints, k, label, place)
		relation, rule := p.Relations[k], p.ConstraintRule[k]
		if r.low > idle || relation == Equal && r.up < -idle {
			return nil, fmt.Errorf("%w: constraint %d (%s): its left side is in [%v, %v], not %s 0",
				ErrContrary, k, p.HardRules[rule].Text, r.low, r.up, relation)
		}
		if r.up <= idle && (relation == LessEqual || r.low >= -idle) {
			continue
		}
		q.AddConstraint(relation, rule, r.col, r.val, r.deepCol, r.deepVal, r.constant)
	}
	for k := range p.Potentials.Len() {
		r.of(&p.Potentials, k, label, place)
		if r.up <= idle {
			continue
		}
		q.AddPotential(p.PotentialRule[k], r.col, r.val, r.deepCol, r.deepVal, r.constant)
	}
	return c, nil
}

// conditioned is a row without the labelled targets, and its range over the box.
type conditioned struct {
	col, deepCol []int32
	val, deepVal []float64
	constant     float64
	low, up      float64
}

func (r *conditioned) of(rows *Rows, k int, label []float64, place []int32) {
	r.col, r.val, r.constant = r.col[:0], r.val[:0], rows.Const[k]
	col, val := rows.Row(k)
	for j, i := range col {
		if v := label[i]; !math.IsNaN(v) {
			r.constant += val[j] * v
		} else {
			r.col, r.val = append(r.col, place[i]), append(r.val, val[j])
		}
	}
	r.deepCol, r.deepVal = rows.DeepRow(k)
	r.low, r.up = r.constant, r.constant
	for _, part := range [...][]float64{r.val, r.deepVal} {
		for _, a := range part {
			r.low += min(a, 0)
			r.up += max(a, 0)
		}
	}
}
