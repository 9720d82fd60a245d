package lcqptest

import (
	"context"

	"hinge/symbolic/familytest"
	"hinge/symbolic/lcqp"
)

// Addition is the ground MNIST-Addition model of one addition: two images
// (Add1) or two pairs of images (Add2). Neural outputs are images·10 columns,
// image by image. The first targets are I(z) of the sums z = 0…18 or 0…198; then come the ten
// digits of each place of the sum, ones first, and the carries.
type Addition struct {
	*lcqp.Instance
	sums, places int
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
	in, err := lcqp.NewInstance(p, epsilon)
	must(err)
	return &Addition{in, sums, digits + 1}
}

// Label fixes sum and places to the sum z, as in latent inference.
func (a *Addition) Label(z int) {
	must(a.FixOneHot(targetsFrom(0, a.sums), z))
	for place := range a.places {
		must(a.FixOneHot(targetsFrom(a.sums+10*place, 10), z%10))
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
