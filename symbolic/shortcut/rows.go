package shortcut

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
)

// tolerance is how far a row may be broken that counts as one that holds: more than
// arithmetic with the constants of rules loses.
const tolerance = 1e-6

// Rule is a weighted rule that the truth breaks.
type Rule struct {
	Text, Source string
}

// holding finds out which rules hold under the truth.
type holding struct {
	p         *Problem
	broken    map[Rule]bool // whether it is about several atoms
	examples  []*Example    // each once, without those that contradict their labels
	contrary  int
	templates map[*hlmrf.Program]*lcqp.Template // of examples with targets without a label
}

// ruleOf is the identity of a weighted rule over examples.
func ruleOf(r *hlmrf.Rule) Rule { return Rule{r.Text, r.Source} }

// judge looks at all examples under the truth.
func (p *Problem) judge(ctx context.Context) (*holding, error) {
	h := &holding{p: p, broken: map[Rule]bool{}, templates: map[*hlmrf.Program]*lcqp.Template{}}
	seen := map[string]bool{}
	programs := map[*hlmrf.Program]int{}
	for n := range p.Examples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := &p.Examples[n]
		if _, known := programs[x.Program]; !known {
			programs[x.Program] = len(programs)
		}
		key := binary.LittleEndian.AppendUint32(nil, uint32(programs[x.Program]))
		for _, v := range x.Labels {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		for _, d := range x.Deep {
			key = binary.LittleEndian.AppendUint32(key, uint32(d.Exemplar))
			key = binary.LittleEndian.AppendUint32(key, uint32(d.Output))
		}
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		possible, err := h.example(ctx, x)
		if err != nil {
			return nil, err
		}
		if possible {
			h.examples = append(h.examples, x)
		} else {
			h.contrary++
		}
	}
	return h, nil
}

// example notes the rules that the truth of an example breaks. It is false where a hard
// rule contradicts the labels.
func (h *holding) example(ctx context.Context, x *Example) (possible bool, err error) {
	g := make([]float64, len(x.Deep))
	for k, d := range x.Deep {
		if h.p.truth(d.Exemplar, d.Output) {
			g[k] = 1
		}
	}
	y := slices.Clone(x.Labels)
	if slices.ContainsFunc(y, math.IsNaN) {
		if y, err = h.mostProbable(ctx, x, g); err != nil || y == nil {
			return false, err
		}
	}
	if x.Program.Violation(y, g) > tolerance {
		return false, nil
	}
	for k := range x.Program.Potentials.Len() {
		if r := x.Program.PotentialRule[k]; x.Program.Rules[r].Weight > 0 && x.Program.Potentials.At(k, y, g) > tolerance {
			rule := ruleOf(&x.Program.Rules[r])
			col, _ := x.Program.Potentials.Row(k)
			deep, _ := x.Program.Potentials.DeepRow(k)
			h.broken[rule] = h.broken[rule] || len(col)+len(deep) > 1
		}
	}
	return true, nil
}

// mostProbable returns the values of the targets with the labels fixed, the others 0 or 1,
// and the lowest energy; nil where there are none.
func (h *holding) mostProbable(ctx context.Context, x *Example, g []float64) ([]float64, error) {
	template := h.templates[x.Program]
	if template == nil {
		var err error
		if template, err = lcqp.Compile(x.Program); err != nil {
			return nil, err
		}
		h.templates[x.Program] = template
	}
	in, err := template.NewInstance(1e-3)
	if err != nil {
		return nil, err
	}
	if err := in.SetDeep(g); err != nil {
		return nil, err
	}
	var latent []int
	for i, v := range x.Labels {
		if math.IsNaN(v) {
			latent = append(latent, i)
		} else if err := in.Fix(i, v); err != nil {
			return nil, err
		}
	}
	var res integer.Result
	if err := integer.Solve(ctx, in, latent, integer.Settings{}, &res); err != nil {
		return nil, err
	}
	if res.Search == integer.Infeasible {
		return nil, nil
	}
	if err := res.Err(); err != nil {
		return nil, fmt.Errorf("shortcut: the targets without a label: %w", err)
	}
	return res.Y, nil
}

