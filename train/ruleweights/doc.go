// Package ruleweights learns the weights of found rules (package symbolic/rulemining) by a convex
// program.
//
// Every fact r(h, t) of a sample is left out of the facts in its turn and asked for by its head and by its tail.
// With s(e) = Σ w(k, l)·φ(k, l; e) the score of answer e, and other true answers left out of the
// sum, the program of a relation is
//
//	min over w ≥ 0   Σ_q log Σ_e exp s(e) − s(answer of q)  +  λ/2·‖w − w⁰‖²
//
// where w⁰ are the weights of the noisy or, scaled. It is strongly convex. optim.BoxStep with acceleration
// solves it, and Report.Gap bounds how far its value is above the minimum.
//
// In the HL-MRF that cmd/rules writes, the most probable value of r(h, e) is s(e)/2W: the loss is a loss
// of the answers of inference, as in package bilevel, with the inner problem solved in closed form.
//
//	paths := ruleweights.Choose(firer, relation, rules.Paths, facts, settings, options)
//	group := ruleweights.Group(firer, relation, paths, facts, settings, options)
//	m := rulemining.NewModel(g, relation, rulemining.RuleSet{Paths: paths, …}, group, settings)
//	report, err := ruleweights.Learn(ctx, firer, m, facts, options)
//
// Entities beyond Options.Negatives count in the sum over e by their popularity alone. The only error is
// that of ctx. Equal inputs give equal bits; a Firer belongs to one goroutine, relations may be
// learned by several at once.
package ruleweights
