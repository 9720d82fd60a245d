package hlmrf

import (
	"fmt"
	"math"
)

// Relation is the sense of a hard constraint.
type Relation uint8

const (
	// LessEqual is a·y + d·g + k ≤ 0.
	LessEqual Relation = iota
	// Equal is a·y + d·g + k = 0.
	Equal
)

// String returns "<=" or "=".
func (r Relation) String() string {
	if r == Equal {
		return "="
	}
	return "<="
}

// Rule is one first-order rule: the owner of a weight (weighted rules) or the
// origin of constraints (hard rules).
type Rule struct {
	// Text is the rule as written, Source its place as file:line:col. Both are
	// only for messages and may be empty.
	Text, Source string
	// Weight is the rule's symbolic weight w_r ≥ 0; unused for hard rules.
	Weight float64
	// Squared tells p = 2 from p = 1 in the potential max(0, ·)^p; unused for
	// hard rules.
	Squared bool
}

// Program is a ground deep hinge-loss Markov random field (paper,
// Definition 5.1). With targets y ∈ [0,1]^n and neural outputs g,
//
//	E(y, g; w) = Σ_k w_{r(k)} · max(0, Potentials_k(y, g))^{p_{r(k)}}
//	Ω(g)       = { y ∈ [0,1]^n : Constraints_i(y, g) ≤ 0 or = 0 }.
//
// Observed atoms x_sy are constants of the rows. A Program is plain data; it
// may be read by many goroutines at once once it is built.
type Program struct {
	// Targets names the target atoms y, Deep the neural outputs g; the index
	// in the slice is the column used by the rows.
	Targets, Deep []string
	// Rules are the weighted rules in the order of w_sy, HardRules the others.
	Rules, HardRules []Rule
	// Potentials holds one row a ground potential, PotentialRule its rule.
	Potentials    Rows
	PotentialRule []int32
	// Constraints holds one row a ground constraint, with its sense and rule.
	Constraints    Rows
	ConstraintRule []int32
	Relations      []Relation

	all *Rows // see SetRows
}

// SetRows makes the first q rows of all the constraints and the other rows the potentials.
// They share the storage of all, which belongs to the program from then on and which package
// lcqp can use as it is; a program of many rows then exists only once in memory. Rules and
// relations are set separately.
func (p *Program) SetRows(all Rows, q int) {
	p.all = &all
	p.Constraints, p.Potentials = all.slice(0, q), all.slice(q, all.Len())
}

// AllRows returns the constraints followed by the potentials in one list, if
// that exists: after SetRows, unless rows were changed since, and where there
// are only potentials. It must not be changed.
func (p *Program) AllRows() (Rows, bool) {
	q, m := p.Constraints.Len(), p.Potentials.Len()
	switch {
	case q == 0 && m > 0 && p.Potentials.Ptr[0] == 0 && p.Potentials.DeepPtr[0] == 0:
		return p.Potentials, true
	case p.all != nil && q+m > 0 && q+m == p.all.Len() && p.Constraints.shares(p.all.slice(0, q)) && p.Potentials.shares(p.all.slice(q, q+m)):
		return *p.all, true
	}
	return Rows{}, false
}

// AddPotential adds a potential of a rule, max(0, a·y + d·g + k) to the rule's power, with the
// target part a and the neural part d as in Rows.Append.
func (p *Program) AddPotential(rule int32, col []int32, val []float64, deepCol []int32, deepVal []float64, k float64) {
	p.Potentials.Append(col, val, deepCol, deepVal, k)
	p.PotentialRule = append(p.PotentialRule, rule)
}

// AddConstraint adds the constraint a·y + d·g + k ≤ 0 or = 0 of a hard rule, as AddPotential does.
func (p *Program) AddConstraint(relation Relation, rule int32, col []int32, val []float64, deepCol []int32, deepVal []float64, k float64) {
	p.Constraints.Append(col, val, deepCol, deepVal, k)
	p.Relations, p.ConstraintRule = append(p.Relations, relation), append(p.ConstraintRule, rule)
}

