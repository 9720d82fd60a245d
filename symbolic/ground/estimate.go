package ground

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// walks is the number of random walks of an estimate.
const walks = 2000

// sharpen improves the estimated number of matches of rules that could be large: the first
// estimate takes the columns of tables to be independent.
//
// It walks at random through the join (wander join): at each step it takes one of
// the items that match what is bound so far, and multiplies by their number. The
// mean over the walks has the size of the join as its expectation, whatever hubs
// and joint columns the tables have. It uses the indexes that grounding needs anyway.
func (p *plan) sharpen(c *compiler) {
	worst := 1.0
	for _, s := range p.steps {
		worst *= float64(s.view.items)
	}
	if len(p.steps) < 2 || worst < ManyGroundings || p.groundings == 0 {
		return
	}
	j := joiner{c: c, plan: p, owned: owned{slot: -1}}
	j.prepare()
	if !j.all(p.first) {
		return
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(p.steps))))
	sum := 0.0
	for range walks {
		sum += j.walk(rng)
	}
	p.groundings = sum / walks
}

// walk makes one random walk and returns its weight.
func (j *joiner) walk(rng *rand.Rand) float64 {
	weight := 1.0
	for k := range j.plan.steps {
		s := &j.plan.steps[k]
		items, n := j.matches(k, s)
		if n == 0 {
			return 0
		}
		item := int32(rng.IntN(n))
		if items != nil {
			item = items[item]
		}
		if !j.bindItem(s, item) {
			return 0
		}
		weight *= float64(n)
	}
	return weight
}

// advice names the literal that would make a large rule smaller: one that joins atoms without
// a common variable, else one that restricts the step with most matches.
func (p *plan) advice(db *Database) string {
	var bound []term
	widest, most := -1, 1.0
	for k, s := range p.steps {
		if s.fanout > most && len(s.free) > 0 {
			widest, most = k, s.fanout
		}
		if k > 0 && len(s.key) == 0 && s.fanout > 1 && len(s.free) > 0 {
			return p.joining(db, bound, s.free)
		}
		for _, f := range s.free {
			bound = append(bound, f.slot)
		}
	}
	if widest < 0 {
		return "join fewer atoms"
	}
	name := p.rule.vars[p.steps[widest].free[0].slot]
	return fmt.Sprintf("add a literal that restricts %s, such as Block(%s), with observations for the values that matter", name, name)
}

// joining looks for a predicate of observed atoms that holds constants of a variable
// bound so far in one column and of a free one in another; the smallest is named.
func (p *plan) joining(db *Database, bound []term, free []binding) string {
	best, rows := "", 0
	for _, u := range bound {
		for _, f := range free {
			left, right := p.domain(u), p.domain(f.slot)
			for _, q := range db.preds {
				if q.open() || q.rows == 0 || best != "" && q.rows >= rows || q.arity < 2 {
					continue
				}
				if text := q.holding(left, right, p.rule.vars[u], p.rule.vars[f.slot]); text != "" {
					best, rows = text, q.rows
				}
			}
		}
	}
	a, b := p.rule.vars[bound[0]], p.rule.vars[free[0].slot]
	if best != "" {
		return "add a literal that joins the two, such as " + best
	}
	return fmt.Sprintf("add a literal that joins the two, such as Block(%s, %s), with observations for the pairs that matter", a, b)
}

// domain is the set of constants that a variable can have in the first atom of the
// join with it.
func (p *plan) domain(v term) map[int32]bool {
	for i := range p.rule.join {
		a := &p.rule.join[i]
		for col, t := range a.args {
			if t != v {
				continue
			}
			set := map[int32]bool{}
			for i := col; i < len(a.pred.args); i += a.pred.arity {
				set[a.pred.args[i]] = true
			}
			return set
		}
	}
	return nil
}

// holding returns an atom of the predicate with the two variables in columns that
// hold constants of their domains, or "".
func (p *predicate) holding(left, right map[int32]bool, u, v string) string {
	meets := func(col int, set map[int32]bool) bool { return p.some(col, func(id int32) bool { return set[id] }) }
	for x := range p.arity {
		for y := range p.arity {
			if x == y || !meets(x, left) || !meets(y, right) {
				continue
			}
			args := make([]string, p.arity)
			for i := range args {
				args[i] = fmt.Sprintf("Z%d", i+1)
			}
			args[x], args[y] = u, v
			return p.name + "(" + strings.Join(args, ", ") + ")"
		}
	}
	return ""
}
