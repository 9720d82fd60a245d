package mnistadd

import (
	"math"

	"hinge/bilevel"
	"hinge/train"
)

// Links cuts additions into their columns, from the ones up, which the carries join
// (see [bilevel.Chain]): given the labels and the carries, a ground potential
// depends on the two digits of one column. sum tells the sum of an addition.
//
// It is an error when a rule joins more than a column and its carries.
func (s *Symbolic) Links(sum func(addition int) int) (links []bilevel.Link, states []int, err error) {
	columns, err := s.columnRows()
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkConstraints(); err != nil {
		return nil, nil, err
	}
	for p, rows := range columns {
		c := &column{s: s, p: p, rows: rows, tables: map[int]*bilevel.LinkTable{}}
		links = append(links, bilevel.Link{Variables: s.outputs(p), Table: func(addition int) (*bilevel.LinkTable, error) {
			return c.table(sum(addition))
		}})
		states = append(states, min(2, 1+p))
	}
	return links, append(states, 1), nil
}

// outputs are the places of the outputs for both images of a column.
func (s *Symbolic) outputs(p int) [][]int {
	out := make([][]int, 2)
	for k, i := range []int{s.Digits - 1 - p, 2*s.Digits - 1 - p} {
		for x := range 10 {
			out[k] = append(out[k], 10*i+x)
		}
	}
	return out
}

// columnRows lists the potentials of each column: those of its digits, and those of
// its carry, and perhaps the one before, alone.
func (s *Symbolic) columnRows() ([][]int, error) {
	p, carry := s.Template.Program(), s.columnOfCarry()
	rows := make([][]int, s.Digits)
	for k := range p.Potentials.Len() {
		deep, _ := p.Potentials.DeepRow(k)
		targets, _ := p.Potentials.Row(k)
		at, first := -1, s.Digits // the column, the first it is about
		single := true
		for _, j := range deep {
			c := s.Digits - 1 - int(j)/10%s.Digits
			single = single && (at < 0 || at == c)
			at, first = c, c
		}
		for _, i := range targets {
			if c, ok := carry[i]; ok {
				single = single && (c <= at || len(deep) == 0)
				at, first = max(at, c), min(first, c)
			}
		}
		if at < 0 {
			continue // of labels alone
		}
		if !single || at-first > 1 {
			return nil, notColumns(p.Rules[p.PotentialRule[k]].Text)
		}
		rows[at] = append(rows[at], k)
	}
	return rows, nil
}

// checkConstraints looks for constraints that a table of energies cannot hold: those
// on neural outputs, and on carries beyond the labels, but that one of the two values
// of a carry is the right one.
func (s *Symbolic) checkConstraints() error {
	p, carry := s.Template.Program(), s.columnOfCarry()
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
			last = last && c == s.Digits-1
		}
		// Σ_w Carry(p, w) = 1, and what makes the last carry the top place.
		choice := carries == 2 && labels == 0 && carry[targets[0]] == carry[targets[1]] && p.Constraints.Const[k] == -1
		if bad || carries > 0 && !last && !choice {
			return notColumns(p.HardRules[p.ConstraintRule[k]].Text)
		}
	}
	return nil
}

// columnOfCarry is the column a carry atom goes out of, by target.
func (s *Symbolic) columnOfCarry() map[int32]int {
	carry := make(map[int32]int)
	for p, pair := range s.carries {
		for _, i := range pair {
			carry[int32(i)] = p
		}
	}
	return carry
}

func notColumns(rule string) error {
	return &train.UsageError{Key: "symbolic.latent", Problem: "\"chain\" needs rules about single columns and their carries, and no hard ones beside the task's own " +
		"(or set latent to \"minimum\" and neural.gumbel-samples to 32); this one is not: " + rule}
}

// column is one column of all additions.
type column struct {
	s      *Symbolic
	p      int
	rows   []int // its potentials
	tables map[int]*bilevel.LinkTable
}

// table returns Φ of the column for a sum: for all carries that come in, carries that
// go out, first digits and second digits.
func (c *column) table(sum int) (*bilevel.LinkTable, error) {
	key := sum
	if c.s.sums == nil { // only the digit matters, or the leading two
		unit := int(math.Pow10(c.p))
		if key = sum / unit % 10; c.p == c.s.Digits-1 {
			key = sum / unit
		}
	}
	if t := c.tables[key]; t != nil {
		return t, nil
	}
	y, err := c.s.labels(sum)
	if err != nil {
		return nil, err
	}
	states := [][]float64{{1, 0}, {0, 1}}
	in, out := states, states
	if c.p == 0 {
		in = [][]float64{nil}
	}
	if c.p == c.s.Digits-1 { // its carry is the leading digit of the sum
		w := sum / int(math.Pow10(c.s.Digits))
		out = out[w : w+1]
	}
	t := new(bilevel.LinkTable)
	for _, before := range in {
		for w, v := range before {
			y[c.s.carries[c.p-1][w]] = v
		}
		for _, after := range out {
			for w, v := range after {
				y[c.s.carries[c.p][w]] = v
			}
			t.Phi = append(t.Phi, c.phi(y)...)
		}
	}
	c.tables[key] = t
	return t, nil
}

// phi is Φ of the column for all digits, the targets given.
func (c *column) phi(y []float64) []float64 {
	p := c.s.Template.Program()
	g, table := make([]float64, len(p.Deep)), make([]float64, 100*len(p.Rules))
	digits := c.s.outputs(c.p)
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

// labels returns the labels of a sum by target, 0 where there is none.
func (s *Symbolic) labels(sum int) ([]float64, error) {
	in, err := s.Template.NewInstance(1)
	if err != nil {
		return nil, err
	}
	return in.Lower, s.FixLabels(in, sum)
}
