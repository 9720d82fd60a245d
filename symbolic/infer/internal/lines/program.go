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
	// The distinct b₀ + B·g of a component, component after component. needed is the least
	// value at which one of its classes can matter.
	needed []float64
	ptr    []int32
	deep   []int32
	val    []float64
	// The same in the form of rows of sparse.Products; b₀ is the factor of a row of ones
	// behind the rows of the outputs used. runs are runs of rows of the same length.
	runs  []run
	at    []int
	terms []float64
	// classes of each affine function, and rules of each class.
	classPtr []int32
	classes  []class
	rules    []share
}

// component is one component, with the range of its affine functions.
type component struct {
	*problem.Line
	targets  []int32
	from, to int
}

// run is affine functions from ≤ e < to, which have k terms each, from the first on.
type run struct{ from, to, k, first int }

// class is the rows of a component with the same coefficient, affine function and kind.
type class struct {
	coef, needed float64 // the class matters where its affine function is larger than needed
	kind         lcqp.Kind
	from, to     int32 // of rules
	rows         []int32
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
	place := make([]int32, t.Deep)
	for i := range place {
		place[i] = -1
	}
	var b0 []float64
	for c := range t.Components {
		line, ok := problem.LineOf(in, c)
		if !ok {
			return nil, false
		}
		from := len(b0)
		b0 = append(b0, p.add(line)...)
		p.components = append(p.components, component{line, t.Components[c].Targets, from, len(b0)})
	}
	for _, i := range p.deep {
		if place[i] < 0 {
			place[i] = int32(len(p.used))
			p.used = append(p.used, i)
		}
	}
	const row = 8 * Width // bytes
	for e, b := range b0 {
		from, to := p.ptr[e], p.ptr[e+1]
		if k := int(to-from) + 1; len(p.runs) == 0 || p.runs[len(p.runs)-1].k != k {
			p.runs = append(p.runs, run{e, e, k, len(p.at)})
		}
		p.runs[len(p.runs)-1].to++
		p.at, p.terms = append(p.at, row*len(p.used)), append(p.terms, b)
		for j := from; j < to; j++ {
			p.at, p.terms = append(p.at, row*int(place[p.deep[j]])), append(p.terms, p.val[j])
		}
	}
	return p, true
}

// add adds the rows of a component. Affine functions of the same length lie together: the
// processor foresees the ends of loops. It returns their constants.
func (p *Program) add(line *problem.Line) (b0 []float64) {
	t := p.Template
	type affine struct {
		problem.LineRow
		classes []class
	}
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
		}
		a.classes[at].rows = append(a.classes[at].rows, row.Row)
	}
	length := func(a *affine) int32 { return t.DeepPtr[a.Row+1] - t.DeepPtr[a.Row] }
	slices.SortStableFunc(all, func(a, b *affine) int { return int(length(a) - length(b)) })
	for _, a := range all {
		from, to := t.DeepPtr[a.Row], t.DeepPtr[a.Row+1]
		p.deep, p.val = append(p.deep, t.DeepCol[from:to]...), append(p.val, t.DeepVal[from:to]...)
		p.ptr = append(p.ptr, int32(len(p.deep)))
		least := math.Inf(1)
		for _, c := range a.classes {
			least = min(least, c.needed)
			c.from = int32(len(p.rules))
			for _, row := range c.rows {
				rule := t.RuleOf[row]
				if n := len(p.rules); n > int(c.from) && p.rules[n-1].rule == rule {
					p.rules[n-1].times++
				} else if c.kind > lcqp.HardEQ {
					p.rules = append(p.rules, share{rule, 1})
				}
			}
			c.to = int32(len(p.rules))
			p.classes = append(p.classes, c)
		}
		b0, p.needed = append(b0, a.Constant), append(p.needed, least)
		p.classPtr = append(p.classPtr, int32(len(p.classes)))
	}
	return b0
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