// entry is a coefficient of a column.
type entry struct {
	col int32
	val float64
}

// table holds the rows of a program for package integer: first the columns of the outputs of
// all exemplars, then the columns of targets without a label.
type table struct {
	lcqp.Sparse
	first  []int // the column of the first output of each exemplar
	latent []int
}

// newTable makes the columns of the outputs and the rows that require one of them to be 1.
func (p *Problem) newTable() *table {
	t := &table{}
	for _, e := range p.Exemplars {
		t.first = append(t.first, t.Targets)
		t.Targets += len(p.Concepts[e.Concept].Outputs)
	}
	for n, e := range p.Exemplars {
		if c := &p.Concepts[e.Concept]; c.OneHot {
			var row []entry
			for o := range c.Outputs {
				row = append(row, entry{int32(t.first[n] + o), 1})
			}
			t.row(row, -1, lcqp.HardEQ)
		}
	}
	return t
}

// row adds a row. Its entries are in any order; entries of the same column are added.
func (t *table) row(row []entry, constant float64, kind lcqp.Kind) {
	slices.SortFunc(row, func(a, b entry) int { return cmp.Compare(a.col, b.col) })
	var cols []int32
	var val []float64
	for k := 0; k < len(row); {
		sum, col := 0.0, row[k].col
		for ; k < len(row) && row[k].col == col; k++ {
			sum += row[k].val
		}
		if sum != 0 {
			cols, val = append(cols, col), append(val, sum)
		}
	}
	t.Append(kind, cols, val, constant)
}

// add adds the rows of an example that have to hold, except for those that always do.
func (t *table) add(x *Example, broken map[Rule]bool) {
	column := make([]int32, len(x.Labels))
	for i, v := range x.Labels {
		if math.IsNaN(v) {
			column[i] = int32(t.Targets)
			t.latent = append(t.latent, t.Targets)
			t.Targets++
		}
	}
	var row []entry
	rows := func(r *hlmrf.Rows, k int, kind lcqp.Kind) {
		row = row[:0]
		constant, least, most := r.Const[k], 0.0, 0.0
		put := func(col int32, a float64) {
			row = append(row, entry{col, a})
			least, most = least+min(a, 0), most+max(a, 0)
		}
		col, val := r.Row(k)
		for j, i := range col {
			if v := x.Labels[i]; math.IsNaN(v) {
				put(column[i], val[j])
			} else {
				constant += val[j] * v
			}
		}
		col, val = r.DeepRow(k)
		for j, i := range col {
			put(int32(t.first[x.Deep[i].Exemplar]+x.Deep[i].Output), val[j])
		}
		if constant+most > tolerance || kind == lcqp.HardEQ && constant+least < -tolerance {
			t.row(row, constant, kind)
		}
	}
	for k, relation := range x.Program.Relations {
		kind := lcqp.HardLE
		if relation == hlmrf.Equal {
			kind = lcqp.HardEQ
		}
		rows(&x.Program.Constraints, k, kind)
	}
	for k := range x.Program.Potentials.Len() {
		if rule := &x.Program.Rules[x.Program.PotentialRule[k]]; rule.Weight > 0 {
			if _, is := broken[ruleOf(rule)]; !is {
				rows(&x.Program.Potentials, k, lcqp.HardLE)
			}
		}
	}
}

// instance compiles the rows, with the outputs of labelled exemplars fixed.
func (t *table) instance(p *Problem) (*lcqp.Instance, error) {
	in, err := t.NewInstance(1e-6)
	if err != nil {
		return nil, err
	}
	for _, e := range p.Known {
		for o := range p.Concepts[p.Exemplars[e].Concept].Outputs {
			v := 0.0
			if p.truth(e, o) {
				v = 1
			}
			if err := in.Fix(t.first[e]+o, v); err != nil {
				return nil, err
			}
		}
	}
	return in, nil
}
