package lines

import (
	"encoding/binary"
	"math"
	"slices"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Program is the part that all programs of a template share. It does not change once made.
type Program struct {
	// Template and Epsilon are those that New was called with.
	Template *lcqp.Template
	Epsilon  float64

	components []component
	used       []int32 // neural outputs that rows have
	// The distinct b₀ + B·g of a component, component after component, as rows of
	// sparse.Larger: that of affine function e begins at ptr[e]. Its bound is the least value at
	// which one of its classes can matter.
	ptr, rows []int32
	terms     []float64
	runs      []run // of functions of as many terms
	// classes of each affine function, rows of each class, and rules of each class.
	classPtr  []int32
	classes   []class
	classRows [][]int32
	rules     []share
}

// component is one component, with the range of its affine functions.
type component struct {
	*problem.Line
	targets  []int32
	from, to int
}

// run is affine functions from ≤ e < to, which have k terms each.
type run struct{ from, to, k int }

// class is the rows of a component with the same coefficient, affine function and kind.
type class struct {
	coef, needed float64 // the class matters where its affine function is larger than needed
	from, to     int32   // of rules
	kind         lcqp.Kind
}

// share is how many rows of a class a rule has.
type share struct {
	rule  int32
	times float64
}

// New returns the program of a template at ε, or false where a component is no line.
func New(t *lcqp.Template, epsilon float64) (*Program, bool) {
	in, err := t.NewInstance(epsilon)
	if err != nil {
		return nil, false
	}
	p := &Program{Template: t, Epsilon: epsilon, ptr: []int32{0}, classPtr: []int32{0}}
	m := maker{Program: p, place: map[int32]int32{}, terms: map[string]int32{}}
	for c := range t.Components {
		line, ok := problem.LineOf(in, c)
		if !ok {
			return nil, false
		}
		from := len(p.ptr) - 1
		m.add(line)
		p.components = append(p.components, component{line, t.Components[c].Targets, from, len(p.ptr) - 1})
	}
	return p, true
}

// maker makes a Program.
type maker struct {
	*Program
	place map[int32]int32  // of neural outputs among those used
	terms map[string]int32 // where numbers begin in Program.terms, in bytes
}

// affine is an affine function with its classes and their rows.
type affine struct {
	problem.LineRow
	classes []class
	rows    [][]int32
}

// add adds the rows of a component. Affine functions of the same length lie together: the
// processor foresees the ends of loops.
func (m *maker) add(line *problem.Line) {
	t := m.Template
	var all []*affine
	known := map[string]*affine{}
	var key []byte
	for _, row := range line.Rows {
		key = binary.LittleEndian.AppendUint64(key[:0], math.Float64bits(row.Constant))
		for j := t.DeepPtr[row.Row]; j < t.DeepPtr[row.Row+1]; j++ {
			key = binary.LittleEndian.AppendUint32(key, uint32(t.DeepCol[j]))
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(t.DeepVal[j]))
		}
		a := known[string(key)]
		if a == nil {
			a = &affine{LineRow: row}
			known[string(key)], all = a, append(all, a)
		}
		kind := t.Kinds[row.Row]
		at := slices.IndexFunc(a.classes, func(c class) bool { return c.coef == row.Coef && c.kind == kind })
		if at < 0 {
			at = len(a.classes)
			a.classes = append(a.classes, class{coef: row.Coef, kind: kind, needed: needed(kind, row.Coef, line)})
			a.rows = append(a.rows, nil)
		}
		a.rows[at] = append(a.rows[at], row.Row)
	}
	length := func(a *affine) int32 { return t.DeepPtr[a.Row+1] - t.DeepPtr[a.Row] }
	slices.SortStableFunc(all, func(a, b *affine) int { return int(length(a) - length(b)) })
	for _, a := range all {
		least := math.Inf(1)
		for i, c := range a.classes {
			least = min(least, c.needed)
			c.from = int32(len(m.rules))
			for _, row := range a.rows[i] {
				rule := t.RuleOf[row]
				if n := len(m.rules); n > int(c.from) && m.rules[n-1].rule == rule {
					m.rules[n-1].times++
				} else if c.kind > lcqp.HardEQ {
					m.rules = append(m.rules, share{rule, 1})
				}
			}
			c.to = int32(len(m.rules))
			m.classes, m.classRows = append(m.classes, c), append(m.classRows, a.rows[i])
		}
		m.classPtr = append(m.classPtr, int32(len(m.classes)))
		m.function(a, least)
	}
}

// function adds an affine function with its bound.
func (m *maker) function(a *affine, least float64) {
	t, e := m.Template, len(m.ptr)-1
	from, to := t.DeepPtr[a.Row], t.DeepPtr[a.Row+1]
	if k := int(to - from); len(m.runs) == 0 || m.runs[len(m.runs)-1].k != k {
		m.runs = append(m.runs, run{e, e, k})
	}
	m.runs[len(m.runs)-1].to++
	numbers := append([]float64{least, a.Constant}, t.DeepVal[from:to]...)
	key := make([]byte, 0, 8*len(numbers))
	for _, v := range numbers {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
	}
	begin, ok := m.terms[string(key)]
	if !ok {
		begin = int32(8 * len(m.Program.terms))
		m.terms[string(key)], m.Program.terms = begin, append(m.Program.terms, numbers...)
	}
	m.rows = append(m.rows, begin)
	for _, i := range t.DeepCol[from:to] {
		place, ok := m.place[i]
		if !ok {
			place = int32(len(m.used))
			m.place[i], m.used = place, append(m.used, i)
		}
		m.rows = append(m.rows, 8*Width*place)
	}
	m.ptr = append(m.ptr, int32(len(m.rows)))
}

// factors returns where the outputs of affine function e are in a Block, in bytes, and their factors.
func (p *Program) factors(e int) (at []int32, factors []float64) {
	row := p.rows[p.ptr[e]:p.ptr[e+1]]
	return row[1:], p.terms[row[0]/8+2:][:len(row)-1]
}

// needed returns the value that the affine function of a row must exceed for the row to
// matter.
func needed(kind lcqp.Kind, coef float64, line *problem.Line) float64 {
	switch {
	case kind <= lcqp.HardEQ:
		return math.Inf(-1) // such a row is always tested
	case coef == 0:
		return 0
	}
	return problem.NeverActive - max(coef*line.Lower, coef*line.Upper)
}
