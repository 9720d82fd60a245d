package search

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// DefaultGrid are the reference's possible weights.
var DefaultGrid = []float64{0.001, 0.01, 0.1, 1, 10}

// maxGrid bounds the points of a GridSearch.
const maxGrid = 1 << 20

// grid checks possible weights.
func grid(values []float64) ([]float64, error) {
	if values == nil {
		values = DefaultGrid
	}
	for _, v := range values {
		if !(v >= 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("search: the possible weight %v is not a finite number ≥ 0", v)
		}
	}
	if len(values) == 0 || slices.Max(values) == 0 {
		return nil, fmt.Errorf("search: there is no possible weight above 0")
	}
	return values, nil
}

// at returns the weights of a point of the grid.
func at(values []float64, point []int) []float64 {
	w := make([]float64, len(point))
	for i, k := range point {
		w[i] = values[k]
	}
	return w
}

// Grid is "GridSearch": it tries all combinations of possible weights.
type Grid struct {
	// Values are the possible weights; nil: DefaultGrid.
	Values []float64
}

// Name returns "GridSearch".
func (Grid) Name() string { return "GridSearch" }

func (g Grid) search(s *session) error {
	values, err := grid(g.Values)
	if err != nil {
		return err
	}
	if math.Pow(float64(len(values)), float64(len(s.Start))) > maxGrid {
		return fmt.Errorf("search: %d possible weights of %d rules are more than %d points; use RandomGridSearch", len(values), len(s.Start), maxGrid)
	}
	point := make([]int, len(s.Start))
	for {
		if _, err := s.try(at(values, point), 1); err != nil {
			return err
		}
		i := 0
		for i < len(point) && point[i] == len(values)-1 {
			point[i] = 0
			i++
		}
		if i == len(point) {
			return nil
		}
		point[i]++
	}
}

// RandomGrid is "RandomGridSearch": it tries different points of the grid at random.
type RandomGrid struct {
	// Values are the possible weights; nil: DefaultGrid.
	Values []float64
	// Locations is the largest number of points; 0: 150.
	Locations int
}

// Name returns "RandomGridSearch".
func (RandomGrid) Name() string { return "RandomGridSearch" }

func (g RandomGrid) search(s *session) error {
	values, err := grid(g.Values)
	if err != nil {
		return err
	}
	_, err = s.randomPoints(values, cmp.Or(g.Locations, 150))
	return err
}

// rated is a point of the grid with its score.
type rated struct {
	point []int
	score float64
}

// randomPoints tries up to n different points.
func (s *session) randomPoints(values []float64, n int) ([]rated, error) {
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	if all := math.Pow(float64(len(values)), float64(len(s.Start))); float64(n) > all {
		n = int(all)
	}
	seen := map[string]bool{}
	var list []rated
	for len(list) < n {
		point := make([]int, len(s.Start))
		for i := range point {
			point[i] = rng.IntN(len(values))
		}
		if seen[key(point)] {
			continue
		}
		seen[key(point)] = true
		score, err := s.try(at(values, point), 1)
		if err != nil {
			return nil, err
		}
		list = append(list, rated{point, score})
	}
	return list, nil
}

func key(point []int) string { return fmt.Sprint(point) }

// GuidedRandomGrid is "GuidedRandomGridSearch": it tries points of the grid at
// random, and then the points one step away from the best of them.
type GuidedRandomGrid struct {
	// Values are the possible weights, in order; nil: DefaultGrid.
	Values []float64
	// Seeds is the number of random points, 0 means 25. Explore is the number of best points
	// whose neighbours are tried, 0 means 10. Locations bounds the points of both kinds
	// together, 0 means 150.
	Seeds, Explore, Locations int
}

// Name returns "GuidedRandomGridSearch".
func (GuidedRandomGrid) Name() string { return "GuidedRandomGridSearch" }

func (g GuidedRandomGrid) search(s *session) error {
	values, err := grid(g.Values)
	if err != nil {
		return err
	}
	left := cmp.Or(g.Locations, 150)
	seeds, err := s.randomPoints(values, min(cmp.Or(g.Seeds, 25), left))
	if err != nil {
		return err
	}
	left -= len(seeds)
	seen := map[string]bool{}
	for _, r := range seeds {
		seen[key(r.point)] = true
	}
	slices.SortStableFunc(seeds, func(a, b rated) int { return cmp.Compare(b.score, a.score) })
	for _, r := range seeds[:min(cmp.Or(g.Explore, 10), len(seeds))] {
		for i := range r.point {
			for _, step := range []int{1, -1} {
				next := slices.Clone(r.point)
				next[i] += step
				if next[i] < 0 || next[i] == len(values) || seen[key(next)] || left == 0 {
					continue
				}
				seen[key(next)] = true
				left--
				if _, err := s.try(at(values, next), 1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
