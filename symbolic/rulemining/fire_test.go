package rulemining

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The score of a pair is what its evidence adds up to, and for the noisy or of the best rules it is −log Π (1 − c) over the five largest
// of the levels that all rules reach that hold, found by trying all entities in all facts.
func TestBestRulesScore(t *testing.T) {
	const entities, relations = 10, 3
	rng := rand.New(rand.NewPCG(8, 8))
	facts := randomFacts(rng, entities, relations, 45)
	g := NewGraph(entities, relations, facts)
	s, err := NewSearch(g, g, Settings{Length: 2})
	require.NoError(t, err)
	require.NoError(t, s.Round(context.Background(), nil))
	f, scores, several := NewFirer(g), make([]float64, entities), 0
	for r := range int32(relations) {
		m := NewModel(g, r, RuleSet{Paths: s.State[r].Rules.Paths}, nil)
		drawn := make([]float64, len(m.Clusters)*len(Levels))
		for i := range drawn {
			drawn[i] = rng.Float64()
		}
		best := NoisyOr(m.Clusters, true)
		clear(best[:len(Levels)]) // popularity
		for side := range 2 {
			for given := range int32(entities) {
				for _, weights := range [][]float64{drawn, best} {
					cumulative := Cumulative(weights)
					f.Fire(m, Query{Side: side, Given: given, Own: -1})
					f.Scores(m, side, cumulative, scores)
					for e := range int32(entities) {
						pair := Atom(Forward(r)^Step(side), given, e)
						if g.Has(pair.Head, Forward(r), pair.Tail) {
							continue // its own evidence leaves the fact out
						}
						sum := 0.0
						for _, v := range f.Evidence(m, side, pair) {
							sum += v.Weight(cumulative)
						}
						require.InDelta(t, scores[e], sum, 1e-12)
					}
				}
				for e := range int32(entities) {
					pair := Atom(Forward(r)^Step(side), given, e)
					var reached []float64
					for _, p := range m.Rules.Paths {
						if connected(facts, entities, p.Body[:p.Len()], []int32{pair.Head}, pair.Tail) {
							reached = append(reached, Levels[level(Confidence(p.Support, p.Known), &Levels)])
						}
					}
					slices.Sort(reached)
					several += len(reached) / (Places + 1)
					want := 0.0
					for _, c := range reached[max(0, len(reached)-Places):] {
						want -= math.Log(1 - c)
					}
					assert.InDelta(t, want, scores[e], 1e-12)
				}
			}
		}
	}
	assert.Greater(t, several, 20, "pairs with more rules than places")
}

// From one level of popularity to the next an answer gains a weight of Popular and loses one of Rare.
func TestPrior(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	weights := make([]float64, (RareCluster+1)*len(Levels))
	for i := range weights {
		weights[i] = rng.Float64()
	}
	cumulative, rare := Cumulative(weights), weights[RareCluster*len(Levels):]
	before, all := sum(cumulative, Prior(nil, -1)), 0.0
	for _, w := range rare {
		all += w
	}
	assert.InDelta(t, all, before, 1e-12, "what is no answer of any fact")
	for l := range int8(len(Levels)) {
		now := sum(cumulative, Prior(nil, l))
		assert.InDelta(t, weights[l]-rare[len(rare)-1-int(l)], now-before, 1e-12)
		before = now
	}
	assert.Equal(t, Rare, NewModel(NewGraph(1, 1, nil), 0, RuleSet{}, nil).Clusters[RareCluster].Kind)
}

// A fact that is left out takes itself from the counts of its rules, and rules that would then be too weak to be kept do not fire.
func TestOwnFactDoesNotCount(t *testing.T) {
	rule := ConstantRule{Support: 5, Known: 6}
	reaches := func(confidence float64, l int8) {
		t.Helper()
		require.GreaterOrEqual(t, confidence, Levels[l])
		require.Less(t, confidence, Levels[l+1])
	}
	var m Model
	reaches(5.0/11, m.level(0, &rule, false, false))
	reaches(4.0/11, m.level(0, &rule, true, false))
	reaches(4.0/10, m.level(0, &rule, true, true))
	assert.EqualValues(t, -1, m.level(0, &ConstantRule{Support: 2, Known: 2}, true, true), "one example is no rule")
	for support, fires := range map[int32]bool{3: true, 4: false} { // of the weakest kept rule, 3/10 and 4/10
		m.Rules.Constants[1] = slices.Repeat([]ConstantRule{{Support: support, Known: 5}}, maxConstants)
		assert.Equal(t, fires, m.level(1, &rule, true, false) >= 0, "a rule with 4/11 and those kept have at least %d/10", support)
	}
}

