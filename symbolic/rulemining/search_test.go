package rulemining

import (
	"bytes"
	"context"
	"encoding/gob"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomFacts draws distinct facts.
func randomFacts(rng *rand.Rand, entities, relations, n int) []Triple {
	var facts []Triple
	for range n {
		f := Triple{rng.Int32N(int32(entities)), rng.Int32N(int32(relations)), rng.Int32N(int32(entities))}
		if !slices.Contains(facts, f) {
			facts = append(facts, f)
		}
	}
	return facts
}

// with returns a body of some steps.
func with(steps ...Step) [MaxLength]Step {
	body := noSteps
	copy(body[:], steps)
	return body
}

// holds reports whether a step leads from x to y, by looking through the facts.
func holds(facts []Triple, s Step, x, y int32) bool {
	r, inverse := s.Relation()
	if inverse {
		x, y = y, x
	}
	return slices.Contains(facts, Triple{x, r, y})
}

// connected reports whether a body holds for (x, y) with all entities different, by trying all entities. One without steps holds where x is y.
func connected(facts []Triple, entities int, body []Step, trail []int32, y int32) bool {
	x := trail[len(trail)-1]
	if len(body) == 0 {
		return x == y
	}
	if len(body) == 1 {
		return !slices.Contains(trail, y) && holds(facts, body[0], x, y)
	}
	for e := range int32(entities) {
		if e != y && !slices.Contains(trail, e) && holds(facts, body[0], x, e) && connected(facts, entities, body[1:], append(slices.Clone(trail), e), y) {
			return true
		}
	}
	return false
}

// property returns the property of having a fact by a step with an entity, or with any (−1).
func property(g *Graph, s Step, with int32) Property {
	for p := range Property(g.Properties()) {
		if step, e := g.Of(p); step == s && e == with {
			return p
		}
	}
	return -1
}

// The counts of all rules that a search finds are those of trying all entities in all facts.
func TestCountsAreThoseOfEnumeration(t *testing.T) {
	for seed := range uint64(6) {
		const entities, relations = 9, 3
		facts := randomFacts(rand.New(rand.NewPCG(seed, 1)), entities, relations, 40)
		g := NewGraph(entities, relations, facts)
		s, err := NewSearch(g, g, Settings{Seed: seed, Walks: 20000})
		require.NoError(t, err)
		for range 12 {
			require.NoError(t, s.Round(context.Background(), nil))
		}
		for r := range int32(relations) {
			some := func(e int32, head bool) bool {
				return slices.ContainsFunc(facts, func(f Triple) bool {
					return f.Relation == r && (head && f.Head == e || !head && f.Tail == e)
				})
			}
			found := map[[MaxLength]Step]bool{}
			for _, p := range s.State[r].Rules.Paths {
				found[p.Body] = true
			}
			// All bodies there are.
			bodies := [][MaxLength]Step{noSteps}
			for a := range Step(2 * relations) {
				if a != Forward(r) {
					bodies = append(bodies, with(a))
				}
				for b := range Step(2 * relations) {
					bodies = append(bodies, with(a, b))
					for c := range Step(2 * relations) {
						bodies = append(bodies, with(a, b, c))
					}
				}
			}
			for _, body := range bodies {
				p := PathRule{Body: body}
				support, known := int32(0), int32(0)
				for x := range int32(entities) {
					for y := range int32(entities) {
						if some(x, true) && connected(facts, entities, body[:p.Len()], []int32{x}, y) {
							known++
							if holds(facts, Forward(r), x, y) {
								support++
							}
						}
					}
				}
				i := slices.IndexFunc(s.State[r].Rules.Paths, func(p PathRule) bool { return p.Body == body })
				require.Equal(t, support >= minSupport, i >= 0, "seed %d, relation %d, body %v, support %d: found", seed, r, body, support)
				if i >= 0 {
					have := s.State[r].Rules.Paths[i]
					assert.Equal(t, [2]int32{support, known}, [2]int32{have.Support, have.Known}, "seed %d, relation %d, body %v", seed, r, body)
				}
			}
			for side, list := range s.State[r].Rules.Constants {
				of := Forward(r) ^ Step(side)
				n := 0
				for c := range int32(entities) {
					for step := range Step(2 * relations) {
						for to := int32(-1); to < entities; to++ {
							if step == of && (to == c || to < 0) {
								continue // the fact itself
							}
							support, known := int32(0), int32(0)
							for x := range int32(entities) {
								has := false
								for e := range int32(entities) {
									has = has || (to < 0 || e == to) && holds(facts, step, x, e)
								}
								if has && some(x, side == 0) {
									known++
									if holds(facts, of, x, c) {
										support++
									}
								}
							}
							if support < minSupport {
								continue
							}
							n++
							p := property(g, step, to)
							assert.True(t, slices.Contains(list, ConstantRule{c, p, support, known}), "seed %d, relation %d, side %d, constant %d, step %d with %d: %d of %d", seed, r, side, c, step, to, support, known)
						}
					}
				}
				assert.Len(t, list, n)
			}
		}
	}
}

// The rules are the same for any number of threads and after a record that a later round goes on from, also
// if a round was interrupted before.
func TestSameSeedSameRules(t *testing.T) {
	facts := randomFacts(rand.New(rand.NewPCG(5, 5)), 40, 4, 400)
	g := NewGraph(40, 4, facts)
	settings := Settings{Seed: 7, Walks: 300}
	search := func(threads int) *Search {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		s, err := NewSearch(g, g, settings)
		require.NoError(t, err)
		for range 4 {
			require.NoError(t, s.Round(context.Background(), nil))
		}
		return s
	}
	want := search(1)
	sums := func(s *Search) (all []RuleSet) {
		for r := range int32(4) {
			all = append(all, s.State[r].Rules)
		}
		return all
	}
	assert.Equal(t, sums(want), sums(search(3)))

	s, err := NewSearch(g, g, settings)
	require.NoError(t, err)
	require.NoError(t, s.Round(context.Background(), nil))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Round(ended, nil), context.Canceled)
	require.NoError(t, s.Round(context.Background(), nil))
	var record bytes.Buffer
	require.NoError(t, gob.NewEncoder(&record).Encode(s))
	again := new(Search)
	require.NoError(t, gob.NewDecoder(&record).Decode(again))
	again.Resume(g, g)
	for range 2 {
		require.NoError(t, again.Round(context.Background(), nil))
	}
	assert.Equal(t, sums(want), sums(again))
}

