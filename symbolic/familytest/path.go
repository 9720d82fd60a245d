package familytest

import "math"

// chain is a path of n states, each with a sensor. The true state jumps now
// and then.
func chain(b *builder, n int) {
	b.Declare("Next", 2)
	b.Declare("State", 1)
	b.Declare("Sensor", 1)
	ids := numbers(n)
	state := b.rng.Float64()
	for i, id := range ids {
		if b.rng.IntN(50) == 0 {
			state = b.rng.Float64()
		}
		b.Target("State", id)
		b.deep("Sensor", b.noisy(state, 0.2), id)
		if i > 0 {
			b.observe("Next", 1, ids[i-1], id)
		}
	}
	b.terms = 2*(n-1) + 2*n
}

// grid is a square image of about n pixels: a disc on a dark ground.
func grid(b *builder, n int) {
	b.image(n, 0.3, func(x, y float64) float64 {
		if disc(x, y) < 0.1 {
			return 0.9
		}
		return 0.1
	})
}

// picture is one of two ramps, upwards and downwards, and a disc before them: hardly two
// neighbours are the same.
func picture(b *builder, n int) {
	b.image(n, 0.1, func(x, y float64) float64 {
		switch {
		case disc(x, y) < 0.06:
			return 0.95
		case y < 0.5:
			return 0.1 + 0.7*x
		}
		return 0.8 - 0.7*x
	})
}

// disc is the square of the distance from the middle of the image.
func disc(x, y float64) float64 { return (x-0.5)*(x-0.5) + (y-0.5)*(y-0.5) }

// image is a square image of about n pixels seen through normal noise. Its ink at a place
// of the unit square is given.
func (b *builder) image(n int, noise float64, ink func(x, y float64) float64) {
	side := max(1, int(math.Round(math.Sqrt(float64(n)))))
	b.Declare("Right", 2)
	b.Declare("Below", 2)
	b.Declare("Ink", 1)
	b.Declare("Pixel", 1)
	ids := numbers(side * side)
	for y := range side {
		for x := range side {
			i := y*side + x
			b.Target("Ink", ids[i])
			b.deep("Pixel", b.noisy(ink(float64(x)/float64(side), float64(y)/float64(side)), noise), ids[i])
			if x > 0 {
				b.observe("Right", 1, ids[i-1], ids[i])
			}
			if y > 0 {
				b.observe("Below", 1, ids[i-side], ids[i])
			}
		}
	}
	b.terms = 4*side*(side-1) + 2*side*side
}

// cube is grid in space: a ball on a dark ground, n cells, of which up to six are next to each.
func cube(b *builder, n int) {
	side := max(1, int(math.Round(math.Cbrt(float64(n)))))
	ahead := [...]struct {
		pred string
		step int
	}{{"Right", 1}, {"Below", side}, {"Behind", side * side}}
	for _, d := range ahead {
		b.Declare(d.pred, 2)
	}
	b.Declare("Ink", 1)
	b.Declare("Pixel", 1)
	ids := numbers(side * side * side)
	for i, id := range ids {
		at := [...]int{i % side, i / side % side, i / (side * side)}
		ink, square := 0.1, 0.0
		for _, x := range at {
			from := float64(x)/float64(side) - 0.5
			square += from * from
		}
		if square < 0.1 {
			ink = 0.9
		}
		b.Target("Ink", id)
		b.deep("Pixel", b.noisy(ink, 0.3), id)
		for k, d := range ahead {
			if at[k] > 0 {
				b.observe(d.pred, 1, ids[i-d.step], id)
			}
		}
	}
	b.terms = 6*side*side*(side-1) + 2*len(ids)
}
