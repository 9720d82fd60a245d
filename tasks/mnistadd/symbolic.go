package mnistadd

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"

	"hinge/data/mnist"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/train/half"
)

//go:embed rules/add1.psl
var add1Rules []byte

//go:embed rules/add2.psl
var add2Rules []byte

// Symbolic is the compiled model of one addition of two d-digit numbers.
//
// The neural outputs of an addition are its images' outputs one after the
// other: output 10·i + x is the belief that image i shows digit x.
type Symbolic struct {
	// Digits is d, Template the LCQP of one addition.
	Digits   int
	Template *lcqp.Template

	sums    []int   // target index of ImageSum(…, z) by z; none for d > 2
	places  [][]int // target indices of SumPlace(…, 10^p, z) by p and z
	carries [][]int // target indices of the carry w out of column p, by p and w
	in      []int   // of a window: target indices of the carry w into column 0
}

// MaxDigits is the largest number of digits of a summand.
const MaxDigits = mnist.MaxDigits

// NewSymbolic grounds and compiles the rules of one addition with d digits, 1 to MaxDigits:
// the rules of the reference experiments for one and two digits, and for more the same rules
// for every column, without an atom for each sum. file names a rule
// file; empty means the task's own.
func NewSymbolic(digits int, file string) (*Symbolic, error) {
	if digits < 1 || digits > MaxDigits {
		return nil, fmt.Errorf("mnistadd: summands of %d digits, want 1 to %d", digits, MaxDigits)
	}
	name, src := "add1.psl", add1Rules
	switch {
	case digits == 2:
		name, src = "add2.psl", add2Rules
	case digits > 2:
		name, src = "addn.psl", addNRules
	}
	s := &Symbolic{Digits: digits}
	var err error
	s.Template, err = half.CompileRules(file, name, src, s.atoms())
	return s, err
}

// newWindow is NewSymbolic for some columns of an addition of three or more digits, with
// the carries into and out of them left open.
func newWindow(columns int, file string) (*Symbolic, error) {
	s, b := &Symbolic{Digits: columns}, builder{ground.NewBuilder()}
	s.columns(b, true)
	var err error
	s.Template, err = half.CompileRules(file, "addn.psl", addNRules, b.Builder)
	return s, err
}

// atoms returns the atoms of one addition and the facts of arithmetic.
func (s *Symbolic) atoms() *ground.Builder {
	b := builder{ground.NewBuilder()}
	if s.Digits > 2 {
		s.columns(b, false)
		return b.Builder
	}
	images := s.images()
	b.Observe("Addition", images...)
	for _, image := range images {
		for x := range 10 {
			b.Deep("Neural", image, digit(x))
		}
	}
	largest := 2 * (int(math.Pow10(s.Digits)) - 1)
	for z := range largest + 1 {
		s.sums = append(s.sums, b.Target("ImageSum", slices.Concat(images, []string{digit(z)})...))
	}
	for p, place := 0, 1; p <= s.Digits; p, place = p+1, 10*place {
		var row []int
		for z := range 10 {
			row = append(row, b.Target("SumPlace", slices.Concat(images, []string{digit(place), digit(z)})...))
		}
		s.places = append(s.places, row)
	}
	s.carries = make([][]int, s.Digits)
	for i := range s.Digits {
		for w := range 2 {
			p := s.Digits - 1 - i
			s.carries[p] = append(s.carries[p], b.Target("Carry", images[i], images[s.Digits+i], digit(w)))
		}
	}
	b.arithmetic()
	if s.Digits == 1 {
		b.oneDigit(largest)
	} else {
		b.twoDigits(largest)
	}
	return b.Builder
}

// images are the constants that the rules have for the images of an addition.
func (s *Symbolic) images() []string {
	if s.Digits <= 2 {
		return []string{"a", "b", "c", "d"}[:2*s.Digits]
	}
	names := make([]string, 2*s.Digits)
	for i := range names {
		names[i] = image(i)
	}
	return names
}

// FixLabels fixes ImageSum and SumPlace of an instance to the sum with the given digits, d+1
// from the ones up; the carries stay free.
func (s *Symbolic) FixLabels(in *lcqp.Instance, sum []int) error {
	return s.oneHots(sum, in.FixOneHot)
}

// oneHots calls fix for every choice that a sum makes: among its atoms, the one with the given
// number is true.
func (s *Symbolic) oneHots(sum []int, fix func(atoms []int, number int) error) error {
	if len(sum) != s.Digits+1 || slices.ContainsFunc(sum, func(z int) bool { return z < 0 || z >= mnist.Classes }) || sum[s.Digits] > 1 {
		return fmt.Errorf("mnistadd: two %d-digit numbers with a sum of the digits %d, from the ones up", s.Digits, sum)
	}
	if s.sums != nil {
		z := mnist.Sum(sum).Int()
		if z >= len(s.sums) {
			return fmt.Errorf("mnistadd: sum %d of two %d-digit numbers", z, s.Digits)
		}
		if err := fix(s.sums, z); err != nil {
			return err
		}
	}
	for p, place := range s.places {
		if err := fix(place, sum[p]); err != nil {
			return err
		}
	}
	return nil
}

// Answer returns the sum whose ImageSum target is largest in y, the smallest
// such sum on ties; for more than two digits, the sum whose places have the
// largest SumPlace targets.
func (s *Symbolic) Answer(y []float64) mnist.Sum {
	if s.sums != nil {
		return mnist.NewSum(greatest(y, s.sums), s.Digits)
	}
	sum := make(mnist.Sum, len(s.places))
	for p, place := range s.places {
		sum[p] = greatest(y, place)
	}
	return sum
}

// greatest returns which of some targets has the largest value in y, the first on ties.
func greatest(y []float64, targets []int) (best int) {
	for k, i := range targets {
		if y[i] > y[targets[best]] {
			best = k
		}
	}
	return best
}

// tied reports whether a sum, or a digit of it, other than Answer's is as large in y, up to the accuracy that
// the gap certifies.
func (s *Symbolic) tied(y []float64, gap, epsilon float64) bool {
	// The energy grows from its minimum by ε times the squared distance at least.
	tolerance := 1e-6 + math.Sqrt(2*max(gap, 0)/epsilon)
	another := func(of []int) bool {
		top := of[greatest(y, of)]
		return slices.ContainsFunc(of, func(i int) bool { return i != top && y[i] >= y[top]-tolerance })
	}
	if s.sums != nil {
		return another(s.sums)
	}
	return slices.ContainsFunc(s.places, another)
}

// answerAtoms returns the targets that together mean that a sum is the answer: the sum's own
// target, if each sum has one, and the targets of its places from the ones on.
func (s *Symbolic) answerAtoms(sum int) []int {
	var atoms []int
	if s.sums != nil {
		atoms = append(atoms, s.sums[sum])
	}
	for _, place := range s.places {
		atoms = append(atoms, place[sum%10])
		sum /= 10
	}
	return atoms
}

func digit(v int) string { return strconv.Itoa(v) }
