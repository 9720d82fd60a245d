package ruleweights

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/rulemining"
)

// drawn returns a random program: each query has an answer and some other entities.
func drawn(rng *rand.Rand) *program {
	const clusters = 5
	p := &program{lambda: 0.3, begin: []int32{0}, from: []int32{0}, part: make([]int, 12), less: 2}
	for range clusters * levels {
		p.prior = append(p.prior, rng.Float64())
	}
	for range 12 {
		for range 1 + rng.IntN(6) {
			p.times = append(p.times, float64(1+len(p.times)%3))
			for k := range clusters {
				if rng.IntN(2) == 0 {
					p.what = append(p.what, int32(k*levels+rng.IntN(levels)))
				}
			}
			p.from = append(p.from, int32(len(p.what)))
		}
		p.begin = append(p.begin, int32(len(p.times)))
	}
	return p
}

// The value is that of the formula with every entity written out, and the gradient is its finite difference.
func TestValueAndGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		p := drawn(rng)
		w := make([]float64, len(p.prior))
		for i := range w {
			w[i] = 2 * rng.Float64()
		}
		plain := func(w []float64) float64 {
			sum := 0.0
			for i := range w {
				sum += p.lambda / 2 * (w[i] - p.prior[i]) * (w[i] - p.prior[i])
			}
			up := func(cluster, level int) (s float64) {
				for l := range level + 1 {
					s += w[cluster*levels+l]
				}
				return s
			}
			for q := range p.begin[1:] {
				total, answer := 0.0, math.NaN()
				for c := p.begin[q]; c < p.begin[q+1]; c++ {
					s := 0.0
					for _, x := range p.what[p.from[c]:p.from[c+1]] {
						s += up(int(x)/levels, int(x)%levels)
					}
					if c == p.begin[q] {
						answer = s
					}
					total += p.times[c] * math.Exp(s)
				}
				sum += math.Log(total) - answer
			}
			return sum
		}
		grad, scratch := make([]float64, len(w)), make([]float64, len(w))
		assert.InEpsilon(t, plain(w), p.value(w, grad), 1e-12)
		assert.InEpsilon(t, plain(w), p.value(w, nil), 1e-12)
		for i := range w {
			const h = 1e-5
			at := func(d float64) float64 {
				v := slices.Clone(w)
				v[i] += d
				return p.value(v, scratch)
			}
			assert.InDelta(t, (at(h)-at(-h))/(2*h), grad[i], 1e-6)
		}
	}
}

// Scores whose exponentials are above the largest number have a value, log(e¹⁰⁰⁰ + 2·e⁹⁰⁰) − 900 = 100 in double precision.
func TestLargeScores(t *testing.T) {
	p := &program{prior: make([]float64, 2*levels), begin: []int32{0, 2}, part: []int{-1}, times: []float64{2, 1}, from: []int32{0, 1, 2}, what: []int32{0, int32(levels)}}
	w, grad := make([]float64, 2*levels), make([]float64, 2*levels)
	w[0], w[levels] = 900, 1000
	assert.InDelta(t, 100, p.value(w, grad), 1e-9)
	assert.InDelta(t, -1, grad[0], 1e-9)
	assert.InDelta(t, 1, grad[levels], 1e-9)
}

// The certified gap is never below the true distance from the minimum, and the solver closes it.
func TestGapBoundsTheDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 10 {
		p := drawn(rng)
		solved, err := solve(context.Background(), p, p.prior, 20000, 1e-9)
		require.NoError(t, err)
		least := solved.Value
		assert.LessOrEqual(t, solved.Gap, 1e-9*least)
		bound, grad := p.bounds(), make([]float64, len(p.prior))
		w := make([]float64, len(p.prior))
		for range 20 {
			for i := range w {
				w[i] = 3 * rng.Float64()
			}
			value := p.value(w, grad)
			assert.GreaterOrEqual(t, p.gap(w, grad, bound), value-least-1e-9)
			assert.GreaterOrEqual(t, value, least-1e-9)
		}
		before := p.value(p.prior, nil)
		for _, steps := range []int{1, 2, 5, 30} {
			l, err := solve(context.Background(), p, p.prior, steps, 1e-12)
			require.NoError(t, err)
			assert.Equal(t, l.Value, p.value(l.Weights, nil))
			assert.Less(t, l.Value, before, "the best of more points")
			before = l.Value
			assert.GreaterOrEqual(t, l.Gap+1e-9, l.Value-least)
		}
	}
}

