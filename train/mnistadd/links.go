package mnistadd

import (
	"fmt"

	"hinge/bilevel"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/train"
)

// column is the model of one column of an addition by itself: two images, the
// place of the sum, and the carries that come in and go out.
type column struct {
	template *lcqp.Template
	place    []int // targets
	in, out  []int // targets; in is empty for the ones
}

// column grounds the rules over one column, the ones or any other.
func (s *Symbolic) column(ones bool) (*column, error) {
	b, c := builder{db: ground.NewDatabase()}, new(column)
	for i := range 2 {
		for x := range 10 {
			b.deep("Neural", image(i), digit(x))
		}
	}
	before, here := "place before", "place"
	facts := [2][]string{{"Units", image(0), image(1), here}, {"Column", image(0), image(1), here, before}}
	stated, absent := facts[1], facts[0]
	if ones {
		stated, absent = facts[0], facts[1]
	}
	b.observe(stated[0], stated[1:]...)
	b.declare(absent[0], absent[1:])
	b.declare("Leading", []string{here, before})
	for z := range 10 {
		c.place = append(c.place, b.target("SumPlace", here, digit(z)))
	}
	for w := range 2 {
		c.out = append(c.out, b.target("Carry", here, digit(w)))
	}
	for w := range 2 {
		if !ones {
			c.in = append(c.in, b.target("Carry", before, digit(w)))
		}
	}
	b.carries()
	if b.err != nil {
		return nil, b.err
	}
	var err error
	c.template, err = compile(s.rules, b.db)
	return c, err
}

// table is Φ of a column for all carries that come in, carries that go out, first
// digits and second digits. The sum has digit z there; out lists the carries that
// may go out.
func (c *column) table(z int, out []int) *bilevel.LinkTable {
	p, t := c.template.Program(), new(bilevel.LinkTable)
	y, g, phi := make([]float64, c.template.Targets), make([]float64, 20), make([]float64, c.template.Rules)
	y[c.place[z]] = 1
	for in := range max(1, len(c.in)) {
		for k, i := range c.in {
			y[i] = 0
			if k == in {
				y[i] = 1
			}
		}
		for _, w := range out {
			y[c.out[w]], y[c.out[1-w]] = 1, 0
			for x := range 100 {
				g[x/10], g[10+x%10] = 1, 1
				p.Incompatibility(y, g, phi)
				t.Phi = append(t.Phi, phi...)
				clear(g)
			}
		}
	}
	return t
}

// Links cuts the additions of numbers of three or more digits into their columns,
// which the carries join (see [bilevel.Chain]). sum tells the sum of an addition.
//
// It is an error when the rules say more about an addition than about its columns.
func (s *Symbolic) Links(sum func(addition int) int) (links []bilevel.Link, states []int, err error) {
	if s.Digits < 3 {
		return nil, nil, &train.UsageError{Key: "symbolic.latent", Problem: "\"chain\" is for numbers of three or more digits"}
	}
	ones, err := s.column(true)
	if err != nil {
		return nil, nil, err
	}
	other, err := s.column(false)
	if err != nil {
		return nil, nil, err
	}
	if n := ones.template.Potentials + (s.Digits-1)*other.template.Potentials; n != s.Template.Potentials {
		return nil, nil, &train.UsageError{Key: "symbolic.latent", Problem: fmt.Sprintf(
			"\"chain\" needs rules about single columns: those have %d ground potentials, an addition %d", n, s.Template.Potentials)}
	}
	// By the digit of the sum; in the last column by the two leading digits.
	var first, middle, last [20]*bilevel.LinkTable
	for z := range 20 {
		if z < 10 {
			first[z], middle[z] = ones.table(z, []int{0, 1}), other.table(z, []int{0, 1})
		}
		last[z] = other.table(z%10, []int{z / 10})
	}
	unit := 1
	for p := range s.Digits {
		tables, digits := &middle, 10
		switch p {
		case 0:
			tables = &first
		case s.Digits - 1:
			tables, digits = &last, 20
		}
		at := unit
		links = append(links, bilevel.Link{Variables: s.outputs(p), Table: func(addition int) (*bilevel.LinkTable, error) {
			return tables[sum(addition)/at%digits], nil
		}})
		states = append(states, min(2, 1+p))
		unit *= 10
	}
	return links, append(states, 1), nil
}

// outputs are the places of the outputs for both images of a column, counted from
// the ones.
func (s *Symbolic) outputs(p int) [][]int {
	out := make([][]int, 2)
	for k, i := range []int{s.Digits - 1 - p, 2*s.Digits - 1 - p} {
		for x := range 10 {
			out[k] = append(out[k], 10*i+x)
		}
	}
	return out
}
