package rulemining

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// before returns the entities from which the last step of a body leads to y on a path from x on which all entities differ, by trying all
// entities.
func before(facts []Triple, entities int, body []Step, x, y int32) (list []int32) {
	n := len(body)
	if n < 2 {
		if connected(facts, entities, body, []int32{x}, y) {
			list = []int32{x}
		}
		return list
	}
	for b := range int32(entities) {
		// y may not be on the way to b.
		without := make([]Triple, 0, len(facts))
		for _, f := range facts {
			if f.Head != y && f.Tail != y {
				without = append(without, f)
			}
		}
		if b != y && x != y && holds(facts, body[n-1], b, y) && connected(without, entities, body[:n-1], []int32{x}, b) {
			list = append(list, b)
		}
	}
	return list
}

// The counts of the grades, and the grade with which a rule fires for a pair, are those of trying all entities in all facts.
func TestGrades(t *testing.T) {
	const entities, relations = 9, 2
	several := 0
	for seed := range uint64(4) {
		facts := randomFacts(rand.New(rand.NewPCG(seed, 6)), entities, relations, 45)
		g := NewGraph(entities, relations, facts)
		s, err := NewSearch(g, g, Settings{Seed: seed})
		require.NoError(t, err)
		require.NoError(t, s.Round(context.Background(), nil))
		f := NewFirer(g)
		for r := range int32(relations) {
			paths := s.State[r].Rules.Paths
			s.Grade(r, paths)
			m := NewModel(g, r, RuleSet{Paths: paths}, nil)
			for side := range 2 {
				of := Forward(r) ^ Step(side)
				want := make([][Grades]Counts, len(paths))
				type place struct {
					cluster int32
					level   int8
				}
				reached := map[place]bool{}
				for cluster, level := range m.Reached {
					reached[place{cluster, level}] = true
				}
				for x := range int32(entities) {
					f.Fire(m, Query{Side: side, Given: x, Own: -1})
					type key struct{ rule, e int32 }
					fired := map[key]int8{}
					for _, v := range f.raw {
						fired[key{v.rule, v.e}] = v.grade
						require.True(t, v.level < 0 || reached[place{v.cluster, v.level}])
					}
					for i := range paths {
						body := paths[i].Body
						if side == 1 {
							body = paths[i].reversed()
						}
						for y := range int32(entities) {
							n := len(before(facts, entities, body[:paths[i].Len()], x, y))
							grade, fires := fired[key{int32(i), y}]
							require.Equal(t, n > 0, fires)
							if n == 0 {
								continue
							}
							require.EqualValues(t, bits.Len(uint(n))-1, grade, "%d entities before", n)
							several += n / 2
							if len(g.Near(x, of)) > 0 {
								want[i][grade].Known++
								if holds(facts, of, x, y) {
									want[i][grade].Support++
								}
							}
						}
					}
				}
				for i := range paths {
					require.Equal(t, want[i][:], paths[i].Graded[side])
				}
			}
		}
	}
	assert.Greater(t, several, 1000, "pairs with several entities before the end")
}

// A grade's confidence is (its support + 5·the rule's)/(its known + 5), and a fact that is left out is not counted.
func TestGradeConfidence(t *testing.T) {
	counts := make([]Counts, Grades)
	counts[2] = Counts{Support: 6, Known: 10}
	p := PathRule{Body: with(1, 1), Support: 8, Known: 35, Graded: [2][]Counts{counts, nil}}
	c := Confidence(p.Support, p.Known)
	assert.InDelta(t, 0.2, c, 1e-15)
	assert.InDelta(t, 7.0/15, p.confidence(0, 2, c, 0), 1e-15)
	assert.InDelta(t, 6.0/14, p.confidence(0, 2, c, 1), 1e-15)
	assert.InDelta(t, c, p.confidence(0, 3, c, 1), 1e-15, "never seen")
	assert.InDelta(t, c, p.confidence(1, 2, c, 0), 1e-15, "not judged")
}

