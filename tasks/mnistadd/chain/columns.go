package chain

import (
	"fmt"

	"hinge/symbolic/hlmrf"
)

// Addition lists the places of the parts of an addition of two numbers in its ground program.
type Addition struct {
	Program *hlmrf.Program
	// Digits is d, the number of digits of a number. Neural output 10·i + x is the
	// belief that image i shows digit x; images 0 to d−1 are the first number, most
	// significant digit first, the rest the second.
	Digits int
	// Carries are the targets of the carry w out of column p, by p (from the ones up)
	// and w.
	Carries [][]int
	// Places are the targets of the digit z of the sum at place p, by p and z; not read with WholeSum.
	Places [][]int
	// Labels returns the targets with the labels of a sum, given its Digits+1 digits from the
	// ones up, and 0 for the others. The caller may overwrite the slice.
	Labels func(sum []int) ([]float64, error)
	// WholeSum reports whether potentials of a column depend on the whole sum; else on its
	// digit of that column alone, the last column on the leading two.
	WholeSum bool
}

// A RuleError names the rule that keeps a program from being a chain of columns.
type RuleError struct{ Rule string }

func (e *RuleError) Error() string {
	return "chain: a chain needs rules about single columns and their carries, and no hard ones beside the task's own; this one is not: " + e.Rule
}

// Columns cuts additions into their columns, from the ones up, which the carries join: given
// the labels and the carries, a ground potential depends on the two digits of one column. sum
// returns the digits of a sample's sum. All samples have the returned shape.
//
// It is a RuleError when a rule joins more than a column and its carries.
func Columns(a Addition, sum func(sample int) []int) (Shape, error) {
	columns, err := a.columnRows()
	if err != nil {
		return Shape{}, err
	}
	if err := a.checkConstraints(); err != nil {
		return Shape{}, err
	}
	var s Shape
	for p, rows := range columns {
		c := &column{a: &a, p: p, rows: rows, tables: map[string]*Table{}}
		link := Link{Variables: a.outputs(p), Groundings: make([]float64, len(a.Program.Rules)), Table: func(sample int) (*Table, error) {
			return c.table(sum(sample))
		}}
		for _, k := range rows {
			link.Groundings[a.Program.PotentialRule[k]]++
		}
		s.Links = append(s.Links, link)
		s.States = append(s.States, min(2, 1+p))
	}
	s.States = append(s.States, 1)
	return s, nil
}

// outputs are the places of the outputs for both images of a column.
func (a *Addition) outputs(p int) [][]int {
	out := make([][]int, 2)
	for k, i := range []int{a.Digits - 1 - p, 2*a.Digits - 1 - p} {
		for x := range 10 {
			out[k] = append(out[k], 10*i+x)
		}
	}
	return out
}

// columnRows lists the potentials of each column: the potentials of its digits, the
// potentials of its carry alone, perhaps with the carry before it, and those of its labels alone.
func (a *Addition) columnRows() ([][]int, error) {
	p, carry, label := a.Program, columnsOf(a.Carries, a.Digits), map[int32]int{}
	if !a.WholeSum {
		label = columnsOf(a.Places, a.Digits)
	}
	rows := make([][]int, a.Digits)
	for k := range p.Potentials.Len() {
		deep, _ := p.Potentials.DeepRow(k)
		targets, _ := p.Potentials.Row(k)
		at, first, digit := -1, a.Digits, -1 // the column, the first it is about, that of its labels
		single := true
		for _, j := range deep {
			c := a.Digits - 1 - int(j)/10%a.Digits
			single = single && (at < 0 || at == c)
			at, first = c, c
		}
		for _, i := range targets {
			if c, ok := carry[i]; ok {
				single = single && (c <= at || len(deep) == 0)
				at, first = max(at, c), min(first, c)
			} else if c, ok := label[i]; ok {
				single = single && (digit < 0 || digit == c)
				digit = c
			}
		}
		if len(deep) == 0 {
			at = max(at, digit, 0)
			first = min(first, at)
		}
		if !single || at-first > 1 || digit >= 0 && digit != at {
			return nil, &RuleError{p.Rules[p.PotentialRule[k]].Text}
		}
		rows[at] = append(rows[at], k)
	}
	return rows, nil
}

