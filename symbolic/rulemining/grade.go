package rulemining

import (
	"math/bits"
	"math/rand/v2"
)

// Grades is how many grades a path rule has. Where an end of a fact is asked for, a rule holds with grade j for an answer to which its
// last step leads from 2ʲ to 2ʲ⁺¹ − 1 entities (from 2ʲ or more for the last grade): many films of a genre by
// the same director say more than one.
const Grades = 8

// graded is the number of entities that grades are judged by, gradedWork bounds the edges that are looked at for a rule.
const (
	graded     = 1000
	gradedWork = 5 * sampleWork
)

// Counts are the pairs for which a rule holds, and those of them that are facts.
type Counts struct{ Support, Known int32 }

// grade returns the grade with which a rule of the last step holds for an entity of a frontier.
func (l *frontier) grade(e int32) int8 {
	return int8(min(bits.Len32(uint32(l.count[e])), Grades) - 1)
}

// Grade judges the grades of a relation's path rules, for tails asked and for heads asked, on a sample of the entities that have a
// fact of the relation among the asked facts, which alone count. Equal seeds give equal counts.
func (s *Search) Grade(relation int32, paths []PathRule) {
	w := newWalker(s.g)
	for i := range paths {
		p := &paths[i]
		rng := rand.New(rand.NewPCG(s.Settings.Seed, hash(p.Body)^uint64(relation)))
		for side, body := range [2][MaxLength]Step{p.Body, p.reversed()} {
			counts := make([]Counts, Grades)
			w.pairs(s.asked, Forward(relation)^Step(side), &body, graded, gradedWork, rng, func(l *frontier, y int32, fact bool) {
				c := &counts[l.grade(y)]
				c.Known++
				if fact {
					c.Support++
				}
			})
			p.Graded[side] = counts
		}
	}
}

// confidence returns that of a grade where an end is asked for: that of the rule, c, mixed with the grade's own counts, less the
// number of facts that are left out of these.
func (p *PathRule) confidence(side int, grade int8, c float64, less int32) float64 {
	if p.Graded[side] == nil {
		return c
	}
	n := p.Graded[side][grade]
	return (float64(max(n.Support-less, 0)) + penalty*c) / (float64(max(n.Known-less, 0)) + penalty)
}

// levels returns the levels of the grades of a rule of a model where an end is asked for, and those for a fact that is left out, −1 for a grade
// that does not fire.
func (m *Model) levels(p *PathRule, side int) (plain, own [Grades]int8) {
	c, less, left := Confidence(p.Support, p.Known), int32(0), 0.0
	// The counts of a sample most probably do not have the fact in them.
	switch all := len(m.g.Domain(Forward(m.Relation))); {
	case all > sample:
		left = c
	case p.Support > minSupport:
		left = Confidence(p.Support-1, p.Known-1)
	}
	if len(m.g.Domain(Forward(m.Relation)^Step(side))) <= graded {
		less = 1
	}
	for j := range int8(Grades) {
		plain[j], own[j] = level(p.confidence(side, j, c, 0), &Levels), -1
		if left > 0 {
			own[j] = level(p.confidence(side, j, left, less), &Levels)
		}
	}
	return plain, own
}

// pairs calls f for the pairs (x, y) that a body connects, with the frontier of y and whether step of of the asked facts leads from x to
// y. The x are drawn from those that have such a fact, n of them or, if there are no more, all. It ends when the edges looked at exceed limit.
func (w *walker) pairs(asked *Graph, of Step, body *[MaxLength]Step, n, limit int, rng *rand.Rand, f func(l *frontier, y int32, fact bool)) {
	from := asked.Domain(of)
	if len(from) > n {
		// Entities from which the first step leads nowhere cost nothing and tell nothing, so that
		// the sample is of those from which it leads somewhere.
		drawn := from
		if body[0] >= 0 && len(w.g.Domain(body[0])) < len(from) {
			drawn = w.g.Domain(body[0])
		}
		from = nil
		for tries := 0; tries < 20*n && len(from) < n; tries++ {
			if x := drawn[rng.IntN(len(drawn))]; asked.Shelf(x, of) >= 0 && (body[0] < 0 || w.g.Shelf(x, body[0]) >= 0) {
				from = append(from, x)
			}
		}
	}
	w.work = 0
	for _, x := range from {
		l, ok := w.reach(x, body, limit)
		if !ok {
			return
		}
		for _, y := range l.list {
			f(l, y, asked.Has(x, of, y))
		}
	}
}
