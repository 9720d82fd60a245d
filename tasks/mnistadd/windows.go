package mnistadd

import (
	"hinge/data/mnist"
	"hinge/symbolic/lcqp"
	"hinge/tasks/mnistadd/chain"
	"hinge/train/config"
)

// windows are the equal parts into which additions are cut (ours). They are learned from one
// by one, by the loss "chain" or through V, so numbers of 500 digits have steps with as many
// images, and as many steps, as numbers of 100. Window e is part e mod parts of addition e div
// parts, counted from the leading columns. A carry between two parts is latent in both; the
// label gives the carry out of the first part, and no carry comes into the last.
//
// A window does not know that both parts have the same carry between them, one of two values.
type windows struct{ digits, columns int }

// windowsOf returns the windows that a configuration learns from.
func windowsOf(cfg *config.Config, digits int) windows {
	if k := OptionsOf(cfg).WindowColumns; k > 0 {
		return windows{digits, k}
	}
	return windows{digits, digits}
}

// parts is the number of windows of an addition.
func (w windows) parts() int { return w.digits / w.columns }

// images adds the images of window e of some additions: of the first number, then of the
// second, from the leading digit.
func (w windows) images(to []int32, of *mnist.Additions, e int) []int32 {
	row, at := of.Row(e/w.parts()), e%w.parts()*w.columns
	return append(append(to, row[at:][:w.columns]...), row[w.digits+at:][:w.columns]...)
}

// chain returns the chain of a batch of windows, given the shape of whole additions.
func (w windows) chain(whole chain.Shape, rules, batch int, temperature float64) (*chain.Chain, error) {
	shapes := make([]chain.Shape, w.parts())
	for part := range shapes {
		shapes[part] = w.shape(whole, part)
	}
	return chain.New(shapes, func(e int) int { return e % w.parts() }, rules, batch, 20*w.columns, temperature)
}

// shape returns the shape of a part, with the outputs of its images alone.
func (w windows) shape(whole chain.Shape, part int) chain.Shape {
	low := w.digits - (part+1)*w.columns // columns count from the ones up
	s := chain.Shape{States: whole.States[low:][:w.columns+1]}
	for _, link := range whole.Links[low:][:w.columns] {
		own := chain.Link{Groundings: link.Groundings, Table: func(e int) (*chain.Table, error) { return link.Table(e / w.parts()) }}
		for _, places := range link.Variables {
			var to []int
			for _, j := range places {
				number, digit := j/10/w.digits, j/10%w.digits
				to = append(to, 10*(number*w.columns+digit-part*w.columns)+j%10)
			}
			own.Variables = append(own.Variables, to)
		}
		s.Links = append(s.Links, own)
	}
	return s
}

// label fixes the part of an addition's label that belongs to window e: the digits of its
// columns, the carry out of the leading column, and that no carry comes into the ones.
func (w windows) label(window *Symbolic, sum mnist.Sum, e int, in *lcqp.Instance) error {
	part := e % w.parts()
	low := w.digits - (part+1)*w.columns
	for p, place := range window.places {
		if err := in.FixOneHot(place, sum[low+p]); err != nil {
			return err
		}
	}
	if low == 0 {
		if err := in.FixOneHot(window.in, 0); err != nil {
			return err
		}
	}
	if part == 0 {
		return in.FixOneHot(window.carries[w.columns-1], sum[w.digits])
	}
	return nil
}

// windowColumns is the number of columns that numbers of more than a hundred digits are
// cut into: the most that divide them, from twenty to a hundred. 0 means whole numbers.
func windowColumns(digits int) int {
	for k := 100; digits > 100 && k >= 20; k-- {
		if digits%k == 0 {
			return k
		}
	}
	return 0
}
