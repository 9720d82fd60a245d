package ruleweights

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"hinge/symbolic/rulemining"
)

// lambda is λ for the weights of clusters, shared that for the weights that clusters share.
const (
	lambda = 50
	shared = 3
)

// Options of learning.
type Options struct {
	Seed uint64
	// Facts bounds the facts of a relation that queries are made from.
	Facts int
}

const (
	// negatives bounds the entities of a query whose features are kept: as many of highest score by w⁰, and as
	// many drawn from the rest, which stand for all of it.
	negatives = 50
	// missing is the share of the true facts that the graph is taken not to have.
	missing = 0.1
	// steps bounds the steps of the solver, tolerance is the gap, as a share of the value, at which it stops.
	steps     = 100
	tolerance = 0.005
)

// Learned holds weights, and the value and certified gap of the convex program.
type Learned struct {
	Weights    []float64
	Value, Gap float64
}

// Learn returns weights of a model for queries of a side: those of clusters, those without the cluster Rare, those that clusters of a
// kind share, and those of the two noisy ors. They are learned from facts of the model's graph, of which each is left
// out in its turn and asked for, and from two parts of facts that the graph does not have: learned[0] without held[0], learned[1]
// without held[1], learned[2] from all.
func Learn(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, held [2][]rulemining.Triple, o Options) (learned [3][]Learned, err error) {
	p := newProgram(ctx, f, m, side, sampled(facts, o.Facts, o.Seed, m.Relation), held, o)
	few, kind := p.share(m.Clusters)
	noisyOrs := []Learned{{Weights: p.prior}, {Weights: rulemining.NoisyOr(m.Clusters, true)}}
	var of [3][3]Learned // kinds of weights, by the part that is left out
	for less := range learned {
		if less < 2 && len(held[less]) == 0 {
			continue
		}
		few.less, p.less = less, less
		l, err := solve(ctx, few, few.start(of[2]), steps, tolerance)
		if err != nil {
			return learned, err
		}
		of[2][less] = l
		together := Learned{Value: l.Value, Gap: l.Gap}
		for _, k := range kind {
			together.Weights = append(together.Weights, l.Weights[int(k)*levels:][:levels]...)
		}
		for i := range 2 {
			p.prior, p.plain = slices.Clone(together.Weights), i == 1
			if p.plain {
				clear(p.prior[rare:][:levels])
			}
			if of[i][less], err = solve(ctx, p, p.start(of[i]), steps, tolerance); err != nil {
				return learned, err
			}
			learned[less] = append(learned[less], of[i][less])
		}
		learned[less] = append(append(learned[less], together), noisyOrs...)
	}
	for half := range held {
		if len(held[half]) == 0 {
			learned[half] = learned[2]
		}
	}
	return learned, nil
}

// start returns where a solver begins: at w⁰, or between the weights without one part and without the other, which are near those from all.
func (p *program) start(learned [3]Learned) []float64 {
	if learned[0].Weights == nil || learned[1].Weights == nil {
		return p.prior
	}
	mean := floats.AddTo(make([]float64, len(p.prior)), learned[0].Weights, learned[1].Weights)
	floats.Scale(0.5, mean)
	return mean
}

// share returns the program in which clusters of the same kind and slot have the same weights, near those of a noisy or, and the kind of
// each cluster.
func (p *program) share(clusters []rulemining.Cluster) (few *program, kind []int32) {
	var kinds []rulemining.Cluster
	for _, c := range clusters {
		k := slices.Index(kinds, c)
		if k < 0 {
			k, kinds = len(kinds), append(kinds, c)
		}
		kind = append(kind, int32(k))
	}
	few = &program{prior: rulemining.NoisyOr(kinds, false), lambda: shared, begin: p.begin, part: p.part, times: p.times, from: p.from}
	for _, x := range p.what {
		few.what = append(few.what, kind[x/int32(levels)]*int32(levels)+x%int32(levels))
	}
	return few, kind
}

func newProgram(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, side int, facts []rulemining.Triple, held [2][]rulemining.Triple, o Options) *program {
	g := f.Graph()
	p := &program{prior: rulemining.NoisyOr(m.Clusters, false), lambda: lambda, begin: []int32{0}, from: []int32{0}}
	cumulative := rulemining.Cumulative(p.prior)
	var all [levels + 1]float64 // entities by popularity, from −1
	level := func(e int32) int8 { return m.Popularity(side, e, 0) }
	for e := range int32(g.Entities) {
		all[level(e)+1]++
	}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(m.Relation)<<1|uint64(side)))
	scores := make([]float64, g.Entities)
	var list []int // places of entities that are proposed and not true
	for i, fact := range slices.Concat(held[0], held[1], facts) {
		if ctx.Err() != nil {
			return p
		}
		given, answer := fact.Ends(side)
		q, part, less := rulemining.Query{Side: side, Given: given, Own: -1}, 0, int32(0)
		switch {
		case i >= len(held[0])+len(held[1]):
			q.Own, part, less = answer, -1, 1
		case i >= len(held[0]):
			part = 1
		}
		if part >= 0 && g.Has(fact.Head, rulemining.Forward(fact.Relation), fact.Tail) {
			continue
		}
		p.part = append(p.part, part)
		f.Fire(m, q)
		f.Scores(m, side, cumulative, scores)
		answers := g.Near(q.Given, rulemining.Forward(m.Relation)^rulemining.Step(side))
		others := all
		for _, e := range answers {
			others[level(e)+1]--
		}
		if part >= 0 {
			others[level(answer)+1]--
		}
		list = list[:0]
		var own []int32
		for j, e := range f.Entities {
			if e == answer {
				own = f.Of(j)
				continue
			}
			if _, yes := slices.BinarySearch(answers, e); !yes {
				list = append(list, j)
				others[level(e)+1]--
			}
		}
		many := 1.0
		if len(list) > negatives {
			slices.SortStableFunc(list, func(a, b int) int {
				return cmp.Compare(scores[f.Entities[b]], scores[f.Entities[a]])
			})
			// Those drawn come first in the rest.
			rest := list[negatives:]
			n := min(negatives, len(rest))
			for i := range n {
				j := i + rng.IntN(len(rest)-i)
				rest[i], rest[j] = rest[j], rest[i]
			}
			many = float64(len(rest)) / float64(n)
			list = list[:negatives+n]
		}
		add := func(times float64, popularity int8, features []int32) {
			p.what = append(rulemining.Prior(p.what, popularity), features...)
			p.from = append(p.from, int32(len(p.what)))
			p.times = append(p.times, times)
		}
		add(1, m.Popularity(side, answer, less), own)
		for i, j := range list {
			times := 1.0
			if i >= negatives {
				times = many
			}
			add(times*wrong(f.Of(j)), level(f.Entities[j]), f.Of(j))
		}
		// What no rule proposes.
		for l, n := range others {
			if n > 0 {
				add(n, int8(l-1), nil)
			}
		}
		p.begin = append(p.begin, int32(len(p.times)))
	}
	return p
}

// wrong returns the probability that an entity is no true answer, which the graph misses, if the best of the rules that hold is right as
// often as its confidence says: those are the false (1 − c) among the false and the missing true ones (missing·c).
func wrong(features []int32) float64 {
	for _, x := range features {
		if x/int32(levels) == 1 { // the first place
			c := rulemining.Levels[x%int32(levels)]
			return (1 - c) / (1 - c + missing*c)
		}
	}
	return 1
}