// Of two rules that hold equally often, the one that is right gets the larger weight, and rules that hold
// for the same pairs are one group.
func TestLearn(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var facts []rulemining.Triple
	// Relation 1 always goes with relation 0, relation 2 goes with it half the time, relation 3 is 1 again.
	for range 120 {
		x, y, z := rng.Int32N(60), rng.Int32N(60), rng.Int32N(60)
		facts = append(facts, rulemining.Triple{Head: x, Relation: 0, Tail: y}, rulemining.Triple{Head: x, Relation: 1, Tail: y}, rulemining.Triple{Head: x, Relation: 3, Tail: y})
		if rng.IntN(2) == 0 {
			z = y
		}
		facts = append(facts, rulemining.Triple{Head: x, Relation: 2, Tail: z})
	}
	g := rulemining.NewGraph(60, 4, facts)
	search, err := rulemining.NewSearch(g, g, rulemining.Settings{Length: 1})
	require.NoError(t, err)
	require.NoError(t, search.Round(context.Background(), nil))
	var asked []rulemining.Triple
	for _, f := range facts {
		if f.Relation == 0 {
			asked = append(asked, f)
		}
	}
	f := rulemining.NewFirer(g)
	paths, groups := Choose(f, 0, search.State[0].Rules.Paths, asked, Options{Facts: 300})
	search.Grade(0, paths)
	m := rulemining.NewModel(g, 0, rulemining.RuleSet{Paths: paths}, groups)
	all, err := Learn(context.Background(), f, m, 0, asked, [2][]rulemining.Triple{}, Options{Facts: 300})
	require.NoError(t, err)
	assert.Equal(t, all[2], all[0])
	require.Len(t, all[2], 5)
	for _, l := range all[2] {
		assert.LessOrEqual(t, l.Gap, 0.005*l.Value)
	}
	assert.Zero(t, slices.Max(all[2][1].Weights[rare:][:levels]))
	assert.NotZero(t, slices.Max(all[2][0].Weights[rare:][:levels]))
	learned := all[2][0]
	weight := map[rulemining.Triple]float64{}
	place := map[rulemining.Triple]int32{}
	for e := range m.All {
		if len(e.Body) == 0 {
			continue
		}
		place[e.Body[0]] = e.Cluster
		weight[e.Body[0]] = 0
		for _, w := range learned.Weights[int(e.Cluster)*levels:][:levels] {
			weight[e.Body[0]] += w
		}
	}
	atom := func(relation int32) rulemining.Triple {
		return rulemining.Triple{Head: rulemining.X, Relation: relation, Tail: rulemining.Y}
	}
	one, two, three := atom(1), atom(2), atom(3)
	assert.Equal(t, place[one], place[three])
	assert.NotEqual(t, place[one], place[two])
	assert.Greater(t, weight[one], weight[two])
}

// What is learned without a part of the held facts does not depend on them, and the rest does.
func TestHeld(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var facts []rulemining.Triple
	for range 200 {
		x, y := rng.Int32N(30), rng.Int32N(30)
		facts = append(facts, rulemining.Triple{Head: x, Relation: 1, Tail: y}, rulemining.Triple{Head: x, Relation: 0, Tail: (y + rng.Int32N(2)) % 30})
	}
	g := rulemining.NewGraph(30, 2, facts)
	var asked, new []rulemining.Triple
	for x := range int32(30) {
		for y := range int32(30) {
			f := rulemining.Triple{Head: x, Relation: 0, Tail: y}
			if g.Has(x, 0, y) {
				asked = append(asked, f)
			} else if g.Has(x, 2, y) {
				new = append(new, f)
			}
		}
	}
	m := rulemining.NewModel(g, 0, rulemining.RuleSet{Paths: []rulemining.PathRule{{Body: [rulemining.MaxLength]rulemining.Step{2, -1, -1, -1, -1}, Support: 50, Known: 100}}}, nil)
	learn := func(one, two []rulemining.Triple) [3][]Learned {
		all, err := Learn(context.Background(), rulemining.NewFirer(g), m, 0, asked, [2][]rulemining.Triple{one, two}, Options{Facts: 100})
		require.NoError(t, err)
		return all
	}
	half := len(new) / 2
	require.Greater(t, half, 5)
	a, b := learn(new[:half], new[half:]), learn(new[:1], new[half:])
	assert.Equal(t, a[0], b[0])
	assert.NotEqual(t, a[1], b[1])
	assert.NotEqual(t, a[2], b[2])
	assert.NotEqual(t, a[0], a[2])
	assert.Equal(t, learn(asked[:5], nil)[2], learn(nil, nil)[2], "facts that the graph has are not held out")

	// All entities count in a query, true ones that are not asked for left out, and wrong ones that a rule proposes by their probability to be wrong.
	f := rulemining.NewFirer(g)
	p := newProgram(context.Background(), f, m, 0, nil, [2][]rulemining.Triple{new[:1]}, Options{})
	f.Fire(m, rulemining.Query{Given: new[0].Head, Own: -1})
	answers := g.Near(new[0].Head, 0)
	want := 1 + float64(30-len(answers)-1)
	proposed, sum := 0, 0.0
	for i, e := range f.Entities {
		if e != new[0].Tail && !slices.Contains(answers, e) {
			want -= 1 - wrong(f.Of(i))
			proposed++
		}
	}
	require.Positive(t, proposed)
	for _, times := range p.times {
		sum += times
	}
	assert.InDelta(t, want, sum, 1e-9)
}

// The rest of a rule's conclusions is wrong or missing: of 1,000 pairs for which a rule of confidence 0.8 holds, 800 are true, of which
// 80 are not in the graph, so that of the 280 that the graph does not have 200 are wrong.
func TestWrong(t *testing.T) {
	l := int32(slices.Index(rulemining.Levels[:], 0.8))
	assert.InDelta(t, 200./280, wrong([]int32{0, int32(levels) + l, 2 * int32(levels)}), 1e-12)
	assert.Equal(t, 1., wrong(nil))
}