// checkConstraints looks for constraints that a table of energies cannot hold: those
// on neural outputs, and on carries beyond the labels, but that one of the two values
// of a carry is the right one.
func (a *Addition) checkConstraints() error {
	p, carry := a.Program, columnsOf(a.Carries, a.Digits)
	for k := range p.Constraints.Len() {
		deep, _ := p.Constraints.DeepRow(k)
		bad := len(deep) > 0
		targets, _ := p.Constraints.Row(k)
		carries, labels, last := 0, 0, true
		for _, i := range targets {
			c, ok := carry[i]
			if !ok {
				labels++
				continue
			}
			carries++
			last = last && c == a.Digits-1
		}
		// Σ_w Carry(p, w) = 1, and what makes the last carry the top place.
		choice := carries == 2 && labels == 0 && carry[targets[0]] == carry[targets[1]] && p.Constraints.Const[k] == -1
		if bad || carries > 0 && !last && !choice {
			return &RuleError{p.HardRules[p.ConstraintRule[k]].Text}
		}
	}
	return nil
}

// columnsOf is the column of each target, given the targets of the places of a number: the one that a carry
// goes out of, or that has a digit of the sum, whose leading one the last column has too.
func columnsOf(places [][]int, digits int) map[int32]int {
	column := make(map[int32]int)
	for p, targets := range places {
		for _, i := range targets {
			column[int32(i)] = min(p, digits-1)
		}
	}
	return column
}

// column is one column of all additions.
type column struct {
	a      *Addition
	p      int
	rows   []int             // its potentials
	tables map[string]*Table // by the digits of the sum that matter
}

// table returns Φ of the column for a sum: for all carries that come in, carries that
// go out, first digits and second digits.
func (c *column) table(sum []int) (*Table, error) {
	if want := c.a.Digits + 1; len(sum) != want {
		return nil, fmt.Errorf("a sum of %d digits, want %d", len(sum), want)
	}
	from, to := c.p, c.p+1
	if c.p == c.a.Digits-1 {
		to++
	}
	if c.a.WholeSum {
		from, to = 0, len(sum)
	}
	key := fmt.Sprint(sum[from:to])
	if t := c.tables[key]; t != nil {
		return t, nil
	}
	y, err := c.a.Labels(sum)
	if err != nil {
		return nil, err
	}
	states := [][]float64{{1, 0}, {0, 1}}
	in, out := states, states
	if c.p == 0 {
		in = [][]float64{nil}
	}
	if c.p == c.a.Digits-1 { // its carry is the leading digit of the sum
		w := sum[c.a.Digits]
		out = out[w : w+1]
	}
	t := new(Table)
	for _, before := range in {
		for w, v := range before {
			y[c.a.Carries[c.p-1][w]] = v
		}
		for _, after := range out {
			for w, v := range after {
				y[c.a.Carries[c.p][w]] = v
			}
			t.Phi = append(t.Phi, c.phi(y)...)
		}
	}
	c.tables[key] = t
	return t, nil
}

// phi is Φ of the column for all digits, the targets given.
func (c *column) phi(y []float64) []float64 {
	p := c.a.Program
	g, table := make([]float64, len(p.Deep)), make([]float64, 100*len(p.Rules))
	digits := c.a.outputs(c.p)
	for _, k := range c.rows {
		rule := p.PotentialRule[k]
		base, most := p.Potentials.At(k, y, g), 0.0
		_, coefs := p.Potentials.DeepRow(k)
		for _, a := range coefs {
			most += max(a, 0)
		}
		if base+most <= 0 {
			continue
		}
		for x := range 100 {
			first, second := digits[0][x/10], digits[1][x%10]
			g[first], g[second] = 1, 1
			v := max(p.Potentials.At(k, y, g), 0)
			g[first], g[second] = 0, 0
			if p.Rules[rule].Squared {
				v *= v
			}
			table[x*len(p.Rules)+int(rule)] += v
		}
	}
	return table
}
