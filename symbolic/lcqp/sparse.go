package lcqp

import (
	"fmt"
	"math"

	"hinge/symbolic/hlmrf"
)

// Sparse is a program given as numbers, for callers without rules: row k is
// a_k·y + b_k with a_k = Val[Ptr[k]:Ptr[k+1]] at the columns Col, which increase
// within a row, and has one of the four kinds. The hard rows come first.
type Sparse struct {
	// Targets is n_y, the number of unknowns y.
	Targets int
	// Ptr, Col, Val are A by row; len(Ptr) = rows + 1, and nil will do where there is no row.
	Ptr, Col []int32
	Val      []float64
	// B is b and Kinds the kind, one per row.
	B     []float64
	Kinds []Kind
	// Weights holds w ≥ 0, one per potential: Weights[k] is the weight of row q + k, where q
	// is the number of hard rows.
	Weights []float64
}

// Append adds the row a·y + b of a kind, where a has the coefficients val in the columns col,
// which increase. It copies them.
func (s *Sparse) Append(kind Kind, col []int32, val []float64, b float64) {
	if len(s.Ptr) == 0 {
		s.Ptr = append(s.Ptr, 0)
	}
	s.Col, s.Val = append(s.Col, col...), append(s.Val, val...)
	s.Ptr = append(s.Ptr, int32(len(s.Col)))
	s.B, s.Kinds = append(s.B, b), append(s.Kinds, kind)
}

// NewInstance compiles the rows and returns an instance of the template.
func (s *Sparse) NewInstance(epsilon float64) (*Instance, error) {
	t, err := s.Compile()
	if err != nil {
		return nil, err
	}
	return t.NewInstance(epsilon)
}

// Compile turns the rows into a template, which then owns their storage. Every potential is a
// rule of its own, so that Instance.Weights and Incompatibility have one entry a potential.
// The error names the row that is at fault, a potential by its place among potentials.
func (s *Sparse) Compile() (*Template, error) {
	n := len(s.Kinds)
	if n == 0 && s.Ptr == nil {
		s.Ptr = []int32{0}
	}
	q := 0
	for q < n && s.Kinds[q] <= HardEQ {
		q++
	}
	switch {
	case s.Targets < 0 || s.Targets > math.MaxInt32:
		return nil, fmt.Errorf("lcqp: %d targets", s.Targets)
	case len(s.Ptr) != n+1 || len(s.B) != n:
		return nil, fmt.Errorf("lcqp: %d kinds, %d row pointers and %d constants; want n, n + 1 and n", n, len(s.Ptr), len(s.B))
	case len(s.Weights) != n-q:
		return nil, fmt.Errorf("lcqp: %d weights for %d potentials", len(s.Weights), n-q)
	case s.Ptr[0] != 0 || int(s.Ptr[n]) != len(s.Col) || len(s.Col) != len(s.Val):
		return nil, fmt.Errorf("lcqp: row pointers from %d to %d for %d columns and %d coefficients", s.Ptr[0], s.Ptr[n], len(s.Col), len(s.Val))
	}
	for k := range n {
		if s.Ptr[k+1] < s.Ptr[k] || int(s.Ptr[k+1]) > len(s.Col) {
			return nil, fmt.Errorf("lcqp: row %d ends at %d, before it begins or behind the last coefficient", k, s.Ptr[k+1])
		}
		if k >= q && s.Kinds[k] != Linear && s.Kinds[k] != Square {
			return nil, fmt.Errorf("lcqp: row %d of kind %d after potentials; hard rows come first", k, s.Kinds[k])
		}
	}
	p := &hlmrf.Program{
		Targets: make([]string, s.Targets), Rules: make([]hlmrf.Rule, n-q),
		PotentialRule: make([]int32, n-q), ConstraintRule: make([]int32, q), Relations: make([]hlmrf.Relation, q),
	}
	for i := range p.Targets {
		p.Targets[i] = fmt.Sprintf("y%d", i)
	}
	if q > 0 {
		p.HardRules = []hlmrf.Rule{{}}
	}
	for k, kind := range s.Kinds[:q] {
		if kind == HardEQ {
			p.Relations[k] = hlmrf.Equal
		}
	}
	for k, kind := range s.Kinds[q:] {
		p.PotentialRule[k] = int32(k)
		p.Rules[k] = hlmrf.Rule{Weight: s.Weights[k], Squared: kind == Square}
	}
	p.SetRows(hlmrf.Rows{Ptr: s.Ptr, Col: s.Col, Val: s.Val, DeepPtr: make([]int32, n+1), Const: s.B}, q)
	return Compile(p)
}
