package ground

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

// Options are the settings of Ground. The zero value grounds as the reference
// system does, with weights as they are written.
type Options struct {
	// DropMissing drops a grounding with an atom of an open predicate that is neither observed nor a
	// target. Else it is an error that names the rule and the atom.
	DropMissing bool
	// NormalizeWeights divides all weights by the largest; weights that are all 0
	// become 1.
	NormalizeWeights bool
	// MaxRows limits the ground rows of each rule; zero and less mean no limit.
	MaxRows int
	// Workers is the number of goroutines; zero and less mean GOMAXPROCS. The result
	// does not depend on it.
	Workers int
	// Planned and Grounded, if not nil, are called with all rules in order: Planned before the
	// first is grounded, Grounded after the last.
	Planned  func(RulePlan)
	Grounded func(RuleStats)
	// Watch, if not nil, is told now and then, by several goroutines, how many rows a rule,
	// numbered as in RuleStats, has so far.
	Watch func(rule int, rows int64)
}

// Ground returns the ground program of the rules over the database.
//
// Rules of the result are in source order; the rows of each rule follow each
// other in an order that depends on the database alone. Targets and deep atoms
// have the columns that the database gave them. Errors in the rules are
// *psl.Error; a cancelled context gives its error. The database must not be
// changed meanwhile.
func Ground(ctx context.Context, rules *psl.Program, db *Database, opts Options) (*hlmrf.Program, error) {
	g, err := groundRules(ctx, rules, db, opts, nil, 0)
	if err != nil {
		return nil, err
	}
	return g.assemble(true), nil
}

// grounding holds the ground rows before they become a program.
type grounding struct {
	db    *Database
	rules []*rule
	parts []*emitter
	opts  *Options
}

// groundRules grounds the rules, or one part of a split.
func groundRules(ctx context.Context, rules *psl.Program, db *Database, opts Options, split *Split, part int) (*grounding, error) {
	if rules == nil || db == nil {
		return nil, errors.New("ground: there are no rules or no database: nil")
	}
	c := &compiler{db: db}
	var all []*rule
	for _, src := range rules.Rules {
		split, err := c.compile(src)
		if err != nil {
			return nil, err
		}
		all = append(all, split...)
	}
	ix := &indexes{}
	var parts []*emitter
	plans := make([]*plan, len(all))
	for i, r := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := newPlan(r, ix, len(db.consts.names))
		p.sharpen(c)
		plans[i] = p
		if opts.Planned != nil {
			opts.Planned(p.report(db))
		}
		own := owned{slot: -1}
		if split != nil {
			own = owned{slot: p.variable(ix, len(db.consts.names)), of: split.of, part: int32(part)}
			if own.slot < 0 && part > 0 {
				continue
			}
		}
		kept, seen := new(atomic.Int64), new(atomic.Int64)
		n := int(max(1, min(p.groundings/partSize, maxParts)))
		for k := range n {
			e := &emitter{rule: r, opts: &opts, kept: kept, counts: make([]int, len(r.vars)-r.bound)}
			e.joiner = joiner{ctx: ctx, c: c, plan: p, part: k, parts: n, owned: own}
			if opts.Watch != nil {
				e.joiner.watch = func() { opts.Watch(i, seen.Add(int64(e.fresh()))) }
			}
			e.stats.Rule = i
			parts = append(parts, e)
		}
	}
	if err := groundAll(parts, opts.Workers); err != nil {
		return nil, err
	}
	if opts.Grounded != nil {
		stats := make([]RuleStats, len(all))
		for _, e := range parts {
			e.stats.Rows, e.stats.depth = e.rows.constant.n, e.depth
			stats[e.stats.Rule].add(&e.stats)
		}
		var empty []int
		for i := range stats {
			stats[i].Rule, stats[i].Pos = i, all[i].src.Pos
			if stats[i].Rows == 0 {
				empty = append(empty, i)
			}
		}
		for k, i := range empty[:min(len(empty), MostEmpty+1)] {
			if k == MostEmpty && len(empty) > MostEmpty+1 {
				stats[i].Empty, stats[i].Hint = Others(len(empty))
			} else {
				c.explain(all[i], plans[i], &stats[i])
			}
		}
		for i := range stats {
			stats[i].depth = 0
			opts.Grounded(stats[i])
		}
	}
	if err := countable(parts); err != nil {
		return nil, err
	}
	return &grounding{db, all, parts, &opts}, nil
}

