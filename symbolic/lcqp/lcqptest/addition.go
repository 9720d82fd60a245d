package lcqptest

import (
	"context"

	"hinge/symbolic/familytest"
	"hinge/symbolic/lcqp"
)

// Addition is the ground MNIST-Addition model of one addition: two images
// (Add1) or two pairs of images (Add2). Neural outputs are images·10 columns,
// image by image.
type Addition struct {
	*lcqp.Instance
	// Sum is the first column of the targets I(z), z = 0…18 or 0…198; Place the first
	// columns of the ten digits of each place of the sum, ones first; Carry the first
	// columns of the two values of each carry, ones first.
	Sum          int
	Place, Carry []int

	targets []string // their names
}

// Add1 returns the model of one addition of two digits: 41 targets, 547 rows.
func Add1(epsilon float64) *Addition { return newAddition("add1-soft", 1, 19, epsilon) }

// Add2 returns the model of one addition of two numbers of two digits: 233
// targets, 3,605 rows.
func Add2(epsilon float64) *Addition { return newAddition("add2-soft", 2, 199, epsilon) }

// newAddition grounds one addition of the generated family, with equal weights.
func newAddition(family string, digits, sums int, epsilon float64) *Addition {
	f, err := familytest.Find(family)
	must(err)
	m, err := f.Model(1, 1)
	must(err)
	p, err := m.Ground(context.Background())
	must(err)
	for r := range p.Rules {
		p.Rules[r].Weight = 1 / float64(len(p.Rules))
	}
	t, err := lcqp.Compile(p)
	must(err)
	a := &Addition{targets: p.Targets}
	a.Instance, err = t.NewInstance(epsilon)
	must(err)
	for place := range digits + 1 {
		a.Place = append(a.Place, sums+10*place)
	}
	for carry := range digits { // the family has that of the tens first
		a.Carry = append(a.Carry, sums+10*(digits+1)+2*(digits-1-carry))
	}
	return a
}

// Label fixes sum and places to the sum z, as in latent inference.
func (a *Addition) Label(z int) {
	must(a.FixOneHot(targetsFrom(a.Sum, a.Place[0]-a.Sum), z))
	for _, first := range a.Place {
		must(a.FixOneHot(targetsFrom(first, 10), z%10))
		z /= 10
	}
}

func targetsFrom(first, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + i
	}
	return all
}