// Only so many rules of a constant are kept. A fact that is left out would have its rules sorted lower, some of them
// out of the list, and those that fire for it are among the ones that a search without the fact finds, but for ties at the end of the list.
func TestLeastConfidence(t *testing.T) {
	const people, things, constant, other = 40, 900, 940, 941
	rng := rand.New(rand.NewPCG(9, 9))
	left := Triple{0, 0, constant}
	facts := []Triple{left, {0, 0, other}}
	for x := range int32(people) {
		facts = append(facts, Triple{x, 0, constant + x%2})
		for d := range int32(things) {
			if rng.IntN(6) == 0 {
				facts = append(facts, Triple{x, 1, people + d})
			}
		}
	}
	// fires returns the things whose rules propose the constant for the first person, with the confidence that they need to.
	fires := func(facts []Triple, own int32) (map[int32]bool, float64, *Model) {
		g := NewGraph(942, 2, facts)
		s, err := NewSearch(g, g, Settings{Length: 1, Walks: 1})
		require.NoError(t, err)
		require.NoError(t, s.Round(context.Background(), nil))
		m := NewModel(g, 0, s.State[0].Rules, nil)
		require.Len(t, m.byConstant[0][constant], maxConstant)
		f, out := NewFirer(g), map[int32]bool{}
		f.Fire(m, Query{Given: 0, Own: own})
		for _, r := range f.raw {
			if r.e == constant && r.level >= 0 {
				_, with := g.Of(m.Rules.Constants[0][r.rule].Property)
				out[with] = true
			}
		}
		return out, m.least(0, constant), m
	}
	out, least, m := fires(facts, constant)
	below := 0
	without, _, _ := fires(slices.DeleteFunc(slices.Clone(facts), func(f Triple) bool { return f == left }), -1)
	assert.NotEmpty(t, out)
	// Without the fact the list ends lower, as other rules come in.
	for _, c := range m.Rules.Constants[0] {
		_, with := m.g.Of(c.Property)
		if c.Constant != constant || !m.g.Has(0, Forward(1), with) {
			continue
		}
		switch now := Confidence(c.Support-1, c.Known); {
		case now < least:
			assert.False(t, out[with])
			below++
		case now > least:
			assert.True(t, out[with] && without[with])
		}
	}
	assert.Greater(t, below, len(out), "rules that are right for the fact because it is among their examples")
}

// Scores without a cluster are those of a model that does not have its rules.
func TestWithout(t *testing.T) {
	const entities = 12
	rng := rand.New(rand.NewPCG(4, 4))
	g := NewGraph(entities, 2, randomFacts(rng, entities, 2, 50))
	s, err := NewSearch(g, g, Settings{Length: 2})
	require.NoError(t, err)
	require.NoError(t, s.Round(context.Background(), nil))
	rules := s.State[0].Rules
	m := NewModel(g, 0, rules, nil)
	weights := make([]float64, len(m.Clusters)*len(Levels))
	for i := range weights {
		weights[i] = rng.Float64()
	}
	cumulative, changed := Cumulative(weights), 0
	f, other := NewFirer(g), NewFirer(g)
	for i := range rules.Paths {
		k := m.pathCluster[i]
		less := rules
		less.Paths = slices.Delete(slices.Clone(rules.Paths), i, i+1)
		lessModel := NewModel(g, 0, less, nil)
		// Each path rule is a cluster, and the last ones.
		lessCumulative := slices.Delete(slices.Clone(cumulative), int(k)*len(Levels), int(k+1)*len(Levels))
		for side := range 2 {
			for given := range int32(entities) {
				q := Query{Side: side, Given: given, Own: -1}
				whole, have, want := make([]float64, entities), make([]float64, entities), make([]float64, entities)
				f.Fire(m, q)
				f.Scores(m, side, cumulative, whole)
				copy(have, whole)
				f.Without(m, side, cumulative, have, k)
				other.Fire(lessModel, q)
				other.Scores(lessModel, side, lessCumulative, want)
				assert.InDeltaSlice(t, want, have, 1e-12)
				if !slices.Equal(whole, have) {
					changed++
				}
				again := make([]float64, entities)
				f.Scores(m, side, cumulative, again)
				assert.Equal(t, whole, again, "the features stay")
			}
		}
	}
	assert.Greater(t, changed, 50)
}
