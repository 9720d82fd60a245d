package ruleweights

import (
	"cmp"
	"context"
	"slices"

	"hinge/symbolic/rulemining"
)

// Defaults. No search over them has been made.
const (
	DefaultLambda = 2
	DefaultScale  = 1
)

// Options of learning. The zero value of a field takes the default.
type Options struct {
	Seed uint64
	// Lambda is λ, default DefaultLambda.
	Lambda float64
	// Scale is the factor of the noisy or's weights in w⁰, default DefaultScale.
	Scale float64
	// Best and MaxPaths bound the path rules that Choose returns; defaults 10 and 200.
	Best, MaxPaths int
	// Redundant is the Jaccard index from which on rules are redundant, default 0.95.
	Redundant float64
	// Facts bounds the facts of a relation that queries are made from, default 300; each makes two.
	Facts int
	// Negatives bounds the entities of a query whose features are kept, default 50: those of
	// highest score by w⁰.
	Negatives int
	// Steps bounds the steps of the solver, default 100; Tolerance is the gap, as a share of the
	// value, at which it stops, default 0.005.
	Steps     int
	Tolerance float64
}

func (o Options) resolve() Options {
	o.Lambda, o.Scale, o.Tolerance = cmp.Or(o.Lambda, DefaultLambda), cmp.Or(o.Scale, DefaultScale), cmp.Or(o.Tolerance, 0.005)
	o.Facts, o.Negatives, o.Steps = cmp.Or(o.Facts, 300), cmp.Or(o.Negatives, 50), cmp.Or(o.Steps, 100)
	o.Best, o.MaxPaths, o.Redundant = cmp.Or(o.Best, 10), cmp.Or(o.MaxPaths, 200), cmp.Or(o.Redundant, 0.95)
	return o
}

// Report describes the learning of one relation: value and certified gap of the convex program, and
// the number of queries and of features.
type Report struct {
	Value, Gap        float64
	Queries, Features int
}

// Learn sets the weights of a model from facts of its graph. Each fact is left out in its turn and asked
// for, by its head and by its tail.
func Learn(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, facts []rulemining.Triple, o Options) (Report, error) {
	o = o.resolve()
	if len(facts) == 0 {
		return Report{}, nil
	}
	p := newProgram(ctx, f, m, facts, &o)
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	w, value, gap, err := solve(ctx, p, o.Steps, o.Tolerance)
	if err != nil {
		return Report{}, err
	}
	m.Weights = w
	return Report{value, gap, len(p.side), len(p.prior)}, nil
}

func newProgram(ctx context.Context, f *rulemining.Firer, m *rulemining.Model, facts []rulemining.Triple, o *Options) *program {
	g := m.Graph()
	p := &program{lambda: o.Lambda, prior: rulemining.NoisyOr(m.Clusters), begin: []int32{0}, from: []int32{0}}
	for i := range p.prior {
		p.prior[i] *= o.Scale
	}
	m.Weights = slices.Clone(p.prior)
	cumulative := m.Cumulative()
	p.cumulative, p.slope = make([]float64, len(p.prior)), make([]float64, len(p.prior))
	var all [2][levels + 1]float64
	for side := range all {
		for e := range int32(g.Entities) {
			all[side][bin(m.Popularity(side, e, 0))]++
		}
	}
	var fired rulemining.Fired
	type candidate struct {
		at    int32
		score float64
	}
	var list []candidate
	for _, fact := range sampled(facts, o.Facts, o.Seed, m.Relation) {
		if ctx.Err() != nil {
			return p
		}
		for side := range 2 {
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
			if len(list) > o.Negatives {
				slices.SortFunc(list, func(a, b candidate) int {
					return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at))
				})
				list = list[:o.Negatives]
			}
			p.level = append(p.level, m.Popularity(side, q.Own, 1))
			if own >= 0 {
				p.what = append(p.what, fired.Of(int(own))...)
			}
			p.from = append(p.from, int32(len(p.what)))
			for _, c := range list {
				l := m.Popularity(side, fired.Entities[c.at], 0)
				others[bin(l)]--
				p.level = append(p.level, l)
				p.what = append(p.what, fired.Of(int(c.at))...)
				p.from = append(p.from, int32(len(p.what)))
			}
			p.side, p.others = append(p.side, int8(side)), append(p.others, others)
			p.begin = append(p.begin, int32(len(p.level)))
		}
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