// A search ends when nothing is left to find.
func TestSaturated(t *testing.T) {
	// Every married pair is married both ways.
	var facts []Triple
	for i := range int32(10) {
		facts = append(facts, Triple{2 * i, 0, 2*i + 1}, Triple{2*i + 1, 0, 2 * i})
	}
	for _, wrong := range []Settings{{Length: -1}, {Length: MaxLength + 1}, {Walks: -1}} {
		if _, err := NewSearch(NewGraph(20, 1, facts), NewGraph(20, 1, facts), wrong); err == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
	s, err := NewSearch(NewGraph(20, 1, facts), NewGraph(20, 1, facts), Settings{})
	require.NoError(t, err)
	for rounds := 1; !s.Saturated; rounds++ {
		require.Less(t, rounds, 10)
		require.NoError(t, s.Round(context.Background(), nil))
		require.Equal(t, rounds, s.Rounds)
	}
	require.Len(t, s.State[0].Rules.Paths, 1)
	assert.Equal(t, PathRule{Body: with(1), Support: 20, Known: 20}, s.State[0].Rules.Paths[0])
	names := Names{Relations: []string{"married"}}
	rule := NewModel(s.g, 0, s.State[0].Rules, nil).rule(Path, 0, 0, 0)
	assert.Equal(t, "married(X, Y) ← married(Y, X)", names.Rule(&rule))
}

// joined reports whether a body of four or five steps holds for (x, y), by trying all entities: X differs from all
// others, Y from the first, and entities at most two steps apart differ.
func joined(facts []Triple, entities int, body []Step, trail []int32, y int32) bool {
	i := len(trail)
	for e := range int32(entities) {
		if i == len(body) && (e != y || e == trail[1]) || e == trail[0] || e == trail[i-1] || i > 1 && e == trail[i-2] || !holds(facts, body[i-1], trail[i-1], e) {
			continue
		}
		if i == len(body) || joined(facts, entities, body, append(slices.Clone(trail), e), y) {
			return true
		}
	}
	return false
}

// The counts of long rules are those of trying all entities, or a little above (PathRule).
func TestLongRules(t *testing.T) {
	pairs, over := 0, 0
	for seed := range uint64(16) {
		const entities, relations = 12, 2
		facts := randomFacts(rand.New(rand.NewPCG(seed, 2)), entities, relations, 24)
		g := NewGraph(entities, relations, facts)
		s, err := NewSearch(g, g, Settings{Seed: seed, Length: 5, Walks: 2000})
		require.NoError(t, err)
		require.NoError(t, s.Round(context.Background(), nil))
		for r := range int32(relations) {
			for _, p := range s.State[r].Rules.Paths {
				if p.Len() < 4 {
					continue
				}
				support, known := int32(0), int32(0)
				for _, x := range g.Domain(Forward(r)) {
					for y := range int32(entities) {
						if joined(facts, entities, p.Body[:p.Len()], []int32{x}, y) {
							known++
							if g.Has(x, Forward(r), y) {
								support++
							}
						}
					}
				}
				pairs, over = pairs+int(known), over+int(p.Known-known)
				assert.GreaterOrEqual(t, p.Known, known)
				assert.GreaterOrEqual(t, p.Support, support)
			}
		}
	}
	assert.Greater(t, pairs, 1000)
	assert.Less(t, over, pairs/100)
}
