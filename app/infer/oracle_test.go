package infer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hinge/symbolic/infer"
)

// groundTerm is a ground rule by definition: weight·max(0, value)^p, or a constraint.
type groundTerm struct {
	rule   *drawnRule
	coef   []float64 // by target
	offset float64
	equal  bool
}

// bindings calls yield with every assignment of constants to the variables of a rule.
func (d *drawn) bindings(atoms []drawnLiteral, yield func(bind map[string]string)) {
	var vars []string
	for _, a := range atoms {
		for _, v := range a.args {
			if v[0] != '\'' && !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
	}
	bind := map[string]string{}
	var rec func(i int)
	rec = func(i int) {
		if i == len(vars) {
			yield(bind)
			return
		}
		for _, c := range d.constants {
			bind[vars[i]] = c
			rec(i + 1)
		}
	}
	rec(0)
}

func (a *drawnAtom) ground(bind map[string]string) string {
	args := make([]string, len(a.args))
	for i, v := range a.args {
		if v[0] == '\'' {
			args[i] = v[1 : len(v)-1]
		} else {
			args[i] = bind[v]
		}
	}
	return a.pred + "(" + strings.Join(args, ", ") + ")"
}

// terms are the ground rules of a rule.
func (d *drawn) terms(r *drawnRule) (list []groundTerm) {
	if r.sum != nil {
		d.bindings(r.sum, func(bind map[string]string) { list = append(list, d.sumTerm(r, bind)...) })
		return list
	}
	all := append(slices.Clone(r.body), r.head...)
	d.bindings(all, func(bind map[string]string) {
		if r.differ && bind["A"] == bind["B"] {
			return
		}
		// The clause forbids the body and the negated head.
		var forbidden []drawnLiteral
		seen := map[string]bool{}
		for i, l := range all {
			l.negated = l.negated != (i >= len(r.body))
			if text := fmt.Sprint(l.negated, l.drawnAtom); !seen[text] { // a literal counts once
				seen[text] = true
				forbidden = append(forbidden, l)
			}
		}
		g := groundTerm{rule: r, coef: make([]float64, len(d.targets)), offset: 1}
		signs := map[int]float64{}
		hasTarget := false
		for _, l := range forbidden {
			atom := l.ground(bind)
			sign := 1.0
			if l.negated {
				sign = -1
			}
			if i := slices.Index(d.targets, atom); i >= 0 {
				hasTarget = true
				if signs[i] == -sign {
					return // an atom and its negation
				}
				signs[i] = sign
				g.coef[i] += sign
			} else {
				v := d.observed[atom]
				if l.negated && v >= 1-1e-4 || !l.negated && v <= 1e-4 {
					return // satisfied
				}
				g.offset += sign * v
			}
			if !l.negated {
				g.offset--
			}
		}
		if hasTarget {
			list = append(list, g)
		}
	})
	return list
}

// sumTerm is a ground rule of a sum; an equality of a soft rule is two.
func (d *drawn) sumTerm(r *drawnRule, bind map[string]string) []groundTerm {
	g := groundTerm{rule: r, coef: make([]float64, len(d.targets)), offset: -r.bound}
	sign := map[int]float64{}
	hasTarget, opposed := false, false
	for _, l := range r.sum {
		atom := l.ground(bind)
		if i := slices.Index(d.targets, atom); i >= 0 {
			s := 0.0
			if l.coef != 0 {
				s = math.Copysign(1, l.coef)
			}
			if before, ok := sign[i]; ok && before != s {
				opposed = true
			}
			hasTarget, sign[i] = true, s
			g.coef[i] += l.coef
			continue
		}
		v, ok := d.observed[atom]
		if !ok {
			return nil // every atom of a sum must be there
		}
		g.offset += l.coef * v
	}
	if !hasTarget || opposed && !r.hard {
		return nil
	}
	negative := groundTerm{rule: r, coef: make([]float64, len(d.targets)), offset: -g.offset}
	for i, a := range g.coef {
		negative.coef[i] = -a
	}
	switch {
	case r.rel == "<=":
		return []groundTerm{g}
	case r.rel == ">=":
		return []groundTerm{negative}
	case r.hard:
		g.equal = true
		return []groundTerm{g}
	}
	return []groundTerm{g, negative}
}

// at is the value of the term before max(0, ·).
func (g *groundTerm) at(y []float64) float64 {
	v := g.offset
	for i, a := range g.coef {
		v += a * y[i]
	}
	return v
}

// oracleValue returns energy and largest violation of a point.
func oracleValue(all []groundTerm, y []float64) (energy, violation float64) {
	for i := range all {
		g := &all[i]
		v := g.at(y)
		switch {
		case g.rule.hard && g.equal:
			violation = max(violation, math.Abs(v))
		case g.rule.hard:
			violation = max(violation, v)
		case v <= 0:
		case g.rule.squared:
			energy += g.rule.weight * v * v
		default:
			energy += g.rule.weight * v
		}
	}
	return energy, violation
}

// bruteForce compares with the best feasible point of a grid. The regularised value of
// a point is at most its energy, ε for each target and ε·v² for each row.
func (d *drawn) bruteForce(s *solution, all []groundTerm) string {
	n := len(d.targets)
	steps := []int{0, 100, 20, 8, 4}
	if n >= len(steps) {
		return ""
	}
	y := make([]float64, n)
	best := math.Inf(1)
	var rec func(i int)
	rec = func(i int) {
		if i < n {
			for k := range steps[n] + 1 {
				y[i] = float64(k) / float64(steps[n])
				rec(i + 1)
			}
			return
		}
		energy, violation := oracleValue(all, y)
		if violation > 1e-9 {
			return
		}
		slack := 0.0
		for g := range all {
			if v := max(all[g].at(y), 0); !all[g].rule.hard {
				slack += v * v
			}
		}
		for _, v := range y {
			slack += v * v
		}
		best = min(best, energy+1e-3*slack)
	}
	rec(0)
	switch {
	case s.Status == infer.Infeasible && !math.IsInf(best, 1):
		return fmt.Sprintf("infeasible, but a point has %v", best)
	case s.Status != infer.Infeasible && s.PrimalValue > best+1e-7:
		return fmt.Sprintf("the optimum is %v, a point has %v", s.PrimalValue, best)
	}
	return ""
}
