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
	// Penalty is added to the number of known pairs in confidences; default 5.
	Penalty float64
	// MinSupport and MinConfidence bound the rules that are kept; defaults 2 and 0.001.
	MinSupport    int
	MinConfidence float64
	// Walks is the number of paths that are sampled for each relation in a round, default 5,000.
	Walks int
	// Facts is the number of facts whose entities become constants in a round for each
	// relation, default 5,000.
	Facts int
	// Sample is the number of entities X that a path rule is judged by, default 300, and Work
	// bounds the edges that are looked at for it, default 100,000.
	Sample, Work int
	// MaxPaths, MaxConstants and MaxConstant bound the rules of a relation that are kept: path
	// rules, rules with constants on either side, and rules with the same constant. Those of
	// highest confidence stay. Defaults 3,000, 100,000 and 500.
	MaxPaths, MaxConstants, MaxConstant int
}

func (s Settings) resolve() Settings {
	set := func(p *int, v int) { *p = cmp.Or(*p, v) }
	set(&s.Length, 3)
	set(&s.MinSupport, 2)
	set(&s.Walks, 5000)
	set(&s.Facts, 5000)
	set(&s.Sample, 300)
	set(&s.Work, 100_000)
	set(&s.MaxPaths, 3000)
	set(&s.MaxConstants, 100_000)
	set(&s.MaxConstant, 500)
	s.Penalty, s.MinConfidence = cmp.Or(s.Penalty, 5), cmp.Or(s.MinConfidence, 0.001)
	return s
}

// Search finds rules, round by round.
type Search struct {
	Settings Settings
	// Rounds is the number of complete rounds.
	Rounds int

	g     *Graph
	asked *Graph // the facts that rules conclude
	state []*relation
	idle  bool // the last round has found nothing to judge
}

// relation is the state of the search for one relation.
type relation struct {
	Rules RuleSet
	// Seen holds hashes of the bodies of path rules that have been judged, kept or not; fresh
	// holds those of the present round.
	Seen, fresh map[uint64]struct{}
	// Tried and Kept count paths that were sampled, and path rules that were kept because of them, by
	// length.
	Tried, Kept [MaxLength]int
	// Constants is the number of facts, in the order of the search, whose entities have
	// been constants.
	Constants int
}

// clone returns a copy that a round may change while the original stays.
func (r *relation) clone() *relation {
	c := *r
	c.fresh = map[uint64]struct{}{}
	c.Rules.Paths, c.Rules.Tails, c.Rules.Heads = slices.Clone(r.Rules.Paths), slices.Clone(r.Rules.Tails), slices.Clone(r.Rules.Heads)
	return &c
}

// NewSearch begins a search for rules whose bodies are about the facts of g and that conclude those of
// asked: all of g, or a part where the others are background that is not complete.
func NewSearch(g, asked *Graph, s Settings) (*Search, error) {
	s = s.resolve()
	if s.Length < 1 || s.Length > MaxLength {
		return nil, errors.New("rulemining: the length of rules has to be 1 to 5")
	}
	search := &Search{Settings: s, g: g, asked: asked}
	for range g.Relations {
		search.state = append(search.state, &relation{Seen: map[uint64]struct{}{}})
	}
	return search, nil
}

// Rules returns the rules of a relation that have been found so far, those of highest
// confidence first.
func (s *Search) Rules(r int32) *RuleSet { return &s.state[r].Rules }

// Count returns the number of path rules and of rules with constants.
func (s *Search) Count() (paths, constants int) {
	for _, r := range s.state {
		paths, constants = paths+len(r.Rules.Paths), constants+len(r.Rules.Tails)+len(r.Rules.Heads)
	}
	return
}

// Round searches for every relation once more. The rules after a number of rounds depend on the graph, the
// settings and that number alone, not on the number of threads (0: one for each processor).
// If ctx ends during a round, the state of before the round is kept and the error of ctx returned.
// done counts the relations of the round that are finished; it may be nil.
func (s *Search) Round(ctx context.Context, threads int, done *atomic.Int64) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	next := make([]*relation, len(s.state))
	// Relations with many facts take longest and begin first.
	order := make([]int32, len(s.state))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(len(s.g.Domain(Forward(b))), len(s.g.Domain(Forward(a))))
	})
	var at atomic.Int64
	var group sync.WaitGroup
	for range threads {
		group.Go(func() {
			w := &worker{search: s, g: s.g, walker: newWalker(s.g), count: make([]int32, s.g.Properties()), known: make([]int32, s.g.Properties())}
			for ctx.Err() == nil {
				i := at.Add(1) - 1
				if i >= int64(len(order)) {
					return
				}
				r := order[i]
				next[r] = w.round(ctx, r, s.state[r].clone())
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
	s.idle = true
	for i, r := range next {
		s.idle = s.idle && len(r.fresh) == 0 && r.Constants == s.state[i].Constants
		for h := range r.fresh {
			r.Seen[h] = struct{}{}
		}
		r.fresh = nil
	}
	s.state = next
	s.Rounds++
	return nil
}

// worker searches for one relation at a time.
type worker struct {
	search       *Search
	g            *Graph
	walker       *walker
	count, known []int32
	touched      []Property
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