// countable reports more coefficients than row pointers can count.
func countable(parts []*emitter) error {
	targets, deep := 0, 0
	for _, e := range parts {
		targets += e.rows.col.n
		deep += e.rows.deepCol.n
	}
	if max(targets, deep) > math.MaxInt32 {
		return fmt.Errorf("%d coefficients, the limit is 2³¹ − 1", max(targets, deep))
	}
	return nil
}

// A rule is grounded in parts of about partSize groundings by estimate, at
// most maxParts, so that several goroutines can share a large rule. The parts
// follow from the database alone; their rows are joined in order.
const (
	partSize = 1 << 15
	maxParts = 64
)

// groundAll grounds the parts on several goroutines. It returns the error of the first part,
// in order, that failed.
func groundAll(emitters []*emitter, workers int) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next, failed atomic.Int64
	failed.Store(int64(len(emitters)))
	errs := make([]error, len(emitters))
	var wg sync.WaitGroup
	for range min(workers, len(emitters)) {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= failed.Load() { // parts after a failed one do not matter
					return
				}
				if errs[i] = emitters[i].ground(); errs[i] == nil {
					continue
				}
				for f := failed.Load(); i < f && !failed.CompareAndSwap(f, i); f = failed.Load() {
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ground enumerates and emits the groundings of the part.
func (e *emitter) ground() error {
	e.emit = e.arithmetic
	if e.rule.src.Logical != nil {
		e.emit = e.logical
	}
	e.groups = make([]*index, len(e.rule.join))
	for _, s := range e.plan.steps {
		e.groups[s.atom] = s.groups
	}
	emit := e.emit
	e.emit = func() error {
		e.stats.Matches++
		return emit()
	}
	err := e.run()
	if e.watch != nil {
		e.watch()
	}
	return err
}

// assemble joins the rows of the rules' parts to a program, with the names of all targets
// and neural outputs or with none.
func (g *grounding) assemble(named bool) *hlmrf.Program {
	rules, parts, opts := g.rules, g.parts, g.opts
	p := new(hlmrf.Program)
	if named {
		p.Targets, p.Deep = g.db.names(g.db.targets, nil), g.db.names(g.db.deep, nil)
	}
	largest := 0.0
	for _, r := range rules {
		largest = max(largest, r.src.Weight)
	}
	number := make([]int32, len(rules)) // in Rules or HardRules
	for i, r := range rules {
		out := hlmrf.Rule{Text: r.src.String(), Source: r.src.Pos.String()}
		if r.src.Hard {
			number[i] = int32(len(p.HardRules))
			p.HardRules = append(p.HardRules, out)
			continue
		}
		out.Weight, out.Squared = r.src.Weight, r.src.Squared
		switch {
		case opts.NormalizeWeights && largest > 0:
			out.Weight /= largest
		case opts.NormalizeWeights:
			out.Weight = 1
		}
		number[i] = int32(len(p.Rules))
		p.Rules = append(p.Rules, out)
	}
	// Constraints come first, as they do in the LCQP, which then shares the
	// storage.
	var soft, hard []*rowList
	potentials, constraints := 0, 0
	for _, e := range parts {
		if e.rule.src.Hard {
			hard = append(hard, &e.rows)
			constraints += e.rows.constant.n
		} else {
			soft = append(soft, &e.rows)
			potentials += e.rows.constant.n
		}
	}
	p.PotentialRule = make([]int32, 0, potentials)
	p.ConstraintRule = make([]int32, 0, constraints)
	p.Relations = make([]hlmrf.Relation, 0, constraints)
	for _, e := range parts {
		n, r := e.rows.constant.n, number[e.stats.Rule]
		if e.rule.src.Hard {
			p.ConstraintRule = append(p.ConstraintRule, slices.Repeat([]int32{r}, n)...)
			p.Relations = e.relations.drain(p.Relations)
		} else {
			p.PotentialRule = append(p.PotentialRule, slices.Repeat([]int32{r}, n)...)
		}
	}
	p.SetRows(join(append(hard, soft...)), constraints)
	return p
}

// names returns the names of atoms, Predicate(a,b): of all, or of those that are listed.
func (db *Database) names(refs []atomRef, of []int32) []string {
	n := len(of)
	if of == nil {
		n = len(refs)
	}
	list := make([]string, n)
	for i := range list {
		r := refs[i]
		if of != nil {
			r = refs[of[i]]
		}
		list[i] = atomName(r.pred.name, db.strings(r.pred.row(r.row)))
	}
	return list
}
