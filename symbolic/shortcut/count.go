package shortcut

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"slices"
	"time"

	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
)

// Options bound a count.
type Options struct {
	// MaxTime bounds the time; zero means ten seconds.
	MaxTime time.Duration
	// MaxMaps bounds the maps of each independent group; zero means 100,000.
	MaxMaps int
}

// Result describes the possible meanings of the concepts.
type Result struct {
	*Problem
	// Groups are sets of exemplars that no example joins with exemplars of other groups. A
	// choice of one map of each group explains all labels.
	Groups []Group
	// Complete reports whether these are all maps.
	Complete bool
	// Ended is the reason if Complete is false.
	Ended integer.Status
	// Ignored are the weighted rules that the truth breaks, which are asked of no map, and
	// Contrary counts the examples, each sort once, that contradict a hard rule under the truth. They
	// are left out.
	Ignored  []Rule
	Contrary int
	// Evidence reports whether an ignored rule is about several atoms: it may speak against maps
	// that are counted, as it holds more often under the truth than under them.
	Evidence bool

	rows *lcqp.Instance
	at   *table
}

// Group is a set of exemplars with its maps.
type Group struct {
	// Exemplars are increasing. Of a concept without OneHot, several groups may have outputs
	// of one exemplar.
	Exemplars []int
	// Maps are the maps, the true one first: Maps[n][k] are the outputs, increasing, that Exemplars[k] is mapped
	// to, as far as they belong to the group.
	Maps [][][]int
}

// ErrTime is returned if the time limit passed before the count's program was built.
var ErrTime = errors.New("shortcut: the time was over before the examples were looked at")

// Count counts the maps that explain all examples. It renumbers the exemplars of p in the
// order of concepts and values. An error is about the problem, the context's error, or ErrTime; a
// count that a limit ends has Complete = false and no error.
func Count(ctx context.Context, p *Problem, o Options) (*Result, error) {
	begin := time.Now()
	o.MaxTime, o.MaxMaps = cmp.Or(o.MaxTime, 10*time.Second), cmp.Or(o.MaxMaps, 100_000)
	if err := p.check(); err != nil {
		return nil, err
	}
	p.sort()
	within, cancel := context.WithTimeout(ctx, o.MaxTime)
	defer cancel()
	h, err := p.judge(within)
	if err != nil {
		return nil, ended(ctx, err)
	}
	r := &Result{Problem: p, Contrary: h.contrary, at: p.newTable()}
	for _, x := range h.examples {
		if within.Err() != nil {
			return nil, ended(ctx, within.Err())
		}
		r.at.add(x, h.broken)
	}
	for rule, several := range h.broken {
		r.Ignored, r.Evidence = append(r.Ignored, rule), r.Evidence || several
	}
	slices.SortFunc(r.Ignored, func(a, b Rule) int { return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Text, b.Text)) })
	if r.rows, err = r.at.instance(p); err != nil {
		return nil, err
	}
	var outputs []int
	for e := range p.Exemplars {
		for k := range p.Concepts[p.Exemplars[e].Concept].Outputs {
			outputs = append(outputs, r.at.first[e]+k)
		}
	}
	left := max(o.MaxTime-time.Since(begin), 1)
	list, err := integer.List(ctx, r.rows, outputs, integer.ListSettings{Whole: r.at.latent, MaxPoints: o.MaxMaps, MaxTime: left})
	if err != nil {
		return nil, err
	}
	if list.Search == integer.Interrupted {
		return nil, ctx.Err()
	}
	r.Complete, r.Ended = list.Complete(), list.Search
	for _, part := range list.Parts {
		if len(part.Targets) > 0 {
			r.Groups = append(r.Groups, r.group(&part))
		}
	}
	return r, nil
}

// ended is the error of a count that has no time to begin.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return ErrTime
	}
	return err
}

// group makes a group of a part of a listing.
func (r *Result) group(part *integer.Part) (g Group) {
	type place struct{ exemplar, output int }
	places := make([]place, len(part.Targets)) // the first is an index into g.Exemplars
	for k, t := range part.Targets {
		e, found := slices.BinarySearch(r.at.first, t)
		if !found {
			e--
		}
		if n := len(g.Exemplars); n == 0 || g.Exemplars[n-1] != e {
			g.Exemplars = append(g.Exemplars, e)
		}
		places[k] = place{len(g.Exemplars) - 1, t - r.at.first[e]}
	}
	add := func(value func(k int) bool) {
		m := make([][]int, len(g.Exemplars))
		for k, at := range places {
			if value(k) {
				m[at.exemplar] = append(m[at.exemplar], at.output)
			}
		}
		g.Maps = append(g.Maps, m)
	}
	truth := func(k int) bool { return r.truth(g.Exemplars[places[k].exemplar], places[k].output) }
	add(truth)
	for _, point := range part.Points {
		same := true
		for k, on := range point {
			same = same && on == truth(k)
		}
		if !same {
			add(func(k int) bool { return point[k] })
		}
	}
	return g
}

// moved reports whether map n of a group gives Exemplars[k] another value than its true one.
func (r *Result) moved(g *Group, n, k int) bool {
	return !slices.Equal(g.Maps[n][k], g.Maps[0][k])
}

// Number returns the number of maps, the true one included: all of them where the count is
// Complete, else those that were found.
func (r *Result) Number() *big.Int {
	n := big.NewInt(1)
	for i := range r.Groups {
		n.Mul(n, big.NewInt(int64(len(r.Groups[i].Maps))))
	}
	return n
}

// Unique reports whether only the true map explains the labels.
func (r *Result) Unique() bool { return r.Complete && r.Number().Cmp(big.NewInt(1)) == 0 }

// Identified reports for each exemplar whether all maps give it its true value. If the count
// is not Complete, true only means that no other map was found.
func (r *Result) Identified() []bool {
	is := slices.Repeat([]bool{true}, len(r.Exemplars))
	for i := range r.Groups {
		g := &r.Groups[i]
		for k, e := range g.Exemplars {
			for n := range g.Maps {
				is[e] = is[e] && !r.moved(g, n, k)
			}
		}
	}
	return is
}
