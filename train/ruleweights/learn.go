package ruleweights

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"hinge/symbolic/rulemining"
)

// Lambdas are the λ for which weights are learned.
var Lambdas = [...]float64{10, 3}

// Options of learning.
type Options struct {
	Seed uint64
	// Facts bounds the facts of a relation that queries are made from; 0 is the default, 300.
	Facts int
}

func (o Options) facts() int { return cmp.Or(o.Facts, 300) }

const (
	// negatives bounds the entities of a query whose features are kept: as many of highest score by w⁰, and as
	// many drawn from the rest, which stand for all of it.
	negatives = 50
	// steps bounds the steps of the solver, tolerance is the gap, as a share of the value, at which it stops.
	steps     = 100
	tolerance = 0.005
)

// Report describes the learning of one relation: value and certified gap of the convex program, and
// the number of queries and of features.
type Report struct {
	Lambda, Value, Gap float64
	Queries, Features  int
}

// Learn returns weights of a model for queries of a side, from facts of its graph. Each fact is left out in its
// turn and asked for. One program is built, and solved for each λ, the largest first.
func Learn(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, o Options) ([][]float64, []Report, error) {
	p := newProgram(ctx, f, m, side, facts, o)
	var all [][]float64
	var reports []Report
	w := p.prior
	for _, p.lambda = range Lambdas {
		var err error
		var r Report
		if w, r.Value, r.Gap, err = solve(ctx, p, w, steps, tolerance); err != nil {
			return nil, nil, err
		}
		r.Lambda, r.Queries, r.Features = p.lambda, len(p.side), len(p.prior)
		all, reports = append(all, w), append(reports, r)
	}
	return all, reports, nil
}

func newProgram(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, o Options) *program {
	g := m.Graph()
	p := &program{prior: rulemining.NoisyOr(m.Clusters), begin: []int32{0}, from: []int32{0}}
	m.Weights[side] = p.prior
	cumulative := m.Cumulative(side)
	p.cumulative, p.slope = make([]float64, len(p.prior)), make([]float64, len(p.prior))
	var all [2][levels + 1]float64
	for side := range all {
		for e := range int32(g.Entities) {
			all[side][bin(m.Popularity(side, e, 0))]++
		}
	}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(m.Relation)<<1|uint64(side)))
	var fired rulemining.Fired
	type candidate struct {
		at    int32
		score float64
	}
	var list []candidate
	for _, fact := range sampled(facts, o.facts(), o.Seed, m.Relation) {
		if ctx.Err() != nil {
			return p
		}
		q := rulemining.Query{Side: side, Given: fact.Head, Own: fact.Tail}
		if side == 1 {
			q.Given, q.Own = fact.Tail, fact.Head
		}
		f.Fire(m, q, &fired)
		answers := g.Near(q.Given, rulemining.Forward(m.Relation)^rulemining.Step(side))
		others := all[side]
		for _, e := range answers {
			others[bin(m.Popularity(side, e, 0))]--
		}
		list = list[:0]
		own := int32(-1)
		for j, e := range fired.Entities {
			if e == q.Own {
				own = int32(j)
				continue
			}
			if _, yes := slices.BinarySearch(answers, e); yes {
				continue
			}
			s := 0.0
			if l := m.Popularity(side, e, 0); l >= 0 {
				s = cumulative[side*levels+int(l)]
			}
			for _, x := range fired.Of(j) {
				s += cumulative[x]
			}
			list = append(list, candidate{int32(j), s})
		}
		many := 1.0
		if len(list) > negatives {
			slices.SortFunc(list, func(a, b candidate) int {
				return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at))
			})
			// Those drawn come first in the rest.
			rest := list[negatives:]
			n := min(negatives, len(rest))
			for i := range n {
				j := i + rng.IntN(len(rest)-i)
				rest[i], rest[j] = rest[j], rest[i]
			}
			many = float64(len(rest)) / float64(n)
			for _, c := range rest[n:] {
				others[bin(m.Popularity(side, fired.Entities[c.at], 0))]--
			}
			list = list[:negatives+n]
		}
		p.level = append(p.level, m.Popularity(side, q.Own, 1))
		if own >= 0 {
			p.what = append(p.what, fired.Of(int(own))...)
		}
		p.from = append(p.from, int32(len(p.what)))
		p.times = append(p.times, 1)
		for i, c := range list {
			times := 1.0
			if i >= negatives {
				times = many
			}
			p.times = append(p.times, times)
			l := m.Popularity(side, fired.Entities[c.at], 0)
			others[bin(l)]--
			p.level = append(p.level, l)
			p.what = append(p.what, fired.Of(int(c.at))...)
			p.from = append(p.from, int32(len(p.what)))
		}
		p.side, p.others = append(p.side, int8(side)), append(p.others, others)
		p.begin = append(p.begin, int32(len(p.level)))
	}
	return p
}

// bin is the place of a level of popularity in program.others.
func bin(level int8) int {
	if level < 0 {
		return levels
	}
	return int(level)
}
