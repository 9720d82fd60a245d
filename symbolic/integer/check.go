package integer

import (
	"fmt"
	"math"
	"slices"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Leaf is an end of the search of a component: a part of {0, 1}^I in which nothing is
// better than Bound.
type Leaf struct {
	// Path fixes targets of the component, in the order of the branches.
	Path []Fixed
	// Bound is the least value in the part; +Inf where it has no point.
	Bound float64
	// Dual are multipliers of the component's rows whose dual value is Bound or, where
	// that is +Inf, a Farkas proof; nil where the hard rows show it by propagation, and
	// where nothing is known.
	Dual []float64
}

// Fixed is a target, counted within its component, with its value.
type Fixed struct {
	Target int
	One    bool
}

func newLeaf(n *node, bound float64, warm *infer.Warm) Leaf {
	l := Leaf{Bound: bound}
	for ; n.parent != nil; n = n.parent {
		l.Path = append(l.Path, Fixed{n.last, n.states[n.last] == one})
	}
	slices.Reverse(l.Path)
	if warm != nil && !math.IsInf(bound, -1) {
		l.Dual = warm.Dual
	}
	return l
}

// Check verifies the proof of component c: its leaves cover all values of the integer targets,
// and the bound of each leaf holds. It uses only the instance, weak duality and a plain
// propagation that does not share code with the search. It returns the least bound.
func Check(in *lcqp.Instance, targets []int, c int, leaves []Leaf) (bound float64, err error) {
	part, err := in.Cut(in.Components[c].Targets, in.Components[c].Rows)
	if err != nil {
		return 0, err
	}
	all, err := chosen(in, targets)
	if err != nil {
		return 0, err
	}
	integer := make([]bool, part.Targets)
	for k, i := range in.Components[c].Targets {
		integer[k] = all[i]
	}
	if err := covered(leaves, 0, integer); err != nil {
		return 0, err
	}
	bound = math.Inf(1)
	for n := range leaves {
		l := &leaves[n]
		b, err := verify(part, integer, l)
		if err != nil {
			return 0, fmt.Errorf("integer: leaf %d: %w", n, err)
		}
		if b != l.Bound && !(b >= l.Bound-1e-9*(1+math.Abs(l.Bound))) {
			return 0, fmt.Errorf("integer: leaf %d: the bound is %v, not %v", n, b, l.Bound)
		}
		bound = min(bound, b)
	}
	return bound, nil
}

// covered reports whether leaves that agree in the first depth steps leave nothing out:
// there is one that ends here, or all go on with the same target and both values.
func covered(leaves []Leaf, depth int, integer []bool) error {
	if len(leaves) == 1 && len(leaves[0].Path) == depth {
		return nil
	}
	var sides [2][]Leaf
	for _, l := range leaves {
		if len(l.Path) <= depth || l.Path[depth].Target != leaves[0].Path[depth].Target {
			return fmt.Errorf("integer: leaves do not branch alike at depth %d", depth)
		}
		side := 0
		if l.Path[depth].One {
			side = 1
		}
		sides[side] = append(sides[side], l)
	}
	if len(sides[0]) == 0 || len(sides[1]) == 0 {
		return fmt.Errorf("integer: a branch at depth %d is missing", depth)
	}
	if i := leaves[0].Path[depth].Target; i < 0 || i >= len(integer) || !integer[i] {
		return fmt.Errorf("integer: a branch at depth %d on target %d, which is not integer", depth, i)
	}
	for _, side := range sides {
		if err := covered(side, depth+1, integer); err != nil {
			return err
		}
	}
	return nil
}

// verify returns the bound of a leaf, found again.
func verify(in *lcqp.Instance, integer []bool, l *Leaf) (float64, error) {
	box := *in
	box.Lower, box.Upper = slices.Clone(in.Lower), slices.Clone(in.Upper)
	for _, f := range l.Path {
		v := 0.0
		if f.One {
			v = 1
		}
		if v < box.Lower[f.Target] || v > box.Upper[f.Target] {
			return math.Inf(1), nil
		}
		box.Lower[f.Target], box.Upper[f.Target] = v, v
	}
	for changed := true; changed; {
		changed = false
		for k := range box.Constraints {
			for sign := 1.0; sign >= -1; sign -= 2 {
				if sign < 0 && box.Kinds[k] != lcqp.HardEQ {
					continue
				}
				c, possible := tighten(&box, integer, k, sign)
				if !possible {
					return math.Inf(1), nil
				}
				changed = changed || c
			}
		}
	}
	if len(l.Dual) < box.Rows() {
		return math.Inf(-1), nil
	}
	var sol lcqp.Solution
	sol.Resize(box.Template)
	clear(sol.Y)
	clear(sol.Slack)
	copy(sol.Dual, l.Dual)
	proof := infer.Certificate{}
	for k, mu := range l.Dual {
		if mu < 0 && box.Kinds[k] != lcqp.HardEQ {
			return 0, fmt.Errorf("multiplier %v of row %d", mu, k)
		}
		if mu != 0 {
			proof.Rows, proof.Mu = append(proof.Rows, int32(k)), append(proof.Mu, mu)
		}
	}
	if math.IsInf(l.Bound, 1) {
		if !(proof.Margin(&box) > 0) {
			return 0, fmt.Errorf("its proof of infeasibility is wrong")
		}
		return l.Bound, nil
	}
	_, dual := box.Value(&sol)
	return dual, nil
}

// tighten fixes integer targets that sign·(a_k·y + b_k) ≤ 0 leaves no choice.
func tighten(box *lcqp.Instance, integer []bool, k int, sign float64) (changed, possible bool) {
	least := func() float64 {
		v := sign * box.B[k]
		for j := box.Ptr[k]; j < box.Ptr[k+1]; j++ {
			i, a := box.Col[j], sign*box.Val[j]
			v += min(a*box.Lower[i], a*box.Upper[i])
		}
		return v
	}
	if least() > slackness {
		return false, false
	}
	for j := box.Ptr[k]; j < box.Ptr[k+1]; j++ {
		i := box.Col[j]
		if !integer[i] || box.Lower[i] >= box.Upper[i] {
			continue
		}
		for v := 0.0; v <= 1; v++ {
			box.Lower[i], box.Upper[i] = v, v
			if least() > slackness {
				box.Lower[i], box.Upper[i] = 1-v, 1-v
				changed = true
				break
			}
			box.Lower[i], box.Upper[i] = 0, 1
		}
	}
	return changed, true
}
