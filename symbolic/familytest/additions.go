package familytest

import "strconv"

// Margins by which the logit of the true digit is raised above standard normal
// ones: at 3 the network is right nine times out of ten and hesitates, at 12 its
// outputs are nearly one-hot.
const (
	soft  = 3
	sharp = 12
)

// add1 returns the generator of n sums of two digits (paper, MNIST-Add1).
func add1(margin float64) func(*builder, int) {
	return func(b *builder, n int) {
		b.arithmetic(19)
		b.Declare("Possible", 2)
		for z := range 19 {
			b.observe("Placed", 1, strconv.Itoa(z/10), strconv.Itoa(z%10), strconv.Itoa(z))
			for x := range 10 {
				if z-x >= 0 && z-x <= 9 {
					b.observe("Possible", 1, strconv.Itoa(x), strconv.Itoa(z))
				}
			}
		}
		b.additions(n, 1, 19, margin)
		b.terms = 547 * n
	}
}

// add2 returns the generator of n sums of two numbers of two digits (paper,
// MNIST-Add2).
func add2(margin float64) func(*builder, int) {
	return func(b *builder, n int) {
		b.arithmetic(199)
		b.Declare("PossibleOnes", 2)
		b.Declare("PossibleTens", 2)
		for z := range 199 {
			b.observe("Placed", 1, strconv.Itoa(z/100), strconv.Itoa(z/10%10), strconv.Itoa(z%10), strconv.Itoa(z))
			for summand := max(0, z-99); summand <= min(z, 99); summand++ {
				b.observe("PossibleTens", 1, strconv.Itoa(summand/10), strconv.Itoa(z))
				b.observe("PossibleOnes", 1, strconv.Itoa(summand%10), strconv.Itoa(z))
			}
		}
		b.additions(n, 2, 199, margin)
		b.terms = 3605 * n
	}
}

// arithmetic states the columns of an addition, carry w plus digits x and y,
// and which digits the leading place of a sum cannot have.
func (b *builder) arithmetic(sums int) {
	digits := len(strconv.Itoa(sums - 1))
	b.Declare("Ones", 4)
	b.Declare("Tens", 4)
	b.Declare("TooLarge", 1)
	b.Declare("Placed", digits+1)
	for w := range 2 {
		for x := range 10 {
			for y := range 10 {
				args := []string{strconv.Itoa(w), strconv.Itoa(x), strconv.Itoa(y)}
				b.observe("Ones", 1, append(args, strconv.Itoa((w+x+y)%10))...)
				b.observe("Tens", 1, append(args, strconv.Itoa((w+x+y)/10))...)
			}
		}
	}
	for x := 2; x < 10; x++ {
		b.observe("TooLarge", 1, strconv.Itoa(x))
	}
}

// additions adds n additions of numbers of one or two digits with their images'
// outputs. Each image is in one addition.
func (b *builder) additions(n, digits, sums int, margin float64) {
	images := 2 * digits
	b.Declare("Addition", images)
	b.Declare("Digit", 2)
	b.Declare("Sum", images+1)
	b.Declare("Place", images+2)
	b.Declare("Carry", 3)
	b.width = 10
	names, g := numbers(sums), make([]float64, 10)
	places := []string{"1", "10", "100"}[:digits+1]
	for k := range n {
		args := make([]string, images, images+2)
		for i := range args {
			args[i] = strconv.Itoa(images*k + i)
			Softmax(b.rng, g, b.rng.IntN(10), margin)
			for x, v := range g {
				b.deep("Digit", v, args[i], names[x])
			}
		}
		b.observe("Addition", 1, args...)
		for _, z := range names {
			b.Target("Sum", append(args, z)...)
		}
		for _, place := range places {
			for x := range 10 {
				b.Target("Place", append(args, place, names[x])...)
			}
		}
		for i := range digits {
			for w := range 2 {
				b.Target("Carry", args[i], args[digits+i], names[w])
			}
		}
	}
}
