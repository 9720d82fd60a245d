package modelfile

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/train"
)

// policy takes the networks for a stochastic policy: each entity e draws one of its
// classes c_e with the probabilities p_e that its network gives, which then has the
// output 1 and the others 0; inference answers, and the answer is rewarded by the
// primary evaluation R of the model. The expected reward
//
//	J(p) = E R(y*(c)),   c_e ~ p_e independently,
//
// is linear in each p_e, with the derivative ∂J/∂p_ek = E[R | c_e = k]: the value of
// the action k. It is estimated by a few draws of all classes in which one after the
// other is replaced by every alternative (the reference's policy gradient of the
// independent categorical REINFORCE, which draws the others anew for each k; here they
// are the same for all k of an entity, so that differences are of the entity alone).
//
// What draws together and answers together is a group: components of the program and
// entities that rows join. Each has a reward of its own, of its labelled targets, and J
// is their sum.
//
// A class without an atom in the program sets all outputs of its entity to 0; an output
// behind a sigmoid is a draw between 1 and 0.
type policy struct {
	groups     []group
	evaluation *model.Evaluation
	samples    int
	seed       uint64
	w, g       []float64     // rule weights, and outputs of a draw
	p          []float64     // outputs of all networks
	step       uint64        // the running one
	stats      bilevel.Stats // of the last add
}

// entity is a draw: one of the classes with probabilities p, or a 1 with probability
// p[0].
type entity struct {
	p       []float64 // part of policy.p
	column  []int     // of each output in g, -1 where it has none
	sigmoid bool
}

// group is a part of the program with a reward of its own.
type group struct {
	all, rows        []int32 // targets and rows
	entities         []entity
	answer           *bilevel.ValueFunction
	sample           *evaluate.Sample
	labelled, latent []int // places of its atoms in all
}

// newPolicy finds the groups of a partition.
func newPolicy(p *part, samples int, seed uint64, value bilevel.Options, graph *pass[float32]) (*policy, error) {
	e, err := p.primary()
	if err != nil {
		return nil, err
	}
	if p.neural(e.Predicate) {
		return nil, train.Usage("options.policy-weight", "the reward is the primary evaluation, which is of %s, the outputs of a network; make one of inferred values primary", e.Predicate)
	}
	q := &policy{evaluation: e, samples: samples, seed: seed, g: make([]float64, p.Data.DeepAtoms())}
	entities, of := q.entitiesOf(p, graph)
	components := joined(p.template, of, len(entities))
	groups := make([]group, slices.Max(append(components, -1))+1)
	for i := range groups {
		groups[i].sample = &evaluate.Sample{Predicate: e.Predicate}
		for _, d := range p.Predicates {
			if d.Name == e.Predicate {
				groups[i].sample.Arity = d.Arity
			}
		}
	}
	for c, at := range components {
		part, g := &p.template.Components[c], &groups[at]
		g.all, g.rows = append(g.all, part.Targets...), append(g.rows, part.Rows...)
	}
	home := make([]int, p.Data.Targets())
	for i := range groups {
		g := &groups[i]
		slices.Sort(g.all)
		slices.Sort(g.rows)
		for _, t := range g.all {
			home[t] = i
		}
		mine := map[int]bool{}
		for _, k := range g.rows {
			for _, column := range p.template.DeepCol[p.template.DeepPtr[k]:p.template.DeepPtr[k+1]] {
				if n := of[column]; !mine[n] {
					mine[n] = true
					g.entities = append(g.entities, entities[n])
				}
			}
		}
	}
	for a := range p.Data.Atoms(e.Predicate) {
		if a.Kind != ground.Target {
			continue
		}
		g := &groups[home[a.Index]]
		at, _ := slices.BinarySearch(g.all, int32(a.Index))
		truth, ok := p.Data.TruthValue(a.Index)
		list, places := &g.sample.Labelled, &g.labelled
		if !ok {
			list, places = &g.sample.Latent, &g.latent
		}
		*list, *places = append(*list, evaluate.Atom{Args: a.Args, Truth: truth}), append(*places, at)
	}
	for _, g := range groups {
		if len(g.labelled) == 0 || len(g.entities) == 0 {
			continue // no reward, or one that no network can change
		}
		t, err := lcqp.Compile(p.template.Part(g.all, g.rows))
		if err != nil {
			return nil, err
		}
		if g.answer, err = bilevel.New(t, 1, value); err != nil {
			return nil, err
		}
		g.answer.Bind(0, new(infer.Warm))
		q.groups = append(q.groups, g)
	}
	if len(q.groups) == 0 {
		return nil, train.Usage("options.policy-weight", "no true value of %s in the partition learn depends on a network: there is nothing to reward", e.Predicate)
	}
	return q, nil
}

// entitiesOf lists the draws of a partition, and the draw that each output belongs to.
func (q *policy) entitiesOf(p *part, graph *pass[float32]) (list []entity, of []int) {
	for k, v := range p.views {
		q.p = append(q.p, make([]float64, graph.counts[k]*v.width)...)
	}
	of = make([]int, p.Data.DeepAtoms())
	for k, v := range p.views {
		known := map[int]int{}
		for _, a := range v.atoms {
			h, first := v.of(a.output), graph.starts[k]+a.entity*v.width
			at := first + a.output
			from, to, sigmoid := first+h.from, first+h.to, h.Output == "sigmoid"
			if sigmoid {
				from, to = at, at+1
			}
			n, ok := known[from]
			if !ok {
				n = len(list)
				known[from] = n
				list = append(list, entity{p: q.p[from:to], column: slices.Repeat([]int{-1}, to-from), sigmoid: sigmoid})
			}
			list[n].column[at-from] = a.column
			of[a.column] = n
		}
	}
	return list, of
}

