package familytest

import (
	"cmp"
	"math"
	"slices"
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

type point struct{ x, y float64 }

// points returns n points of the unit square; their numbers say nothing of
// their places.
func (b *builder) points(n int) []point {
	list := make([]point, n)
	for i := range list {
		list[i] = point{b.rng.Float64(), b.rng.Float64()}
	}
	return list
}

// similar states how similar each point is to its k nearest others, from 0.5 at
// three times the usual distance of neighbours to nearly 1, and returns the
// number of pairs.
func (b *builder) similar(ids []string, points []point, k int) int {
	scale := math.Sqrt(float64(len(points))) / 3
	pairs := 0
	s := newSearch(points)
	for i := range points {
		for _, near := range s.nearest(i, k) {
			b.observe("Similar", 1-min(max(0.5*scale*math.Sqrt(near.square), 0.001), 0.5), ids[i], ids[near.index])
			pairs++
		}
	}
	return pairs
}

// search finds nearest neighbours by a grid of cells with about two points
// each: the cells' points lie behind each other.
type search struct {
	points []point
	side   int
	start  []int32 // of each cell in order; side² + 1
	order  []int32
	found  []neighbour
}

type neighbour struct {
	index  int32
	square float64 // of the distance
}

func newSearch(points []point) *search {
	s := &search{points: points, side: max(1, int(math.Sqrt(float64(len(points))/2)))}
	s.start = make([]int32, s.side*s.side+1)
	for _, p := range points {
		s.start[s.cell(p.x)+s.side*s.cell(p.y)+1]++
	}
	for c := range s.side * s.side {
		s.start[c+1] += s.start[c]
	}
	next := append([]int32(nil), s.start...)
	s.order = make([]int32, len(points))
	for i, p := range points {
		c := s.cell(p.x) + s.side*s.cell(p.y)
		s.order[next[c]] = int32(i)
		next[c]++
	}
	return s
}

func (s *search) cell(x float64) int { return min(int(x*float64(s.side)), s.side-1) }

// nearest returns the k points nearest to point i, itself excluded, the nearest
// first; fewer if there are no more. The slice is valid until the next call.
func (s *search) nearest(i, k int) []neighbour {
	p := s.points[i]
	cx, cy := s.cell(p.x), s.cell(p.y)
	s.found = s.found[:0]
	for ring := 0; ring < s.side; ring++ {
		// Points beyond the rings looked at are at least this far away.
		if safe := float64(ring-1) / float64(s.side); len(s.found) == k && ring > 0 && safe >= 0 && s.found[k-1].square <= safe*safe {
			break
		}
		for y := max(cy-ring, 0); y <= min(cy+ring, s.side-1); y++ {
			step := 1
			if y != cy-ring && y != cy+ring && ring > 0 {
				step = 2 * ring // only the two ends of the row belong to the ring
			}
			for x := cx - ring; x <= cx+ring; x += step {
				if x >= 0 && x < s.side {
					s.visit(i, x+s.side*y)
				}
			}
		}
		slices.SortStableFunc(s.found, func(a, b neighbour) int { return cmp.Compare(a.square, b.square) })
		s.found = s.found[:min(k, len(s.found))]
	}
	return s.found
}

// visit adds the points of a cell as neighbours of point i.
func (s *search) visit(i, cell int) {
	p := s.points[i]
	for _, j := range s.order[s.start[cell]:s.start[cell+1]] {
		if dx, dy := s.points[j].x-p.x, s.points[j].y-p.y; int(j) != i {
			s.found = append(s.found, neighbour{j, dx*dx + dy*dy})
		}
	}
}
