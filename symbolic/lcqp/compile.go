package lcqp

import (
	"errors"
	"math"
	"slices"

	"hinge/symbolic/hlmrf"
)

// Compile turns a ground program into a template: rows in the order
// constraints, potentials; explicit zero coefficients dropped; connected
// components found by union–find over the targets. Neural outputs and observed
// atoms do not connect targets, as they are not decision variables.
//
// The program is kept, since Residuals reads it, and must not change afterwards. Compile
// returns the error of hlmrf.Program.Check, or an error if the program is too big for 32-bit
// columns.
func Compile(p *hlmrf.Program) (*Template, error) {
	if p == nil {
		return nil, errors.New("lcqp: no program")
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	q, m := p.Constraints.Len(), p.Potentials.Len()
	if max(len(p.Targets), len(p.Deep), q+m, entries(&p.Constraints)+entries(&p.Potentials)) > math.MaxInt32 {
		return nil, errors.New("lcqp: more than 2³¹ − 1 targets, neural outputs, rows or coefficients")
	}
	t := &Template{
		Targets: len(p.Targets), Deep: len(p.Deep), Rules: len(p.Rules),
		Constraints: q, Potentials: m, program: p,
		Kinds: make([]Kind, q+m), RuleOf: make([]int32, q+m),
	}
	for i, r := range p.Relations {
		t.Kinds[i], t.RuleOf[i] = HardLE, -1
		if r == hlmrf.Equal {
			t.Kinds[i] = HardEQ
		}
	}
	for k, r := range p.PotentialRule {
		t.Kinds[q+k], t.RuleOf[q+k] = Linear, r
		if p.Rules[r].Squared {
			t.Kinds[q+k] = Square
		}
	}
	if rows, ok := p.AllRows(); ok && !slices.Contains(rows.Val, 0) && !slices.Contains(rows.DeepVal, 0) {
		t.Ptr, t.Col, t.Val = rows.Ptr, rows.Col, rows.Val
		t.DeepPtr, t.DeepCol, t.DeepVal = rows.DeepPtr, rows.DeepCol, rows.DeepVal
		t.B0 = rows.Const
	} else {
		t.copyRows(p)
	}
	t.connect()
	return t, nil
}

// Program returns the ground program the template was compiled from.
func (t *Template) Program() *hlmrf.Program { return t.program }

// Rows returns q + m, the number of rows.
func (t *Template) Rows() int { return t.Constraints + t.Potentials }

// entries counts the coefficients of the rows, on targets or neural outputs,
// whichever are more.
func entries(r *hlmrf.Rows) int {
	n := r.Len()
	if n == 0 {
		return 0
	}
	return max(int(r.Ptr[n]-r.Ptr[0]), int(r.DeepPtr[n]-r.DeepPtr[0]))
}

// copyRows copies the rows without explicit zeros.
func (t *Template) copyRows(p *hlmrf.Program) {
	n := t.Rows()
	t.Ptr, t.DeepPtr, t.B0 = make([]int32, 1, n+1), make([]int32, 1, n+1), make([]float64, 0, n)
	for _, rows := range [...]*hlmrf.Rows{&p.Constraints, &p.Potentials} {
		for k := range rows.Len() {
			t.Col, t.Val = appendNonZero(t.Col, t.Val, rows.Row, k)
			t.DeepCol, t.DeepVal = appendNonZero(t.DeepCol, t.DeepVal, rows.DeepRow, k)
			t.Ptr = append(t.Ptr, int32(len(t.Col)))
			t.DeepPtr = append(t.DeepPtr, int32(len(t.DeepCol)))
			t.B0 = append(t.B0, rows.Const[k])
		}
	}
}

func appendNonZero(col []int32, val []float64, row func(int) ([]int32, []float64), k int) ([]int32, []float64) {
	c, v := row(k)
	for j, a := range v {
		if a != 0 {
			col = append(col, c[j])
			val = append(val, a)
		}
	}
	return col, val
}

// connect finds the connected components by union–find with path halving; the least target
// represents each set (paper, appendix on dual BCD).
func (t *Template) connect() {
	parent := make([]int32, t.Targets)
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for k := range t.Rows() {
		cols := t.Col[t.Ptr[k]:t.Ptr[k+1]]
		for _, c := range cols[min(1, len(cols)):] {
			a, b := find(cols[0]), find(c)
			parent[max(a, b)] = min(a, b)
		}
	}
	ofTarget, ofRow, n := parent, make([]int32, t.Rows()), int32(0)
	for i := range ofTarget { // parents are numbered before their children
		if p := parent[i]; int(p) == i {
			ofTarget[i] = n
			n++
		} else {
			ofTarget[i] = ofTarget[p]
		}
	}
	constants := false
	for k := range ofRow {
		if t.Ptr[k] == t.Ptr[k+1] {
			ofRow[k], constants = n, true
		} else {
			ofRow[k] = ofTarget[t.Col[t.Ptr[k]]]
		}
	}
	if constants {
		n++
	}
	var targets, rows [][]int32
	targets, t.Local = members(ofTarget, n)
	rows, t.RowLocal = members(ofRow, n)
	t.Components = make([]Component, n)
	for c := range t.Components {
		t.Components[c] = Component{targets[c], rows[c]}
	}
}

// members lists the members of each of n sets, in increasing order and in one array, and returns the
// place of each member in its list. of is the set of each.
func members(of []int32, n int32) (lists [][]int32, place []int32) {
	count := make([]int32, n)
	for _, c := range of {
		count[c]++
	}
	store := make([]int32, len(of))
	for _, size := range count {
		lists, store = append(lists, store[:0:size]), store[size:]
	}
	place = make([]int32, len(of))
	for i, c := range of {
		place[i] = int32(len(lists[c]))
		lists[c] = append(lists[c], int32(i))
	}
	return lists, place
}

// Grounded returns the weighted rules that have a ground rule in any of the templates, which have
// the same rules: the weights of the others cannot matter. Where no rule has one, it returns all.
func Grounded(t *Template, more ...*Template) (rules []int) {
	has := make([]bool, t.Rules)
	for _, t := range append(more[:len(more):len(more)], t) {
		for _, r := range t.RuleOf[t.Constraints:] {
			has[r] = true
		}
	}
	for r := range has {
		if has[r] || !slices.Contains(has, true) {
			rules = append(rules, r)
		}
	}
	return rules
}
