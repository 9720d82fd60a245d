package familytest

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/spatial/vptree"
)

// knnRegression has n things in the plane, each similar to the 8 nearest.
func knnRegression(b *builder, n int) {
	const k = 8
	b.Declare("Similar", 2)
	b.Declare("Price", 1)
	b.Declare("Guess", 1)
	ids := numbers(n)
	points := b.points(n)
	for i, p := range points {
		b.Target("Price", ids[i])
		b.deep("Guess", b.noisy(0.5+0.4*math.Sin(6*p.x)*math.Cos(5*p.y), 0.15), ids[i])
	}
	pairs := b.similar(ids, points, k)
	b.terms = 2*pairs + 2*n
}

// knnLabels has n things in the plane, each similar to the 6 nearest, with one
// of five labels that a classifier gets right most of the time.
func knnLabels(b *builder, n int) {
	const k, labels = 6, 5
	b.Declare("Similar", 2)
	b.Declare("Label", 2)
	b.Declare("Guess", 2)
	b.width = labels
	ids, names := numbers(n), numbers(labels)
	points := b.points(n)
	g := make([]float64, labels)
	for i, p := range points {
		label := int(labels * (0.5 + 0.499*math.Sin(5*p.x)*math.Cos(4*p.y)))
		if b.rng.Float64() < 0.2 {
			label = b.rng.IntN(labels)
		}
		Softmax(b.rng, g, label, 2)
		for c, name := range names {
			b.Target("Label", ids[i], name)
			b.deep("Guess", g[c], ids[i], name)
		}
	}
	pairs := b.similar(ids, points, k)
	b.terms = labels*pairs + 2*labels*n + n
}

// point is a place in the plane with a number, which says nothing of the place.
type point struct {
	x, y   float64
	number int
}

// Distance implements vptree.Comparable.
func (p point) Distance(other vptree.Comparable) float64 {
	q := other.(point)
	dx, dy := q.x-p.x, q.y-p.y
	return math.Sqrt(dx*dx + dy*dy)
}

// points returns n points of the unit square.
func (b *builder) points(n int) []point {
	list := make([]point, n)
	for i := range list {
		list[i] = point{b.rng.Float64(), b.rng.Float64(), i}
	}
	return list
}

// similar states how similar each point is to its k nearest others, from 0.5 at
// three times the usual distance of neighbours to nearly 1, and returns the
// number of pairs.
func (b *builder) similar(ids []string, points []point, k int) int {
	scale := math.Sqrt(float64(len(points))) / 3
	pairs := 0
	all := make([]vptree.Comparable, len(points))
	for i, p := range points {
		all[i] = p
	}
	tree, err := vptree.New(all, 10, nil) // what is nearest does not depend on the tree's random numbers
	if err != nil {
		b.Err = cmp.Or(b.Err, err)
		return 0
	}
	for i, p := range points {
		nearest := vptree.NewNKeeper(k + 1) // with the point itself
		tree.NearestSet(nearest, p)
		for _, near := range nearest.Heap[1:] {
			b.observe("Similar", 1-min(max(0.5*scale*near.Dist, 0.001), 0.5), ids[i], ids[near.Comparable.(point).number])
			pairs++
		}
	}
	return pairs
}
