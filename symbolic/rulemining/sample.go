package rulemining

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

// round samples paths for one relation, and the first round finds its rules with constants.
func (w *worker) round(ctx context.Context, r int32, state *Relation) *Relation {
	facts := w.search.facts(r)
	if len(facts) == 0 {
		return state
	}
	w.paths(ctx, r, facts, state)
	if w.search.Rounds == 0 {
		w.constants(ctx, r, &state.Rules)
	}
	return state
}

// paths samples facts r(h, t) and paths from h to t, and judges the rules that these paths are
// examples of. A length gets the more walks the more of its walks have led to rules.
func (w *worker) paths(ctx context.Context, r int32, facts []Triple, state *Relation) {
	set := &w.search.Settings
	rng := w.search.random(r, forPaths, uint64(w.search.Rounds))
	w.judge(r, noSteps, 0, state)
	var share [MaxLength]float64
	sum := 0.0
	for n := range set.Length {
		share[n] = max(0.1, float64(state.Kept[n]+1)/float64(state.Tried[n]+1))
		sum += share[n]
	}
	for n := range set.Length {
		for range int(float64(set.Walks) * share[n] / sum) {
			if ctx.Err() != nil {
				return
			}
			state.Tried[n]++
			w.walk(rng, r, facts[rng.IntN(len(facts))], n+1, state)
		}
	}
	slices.SortFunc(state.Rules.Paths, func(a, b PathRule) int {
		return cmp.Or(cmp.Compare(Confidence(b.Support, b.Known), Confidence(a.Support, a.Known)), slices.Compare(a.Body[:], b.Body[:]))
	})
	state.Rules.Paths = state.Rules.Paths[:min(len(state.Rules.Paths), maxPaths)]
}

// walk samples one path of n steps from f.Head to f.Tail: half of the steps are drawn from the head, others
// from the tail, and all steps that close the path are taken.
func (w *worker) walk(rng *rand.Rand, r int32, f Triple, n int, state *Relation) {
	if f.Head == f.Tail {
		return
	}
	var trail [MaxLength + 1]int32 // the entities from head to tail
	trail[0], trail[n] = f.Head, f.Tail
	body := noSteps
	first, last := n/2, n/2+1 // the places of the entities between which the path is closed
	if n == 1 {
		first, last = 0, 1
	}
	for i := range first {
		body[i], trail[i+1] = w.g.edge(trail[i], rng.IntN(w.g.Degree(trail[i])))
	}
	for i := n; i > last; i-- {
		s, to := w.g.edge(trail[i], rng.IntN(w.g.Degree(trail[i])))
		body[i-1], trail[i-1] = s.Back(), to
	}
	for i := range n + 1 {
		for j := range i {
			if trail[i] == trail[j] {
				return
			}
		}
	}
	for _, s := range w.g.Between(trail[first], trail[last]) {
		if n > 1 || s != Forward(r) {
			body[first] = s
			w.judge(r, body, n, state)
		}
	}
}

// judge counts for what share of a sample a path rule is right, once for each rule.
func (w *worker) judge(r int32, body [MaxLength]Step, n int, state *Relation) {
	h := hash(body)
	if state.Seen[h] || state.fresh[h] {
		return
	}
	state.fresh[h] = true
	p := PathRule{Body: body}
	// On a sample of entities X that have a fact of r: the pairs that the body connects, and those that are facts of r.
	w.walker.pairs(w.search.asked, Forward(r), &body, sample, sampleWork, w.search.random(r, forSample, h>>28), func(_ *frontier, _ int32, fact bool) {
		p.Known++
		if fact {
			p.Support++
		}
	})
	if int(p.Support) >= minSupport && Confidence(p.Support, p.Known) >= minConfidence {
		state.Rules.Paths = append(state.Rules.Paths, p)
		if n > 0 {
			state.Kept[n-1]++
		}
	}
}

// hash mixes a body into 64 bits.
func hash(body [MaxLength]Step) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, s := range body {
		h = (h ^ uint64(uint32(s))) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

// constants finds the rules that have the heads or tails of a relation's facts as constants, with exact counts.
func (w *worker) constants(ctx context.Context, r int32, rules *RuleSet) {
	for side := range rules.Constants {
		list, of := &rules.Constants[side], Forward(r)^Step(side)
		touched := w.tally(w.known, w.search.asked.Domain(of))
		for _, c := range w.search.asked.Domain(of.Back()) {
			if ctx.Err() != nil {
				return
			}
			*list = w.constant(of, c, *list)
		}
		w.best(*list)
		*list = slices.Clone((*list)[:min(len(*list), maxConstants)])
		for _, p := range touched {
			w.known[p] = 0
		}
	}
}

// tally counts how many of some entities have each property, and returns the properties that one of them has.
func (w *worker) tally(count, entities []int32) (touched []Property) {
	for _, x := range entities {
		w.g.EachProperty(x, func(p Property) {
			if count[p] == 0 {
				touched = append(touched, p)
			}
			count[p]++
		})
	}
	return touched
}

// constant appends the rules of(x, c) ← property(x).
func (w *worker) constant(of Step, c int32, rules []ConstantRule) []ConstantRule {
	holders := w.search.asked.Near(c, of.Back())
	if len(holders) < minSupport {
		return rules
	}
	begin := len(rules)
	for _, p := range w.tally(w.count, holders) {
		n := w.count[p]
		w.count[p] = 0
		// A property that is the fact of the head says nothing, nor does having any.
		if s, with := w.g.Of(p); s == of && (with == c || with < 0) {
			continue
		}
		if int(n) >= minSupport && Confidence(n, w.known[p]) >= minConfidence {
			rules = append(rules, ConstantRule{c, p, n, w.known[p]})
		}
	}
	w.best(rules[begin:])
	return rules[:min(len(rules), begin+maxConstant)]
}

// best sorts rules by falling confidence.
func (w *worker) best(rules []ConstantRule) {
	slices.SortFunc(rules, func(a, b ConstantRule) int {
		return cmp.Or(cmp.Compare(Confidence(b.Support, b.Known), Confidence(a.Support, a.Known)),
			cmp.Compare(a.Constant, b.Constant), cmp.Compare(a.Property, b.Property))
	})
}
