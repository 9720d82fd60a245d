// Package ruleweights learns the weights of found rules (package symbolic/rulemining) by a convex
// program.
//
// Every fact r(h, t) of a sample is left out of the facts in its turn and asked for, as are held facts, which the graph does
// not have. Queries for tails and queries
// for heads have weights of their own, and a program each.
// With s(e) = Σ w(k, l)·φ(k, l; e) the score of answer e, and other true answers left out of the
// sum, it is
//
//	min over w ≥ 0   Σ_q log Σ_e exp s(e) − s(answer of q)  +  λ/2·‖w − w⁰‖²
//
// where w⁰ are weights that all clusters of a kind share, learned by the same program with the weights of a noisy or as
// their w⁰. It is strongly convex. optim.BoxStep with acceleration
// solves it, and Learned.Gap bounds how far its value is above the minimum.
//
// In the HL-MRF that cmd/rules writes, the most probable value of r(h, e) is s(e)/2W: the loss is a loss
// of the answers of inference, as in package bilevel, with the inner problem solved in closed form.
//
//	paths, groups := ruleweights.Choose(firer, relation, rules.Paths, facts, options)
//	search.Grade(relation, paths)
//	m := rulemining.NewModel(g, relation, rulemining.RuleSet{Paths: paths, …}, groups)
//	learned, err := ruleweights.Learn(ctx, firer, m, side, facts, held, options)
//
// The sum over e has the entities of highest score by the noisy or and some drawn from the other entities that rules
// propose, which stand for all of those, each times the probability that it is wrong and not a true fact that the graph misses; what no rule proposes counts by its popularity.
// Learn returns weights from all held facts and from those without each half, by which that half can be ranked; beside those of
// the clusters it returns the shared ones, those without the cluster Rare and those of the noisy ors over the clusters and over the best rules, as for
// some relations they rank better. The only error is that of ctx. Equal inputs give equal bits; a Firer belongs to one goroutine, relations may be
// learned by several at once.
package ruleweights