// Where facts r(x, x) are usual, the rule r(X, X) is found, and answers questions for both ends.
func TestSameEntity(t *testing.T) {
	var facts []Triple
	for e := range int32(20) {
		facts = append(facts, Triple{e, 0, e}, Triple{e, 1, (e + 1) % 25})
	}
	g := NewGraph(25, 2, facts)
	s, err := NewSearch(g, g, Settings{Length: 1})
	require.NoError(t, err)
	require.NoError(t, s.Round(context.Background(), nil))
	paths := s.State[0].Rules.Paths
	require.Equal(t, PathRule{Body: noSteps, Support: 20, Known: 20}, paths[0])
	s.Grade(0, paths)
	m, f, scores := NewModel(g, 0, RuleSet{Paths: paths}, nil), NewFirer(g), make([]float64, 25)
	names := Names{Relations: []string{"place", "next"}}
	for e := range m.All {
		if len(e.Body) == 0 {
			assert.Equal(t, "place(X, X)", names.Rule(&e))
		}
	}
	for side := range 2 {
		f.Fire(m, Query{Side: side, Given: 22, Own: -1})
		f.Scores(m, side, Cumulative(m.Weights[side]), scores)
		for e, s := range scores {
			assert.True(t, e == 22 || s < scores[22])
		}
		assert.NotEmpty(t, f.Evidence(m, side, Triple{22, 0, 22}))
	}
}

// A fact that is left out takes itself from the counts of its rule and of its grade, a rule with two examples does not fire for one of them, and the
// evidence states counts and entities of its grade.
func TestOwnGrade(t *testing.T) {
	var facts []Triple
	for e := range int32(40) {
		facts = append(facts, Triple{e, 0, e + 40})
	}
	counts := make([]Counts, Grades)
	counts[2], counts[7] = Counts{Support: 6, Known: 10}, Counts{Support: 1, Known: 1}
	paths := []PathRule{
		{Body: with(2, 2, 2), Support: 8, Known: 35, Graded: [2][]Counts{counts, counts}},
		{Body: with(2, 2), Support: 2, Known: 2},
	}
	m := NewModel(NewGraph(80, 2, facts), 0, RuleSet{Paths: paths}, nil)
	at := func(c float64) int8 { return level(c, &Levels) }
	assert.Equal(t, at((6+5*8.0/40)/15), m.pathLevel[0][0][2])
	assert.Equal(t, at((5+5*7.0/39)/14), m.pathOwn[0][0][2])
	assert.Equal(t, at(7.0/39), m.pathOwn[0][0][3])
	assert.Equal(t, at(2.0/7), m.pathLevel[0][1][0])
	assert.EqualValues(t, -1, m.pathOwn[0][1][0])
	names := Names{Relations: []string{"r", "s"}}
	for side, want := range []string{"for 4 to 7 B", "for 4 to 7 A"} {
		e := m.rule(Path, 0, side, 2)
		assert.Equal(t, "r(X, Y) ← s(X, A), s(A, B), s(B, Y), "+want, names.Rule(&e))
		assert.Equal(t, [2]int32{6, 10}, [2]int32{e.Support, e.Known})
	}
	e := m.rule(Path, 0, 0, 7)
	assert.Contains(t, names.Rule(&e), ", for 128 or more B")
	e = m.rule(Path, 0, 0, 0)
	assert.Equal(t, [2]int32{8, 35}, [2]int32{e.Support, e.Known}, "a grade never seen has the rule's")
}

// Facts that nobody asks for count in no grade, as they count in no confidence: s leads to r in all 12 asked facts, and
// in none of 12 others.
func TestGradesOfAsked(t *testing.T) {
	var asked, others []Triple
	for i := range int32(12) {
		asked = append(asked, Triple{i, 0, 20 + i})
		others = append(others, Triple{i, 1, 20 + i}, Triple{40 + i, 0, 60 + i}, Triple{40 + i, 1, 80 + i})
	}
	s, err := NewSearch(NewGraph(100, 2, append(others, asked...)), NewGraph(100, 2, asked), Settings{Length: 1})
	require.NoError(t, err)
	require.NoError(t, s.Round(context.Background(), nil))
	paths := s.State[0].Rules.Paths
	require.Len(t, paths, 1)
	s.Grade(0, paths)
	for side := range 2 {
		assert.Equal(t, Counts{12, 12}, paths[0].Graded[side][0])
	}
	assert.Equal(t, [2]int32{12, 12}, [2]int32{paths[0].Support, paths[0].Known})
}