// RowAt returns the rule of row k, the rows that hold it, and its number among those. k counts the constraints and
// then the potentials.
func (p *Program) RowAt(k int) (rule *Rule, rows *Rows, at int) {
	if q := p.Constraints.Len(); k >= q {
		return &p.Rules[p.PotentialRule[k-q]], &p.Potentials, k - q
	}
	return &p.HardRules[p.ConstraintRule[k]], &p.Constraints, k
}

// Weights returns a copy of the symbolic weights w_sy in rule order.
func (p *Program) Weights() []float64 {
	w := make([]float64, len(p.Rules))
	for i, r := range p.Rules {
		w[i] = r.Weight
	}
	return w
}

// Energy returns E(y, g; w) without any regularisation. A nil w means the
// rules' own weights. Slice lengths are len(Targets), len(Deep), len(Rules).
func (p *Program) Energy(y, g, w []float64) float64 {
	phi := make([]float64, len(p.Rules))
	p.Incompatibility(y, g, phi)
	e := 0.0
	for r, v := range phi {
		if w == nil {
			e += p.Rules[r].Weight * v
		} else {
			e += w[r] * v
		}
	}
	return e
}

// Incompatibility writes Φ(y, g) into phi: for each weighted rule the sum of
// its unweighted potentials. len(phi) must be len(Rules).
func (p *Program) Incompatibility(y, g, phi []float64) {
	clear(phi)
	for k := range p.Potentials.Len() {
		v := p.Potentials.At(k, y, g)
		if v <= 0 {
			continue
		}
		r := p.PotentialRule[k]
		if p.Rules[r].Squared {
			v *= v
		}
		phi[r] += v
	}
}

// Violation returns the largest amount by which y breaks a hard constraint or
// leaves the box [0,1]; 0 when y is feasible.
func (p *Program) Violation(y, g []float64) float64 {
	worst := 0.0
	for _, v := range y {
		worst = max(worst, -v, v-1)
	}
	for k := range p.Constraints.Len() {
		worst = max(worst, p.Excess(k, y, g))
	}
	return worst
}

// Excess returns the amount by which y breaks constraint k; it is not above 0 where y keeps it.
func (p *Program) Excess(k int, y, g []float64) float64 {
	v := p.Constraints.At(k, y, g)
	if p.Relations[k] == Equal {
		return math.Abs(v)
	}
	return v
}

// Check reports the first inconsistency of the program: slices of different
// length, a row pointer, column or relation out of range, a number that is not finite, a
// negative weight.
func (p *Program) Check() error {
	if n := p.Potentials.Len(); n != len(p.PotentialRule) {
		return fmt.Errorf("hlmrf: %d potentials but %d rule indices", n, len(p.PotentialRule))
	}
	if n := p.Constraints.Len(); n != len(p.ConstraintRule) || n != len(p.Relations) {
		return fmt.Errorf("hlmrf: %d constraints but %d rule indices and %d relations",
			n, len(p.ConstraintRule), len(p.Relations))
	}
	for i, r := range p.Rules {
		if !(r.Weight >= 0) || math.IsInf(r.Weight, 0) {
			return fmt.Errorf("hlmrf: rule %d (%s): weight %v is not a finite number ≥ 0", i, r.Source, r.Weight)
		}
	}
	for k, r := range p.PotentialRule {
		if r < 0 || int(r) >= len(p.Rules) {
			return fmt.Errorf("hlmrf: potential %d names rule %d of %d", k, r, len(p.Rules))
		}
	}
	for k, r := range p.ConstraintRule {
		if r < 0 || int(r) >= len(p.HardRules) {
			return fmt.Errorf("hlmrf: constraint %d names hard rule %d of %d", k, r, len(p.HardRules))
		}
		if p.Relations[k] > Equal {
			return fmt.Errorf("hlmrf: constraint %d has the relation %d, which is none", k, p.Relations[k])
		}
	}
	if err := p.Potentials.check(len(p.Targets), len(p.Deep)); err != nil {
		return fmt.Errorf("hlmrf: potential %w", err)
	}
	if err := p.Constraints.check(len(p.Targets), len(p.Deep)); err != nil {
		return fmt.Errorf("hlmrf: constraint %w", err)
	}
	return nil
}
