package rulemining

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Settings of a search. The zero value of a field takes the default.
type Settings struct {
	Seed uint64
	// Length is the largest number of atoms in a body, 1 to MaxLength, default 3.
	Length int
	// Walks is the number of paths that are sampled for each relation in a round, default 5,000.
	Walks int
}

const (
	// minSupport and minConfidence bound the rules that are kept.
	minSupport    = 2
	minConfidence = 0.001
	// sample is the number of entities X that a path rule is judged by, sampleWork bounds the edges that are looked at for it.
	sample     = 300
	sampleWork = 100_000
	// These bound the rules of a relation that are kept: path rules, rules with constants on either side, and rules with
	// the same constant. Those of highest confidence stay.
	maxPaths     = 3000
	maxConstants = 100_000
	maxConstant  = 500
)

// Search finds rules, round by round. The exported fields are its state after complete rounds, as a record holds it.
type Search struct {
	Settings Settings
	// Rounds is the number of complete rounds.
	Rounds int
	// State has an element for each relation.
	State []*Relation
	// Saturated reports whether the last round has judged no new path rule for a relation.
	Saturated bool

	g     *Graph
	asked *Graph // the facts that rules conclude
}

// Relation is the state of the search for one relation.
type Relation struct {
	// Rules are those found so far, those of highest confidence first.
	Rules RuleSet
	// Seen holds hashes of the bodies of path rules that have been judged, kept or not.
	Seen map[uint64]bool
	// fresh holds those of the present round.
	fresh map[uint64]bool
	// Tried and Kept count paths that were sampled, and path rules that were kept because of them, by
	// length.
	Tried, Kept [MaxLength]int
}

// clone returns a copy that a round may change while the original stays.
func (r *Relation) clone() *Relation {
	c := *r
	c.fresh = map[uint64]bool{}
	c.Rules.Paths = slices.Clone(r.Rules.Paths)
	return &c
}

// NewSearch begins a search for rules whose bodies are about the facts of g and that conclude those of
// asked: all of g, or a part where the others are background that is not complete.
func NewSearch(g, asked *Graph, s Settings) (*Search, error) {
	s.Length, s.Walks = cmp.Or(s.Length, 3), cmp.Or(s.Walks, 5000)
	if s.Length < 1 || s.Length > MaxLength || s.Walks < 1 {
		return nil, errors.New("rulemining: the length of rules has to be 1 to 5, the number of paths 1 or more")
	}
	search := &Search{Settings: s, g: g, asked: asked}
	for range g.Relations {
		search.State = append(search.State, &Relation{Seen: map[uint64]bool{}})
	}
	return search, nil
}

// Resume gives a search that was read from a record its graphs, to go on with: further rounds give the rules that
// they would have given without the interruption.
func (s *Search) Resume(g, asked *Graph) { s.g, s.asked = g, asked }

// Count returns the number of path rules and of rules with constants.
func (s *Search) Count() (paths, constants int) {
	for _, r := range s.State {
		paths, constants = paths+len(r.Rules.Paths), constants+len(r.Rules.Constants[0])+len(r.Rules.Constants[1])
	}
	return
}

// Round searches for every relation once more. The rules after a number of rounds depend on the graph, the
// settings and that number alone, not on the number of threads, which is GOMAXPROCS.
// If ctx ends during a round, the state of before the round is kept and the error of ctx returned.
// done counts the relations of the round that are finished; it may be nil.
func (s *Search) Round(ctx context.Context, done *atomic.Int64) error {
	next := make([]*Relation, len(s.State))
	// Relations with many facts take longest and begin first.
	order := make([]int32, len(s.State))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(len(s.g.Domain(Forward(b))), len(s.g.Domain(Forward(a))))
	})
	var at atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			w := &worker{search: s, g: s.g, walker: newWalker(s.g), count: make([]int32, s.g.Properties()), known: make([]int32, s.g.Properties())}
			for ctx.Err() == nil {
				i := at.Add(1) - 1
				if i >= int64(len(order)) {
					return
				}
				r := order[i]
				next[r] = w.round(ctx, r, s.State[r].clone())
				if done != nil {
					done.Add(1)
				}
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	s.Saturated = true
	for _, r := range next {
		s.Saturated = s.Saturated && len(r.fresh) == 0
		for h := range r.fresh {
			r.Seen[h] = true
		}
		r.fresh = nil
	}
	s.State = next
	s.Rounds++
	return nil
}

// worker searches for one relation at a time.
type worker struct {
	search       *Search
	g            *Graph
	walker       *walker
	count, known []int32 // of properties, 0 between uses
}

// purposes of random numbers.
const (
	forPaths = iota
	forOrder
	forSample
)

func (s *Search) random(r int32, purpose, number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(s.Settings.Seed, uint64(r)<<40|purpose<<36|number))
}

// facts returns the facts of a relation in the order of the search.
func (s *Search) facts(r int32) []Triple {
	var all []Triple
	step := Forward(r)
	for _, h := range s.asked.Domain(step) {
		for _, t := range s.asked.Near(h, step) {
			all = append(all, Triple{h, r, t})
		}
	}
	s.random(r, forOrder, 0).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
