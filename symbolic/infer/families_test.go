package infer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// sketch builds small programs for tests.
type sketch struct {
	t testing.TB
	p hlmrf.Program
}

func newSketch(t testing.TB, targets int) *sketch {
	s := &sketch{t: t}
	s.p.HardRules = []hlmrf.Rule{{Text: "hard"}}
	for i := range targets {
		s.p.Targets = append(s.p.Targets, fmt.Sprintf("y%d", i))
	}
	return s
}

func (s *sketch) rule(weight float64, squared bool) int32 {
	s.p.Rules = append(s.p.Rules, hlmrf.Rule{Weight: weight, Squared: squared})
	return int32(len(s.p.Rules) - 1)
}

// soft adds the potential [val·y_col + k]₊.
func (s *sketch) soft(rule int32, k float64, col []int32, val ...float64) {
	s.p.Potentials.Append(col, val, nil, nil, k)
	s.p.PotentialRule = append(s.p.PotentialRule, rule)
}

// hard adds the constraint val·y_col + k ≤ 0 or = 0.
func (s *sketch) hard(relation hlmrf.Relation, k float64, col []int32, val ...float64) {
	s.p.Constraints.Append(col, val, nil, nil, k)
	s.p.ConstraintRule = append(s.p.ConstraintRule, 0)
	s.p.Relations = append(s.p.Relations, relation)
}

func (s *sketch) instance(epsilon float64) *lcqp.Instance {
	s.t.Helper()
	tpl, err := lcqp.Compile(&s.p)
	if err != nil {
		s.t.Fatal(err)
	}
	in, err := tpl.NewInstance(epsilon)
	if err != nil {
		s.t.Fatal(err)
	}
	return in
}

// chain returns n targets in a row: squared hinges pull neighbours together,
// linear hinges pull each target to an observation, every fifth pair must not
// add up to more than 1.2. It is one component.
func chain(t testing.TB, n int, epsilon float64) *lcqp.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 21))
	s := newSketch(t, n)
	smooth, anchor := s.rule(1, true), s.rule(0.5, false)
	for i := range int32(n) {
		o := rng.Float64()
		s.soft(anchor, -o, []int32{i}, 1)
		s.soft(anchor, o, []int32{i}, -1)
		if i == 0 {
			continue
		}
		pair := []int32{i - 1, i}
		s.soft(smooth, 0, pair, 1, -1)
		s.soft(smooth, 0, pair, -1, 1)
		if i%5 == 0 {
			s.hard(hlmrf.LessEqual, -1.2, pair, 1, 1)
		}
	}
	return s.instance(epsilon)
}

// grid returns side × side targets: linear hinges on the differences of the
// four neighbours, squared hinges to observations, and each row of the grid
// must add up to half its length. It is one component.
func grid(t testing.TB, side int, epsilon float64) *lcqp.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(side), 22))
	s := newSketch(t, side*side)
	smooth, anchor := s.rule(0.2, false), s.rule(1, true)
	at := func(r, c int) int32 { return int32(r*side + c) }
	for r := range side {
		row, ones := make([]int32, side), make([]float64, side)
		for c := range side {
			i := at(r, c)
			row[c], ones[c] = i, 1
			o := rng.Float64()
			s.soft(anchor, -o, []int32{i}, 1)
			s.soft(anchor, o, []int32{i}, -1)
			for _, j := range [...]int32{at(r, min(c+1, side-1)), at(min(r+1, side-1), c)} {
				if j != i {
					s.soft(smooth, 0, []int32{i, j}, 1, -1)
					s.soft(smooth, 0, []int32{i, j}, -1, 1)
				}
			}
		}
		s.hard(hlmrf.Equal, -float64(side)/2, row, ones...)
	}
	return s.instance(epsilon)
}