// joined numbers the components with targets so that those with an entity in common
// have one number, -1 for others.
func joined(t *lcqp.Template, of []int, entities int) []int {
	parent := make([]int, len(t.Components))
	find := func(c int) int {
		for parent[c] != c {
			parent[c] = parent[parent[c]]
			c = parent[c]
		}
		return c
	}
	first := slices.Repeat([]int{-1}, entities)
	for c, part := range t.Components {
		parent[c] = c
		if len(part.Targets) == 0 {
			continue
		}
		for _, k := range part.Rows {
			for _, column := range t.DeepCol[t.DeepPtr[k]:t.DeepPtr[k+1]] {
				if n := of[column]; first[n] < 0 {
					first[n] = c
				} else {
					parent[find(c)] = find(first[n])
				}
			}
		}
	}
	number, next := map[int]int{}, 0
	list := make([]int, len(t.Components))
	for c := range list {
		root := find(c)
		if len(t.Components[c].Targets) == 0 {
			list[c] = -1
			continue
		}
		if _, ok := number[root]; !ok {
			number[root] = next
			next++
		}
		list[c] = number[root]
	}
	return list
}

// term is the loss −weight·J of the outputs of a graph, whose examples are the whole
// partition.
func (q *policy) term(weight float64, graph *pass[float32]) bilevel.Term {
	return func(*gorgonia.Node) (*gorgonia.Node, error) {
		all := graph.graph.Builder().Gather("policy", train.All(len(q.p)), graph.all...)
		dg := make([]float64, len(q.g))
		return bilevel.Function("policy", nil, all, func(_, p, _, dp []float64) (float64, error) {
			copy(q.p, p)
			clear(dg)
			reward, err := q.add(weight, dg)
			for column, d := range dg {
				dp[graph.index[column]] += d
			}
			graph.extra -= weight * reward
			return -weight * reward, err
		})
	}
}

// add adds weight times an estimate of -∂J/∂g to dg, for the outputs in q.p and the rule
// weights in q.w, and returns the estimate of J.
func (q *policy) add(weight float64, dg []float64) (reward float64, err error) {
	const policyStream = 0x706f6c696379 // "policy"
	rng := rand.New(rand.NewPCG(q.seed, policyStream+q.step<<40))
	q.stats = bilevel.Stats{}
	for i := range q.groups {
		g := &q.groups[i]
		g.answer.ResetStats()
		choice := make([]int, len(g.entities))
		for range q.samples {
			for n := range choice {
				choice[n] = g.entities[n].draw(rng.Float64())
			}
			r, err := q.values(g, choice, weight/float64(q.samples), dg)
			if err != nil {
				return 0, err
			}
			reward += r / float64(q.samples)
		}
		s := g.answer.Stats()
		q.stats.Seconds, q.stats.Solves, q.stats.Unsolved = q.stats.Seconds+s.Seconds, q.stats.Solves+s.Solves, q.stats.Unsolved+s.Unsolved
	}
	return reward, nil
}

// values subtracts weight times the value of each action, given the draws of the
// others, from dg, and returns the reward of the draws.
func (q *policy) values(g *group, choice []int, weight float64, dg []float64) (float64, error) {
	for n := range g.entities {
		g.entities[n].set(q.g, choice[n])
	}
	drawn, err := q.reward(g)
	if err != nil {
		return 0, err
	}
	for n := range g.entities {
		e := &g.entities[n]
		// What no atom stands for has no derivative: values count from there.
		absent := slices.Index(e.column, -1)
		if e.sigmoid {
			absent = 1
		}
		value := func(k int) float64 {
			r := drawn
			if k != choice[n] && err == nil {
				e.set(q.g, k)
				r, err = q.reward(g)
			}
			return r
		}
		base := 0.0
		if absent >= 0 {
			base = value(absent)
		}
		for k, column := range e.column {
			if column >= 0 {
				dg[column] -= weight * (value(k) - base)
			}
		}
		e.set(q.g, choice[n])
	}
	return drawn, err
}

// draw turns a number in [0, 1) into a choice: of a softmax the class, of a sigmoid 0
// for 1 and 1 for 0.
func (e *entity) draw(u float64) int {
	for k, p := range e.p {
		if u -= p; u < 0 {
			return k
		}
	}
	if e.sigmoid {
		return 1
	}
	return len(e.p) - 1
}

// set writes the outputs of a choice.
func (e *entity) set(g []float64, choice int) {
	for k, column := range e.column {
		if column >= 0 {
			g[column] = 0
			if k == choice {
				g[column] = 1
			}
		}
	}
}

// reward infers a group with the outputs in q.g and evaluates it.
func (q *policy) reward(g *group) (float64, error) {
	if err := g.answer.Solve(q.w, q.g); err != nil {
		return 0, fmt.Errorf("modelfile: inference for a draw of the policy: %w", err)
	}
	y := g.answer.Result(0).Y
	for i, at := range g.labelled {
		g.sample.Labelled[i].Value = y[at]
	}
	for i, at := range g.latent {
		g.sample.Latent[i].Value = y[at]
	}
	r, err := q.evaluation.Evaluate(g.sample)
	return r.Score, err
}
