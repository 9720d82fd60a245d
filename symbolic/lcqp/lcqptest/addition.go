package lcqptest

import (
	"fmt"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// Addition is the ground MNIST-Addition model of one addition: two images
// (Add1) or two pairs of images (Add2). Neural outputs are images·10 columns,
// image by image.
type Addition struct {
	*lcqp.Instance
	// Sum is the first column of the targets I(z), z = 0…18 or 0…198; Place
	// those of the ten digits of each place of the sum, ones first; Carry
	// those of the two values of each carry.
	Sum          int
	Place, Carry []int

	p      *hlmrf.Program
	digits int // places of a summand: 1 or 2
}

// Add1 returns the model of one addition of two digits: 41 targets, 547 rows.
func Add1(epsilon float64) *Addition { return newAddition(1, epsilon) }

// Add2 returns the model of one addition of two numbers of two digits: 233
// targets, 3,605 rows.
func Add2(epsilon float64) *Addition { return newAddition(2, epsilon) }

func newAddition(digits int, epsilon float64) *Addition {
	a := &Addition{p: &hlmrf.Program{HardRules: []hlmrf.Rule{{Text: "hard", Source: "addition:1:1"}}}, digits: digits}
	sums := 19
	if digits == 2 {
		sums = 199
	}
	a.Sum = a.targets("ImageSum", sums)
	for place := range digits + 1 {
		a.Place = append(a.Place, a.targets(fmt.Sprintf("SumPlace%d", place), 10))
	}
	for carry := range digits {
		a.Carry = append(a.Carry, a.targets(fmt.Sprintf("Carry%d", carry), 2))
	}
	for image := range 2 * digits {
		for x := range 10 {
			a.p.Deep = append(a.p.Deep, fmt.Sprintf("N(%d,%d)", image, x))
		}
	}
	if digits == 1 {
		a.onesOfAdd1()
	} else {
		a.onesOfAdd2()
		a.tensOfAdd2()
	}
	a.impossible()
	a.constraints()
	for r := range a.p.Rules {
		a.p.Rules[r].Weight = 1 / float64(len(a.p.Rules))
	}
	t, err := lcqp.Compile(a.p)
	must(err)
	a.Instance, err = t.NewInstance(epsilon)
	must(err)
	return a
}

// Label fixes sum and places to the sum z, as in latent inference.
func (a *Addition) Label(z int) {
	last := a.Place[0]
	for i := a.Sum; i < last; i++ {
		must(a.Fix(i, hot(i-a.Sum, z)))
	}
	for _, first := range a.Place {
		for x := range 10 {
			must(a.Fix(first+x, hot(x, z%10)))
		}
		z /= 10
	}
}

func hot(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

func (a *Addition) targets(name string, n int) int {
	first := len(a.p.Targets)
	for x := range n {
		a.p.Targets = append(a.p.Targets, fmt.Sprintf("%s(%d)", name, x))
	}
	return first
}

func (a *Addition) rule(squared bool) int32 {
	a.p.Rules = append(a.p.Rules, hlmrf.Rule{Squared: squared})
	return int32(len(a.p.Rules) - 1)
}

// term is coefficient · atom; neural atoms are given as −1 − column.
type term struct {
	atom int
	coef float64
}

func neural(image, x int) int { return -1 - (10*image + x) }

func split(terms []term) (col []int32, val []float64, deepCol []int32, deepVal []float64) {
	for _, t := range terms {
		c, v := &col, &val
		i := t.atom
		if i < 0 {
			c, v, i = &deepCol, &deepVal, -1-i
		}
		at := len(*c)
		for at > 0 && (*c)[at-1] > int32(i) {
			at--
		}
		*c = append(*c, 0)
		*v = append(*v, 0)
		copy((*c)[at+1:], (*c)[at:])
		copy((*v)[at+1:], (*v)[at:])
		(*c)[at], (*v)[at] = int32(i), t.coef
	}
	return
}

// soft adds [Σ terms + k]₊.
func (a *Addition) soft(rule int32, k float64, terms ...term) {
	col, val, dc, dv := split(terms)
	a.p.Potentials.Append(col, val, dc, dv, k)
	a.p.PotentialRule = append(a.p.PotentialRule, rule)
}

// hard adds Σ terms + k ≤ 0 or = 0.
func (a *Addition) hard(rel hlmrf.Relation, k float64, terms ...term) {
	col, val, _, _ := split(terms)
	a.p.Constraints.Append(col, val, nil, nil, k)
	a.p.ConstraintRule = append(a.p.ConstraintRule, 0)
	a.p.Relations = append(a.p.Relations, rel)
}

// implications adds one rule for each direction given: of the atoms in body,
// all but one imply that one, which is the last in the first direction.
func (a *Addition) directions(rules []int32, atoms ...int) {
	n := len(atoms)
	for d, rule := range rules {
		terms := make([]term, n)
		head := n - 1 - d
		for j, atom := range atoms {
			terms[j] = term{atom, 1}
			if j == head {
				terms[j].coef = -1
			}
		}
		a.soft(rule, -float64(n-2), terms...)
	}
}

func (a *Addition) rules(n int, squared bool) []int32 {
	r := make([]int32, n)
	for i := range r {
		r[i] = a.rule(squared)
	}
	return r
}

func (a *Addition) onesOfAdd1() {
	ones, tens := a.rules(3, true), a.rules(1, true)
	for x := range 10 {
		for y := range 10 {
			a.directions(ones, neural(0, x), neural(1, y), a.Place[0]+(x+y)%10)
			a.directions(tens, neural(0, x), neural(1, y), a.Place[1]+(x+y)/10)
		}
	}
}

func (a *Addition) onesOfAdd2() {
	ones, carry := a.rules(3, false), a.rules(1, false)
	for x := range 10 {
		for y := range 10 {
			a.directions(ones, neural(1, x), neural(3, y), a.Place[0]+(x+y)%10)
			a.directions(carry, neural(1, x), neural(3, y), a.Carry[0]+(x+y)/10)
		}
	}
}

func (a *Addition) tensOfAdd2() {
	tens, hundreds := a.rules(4, false), a.rules(1, false)
	for x := range 10 {
		for y := range 10 {
			for w := range 2 {
				a.directions(tens, neural(0, x), neural(2, y), a.Carry[0]+w, a.Place[1]+(w+x+y)%10)
				a.directions(hundreds, neural(0, x), neural(2, y), a.Carry[0]+w, a.Place[2]+(w+x+y)/10)
			}
		}
	}
}

// impossible adds, for each image and each sum, the linear hinge of the digits
// that cannot occur in a summand of that sum.
func (a *Addition) impossible() {
	sums := a.Place[0] - a.Sum
	largest := 9
	if a.digits == 2 {
		largest = 99
	}
	for image := range 2 * a.digits {
		rule := a.rule(false)
		for z := range sums {
			var possible [10]bool
			for n := max(0, z-largest); n <= min(z, largest); n++ {
				digit := n
				if a.digits == 2 {
					digit = n / 10
					if image%2 == 1 {
						digit = n % 10
					}
				}
				possible[digit] = true
			}
			terms := []term{{a.Sum + z, 1}}
			for x, ok := range possible {
				if !ok {
					terms = append(terms, term{neural(image, x), 1})
				}
			}
			a.soft(rule, -1, terms...)
		}
	}
}

func (a *Addition) constraints() {
	top := len(a.Place) - 1
	for w := range 2 {
		a.hard(hlmrf.Equal, 0, term{a.Carry[a.digits-1] + w, 1}, term{a.Place[top] + w, -1})
	}
	sums := a.Place[0] - a.Sum
	for z := range sums {
		atoms := []int{a.Sum + z}
		rest := z
		for _, first := range a.Place {
			place := first + rest%10
			rest /= 10
			a.hard(hlmrf.LessEqual, 0, term{a.Sum + z, 1}, term{place, -1})
			atoms = append(atoms, place)
		}
		n := len(atoms)
		for head := range atoms {
			terms := make([]term, n)
			for j, atom := range atoms {
				terms[j] = term{atom, 1}
				if j == head {
					terms[j].coef = -1
				}
			}
			a.hard(hlmrf.LessEqual, -float64(n-2), terms...)
		}
	}
	a.one(a.Sum, sums)
	for _, first := range a.Place {
		a.one(first, 10)
	}
	for x := 2; x < 10; x++ {
		a.hard(hlmrf.Equal, 0, term{a.Place[top] + x, 1})
	}
	for _, first := range a.Carry {
		a.one(first, 2)
	}
}

// one adds Σ y_first… = 1.
func (a *Addition) one(first, n int) {
	terms := make([]term, n)
	for x := range terms {
		terms[x] = term{first + x, 1}
	}
	a.hard(hlmrf.Equal, -1, terms...)
}
