// Package chain is a loss of ours, beside the paper's: the free energy of
// hinge-loss models whose samples are chains. It solves no quadratic program, and no
// dual multiplier reaches the network; the paper's losses, which do both, are in
// package bilevel.
//
// Neighbouring links of a chain share a latent separator c (in additions, the carry), which
// takes one of a few states. Each link reads variables x (digits); p is the network's belief
// in their values. With the energy E_l = w·Φ_l of a link,
//
//	F = −T log Σ_c Π_l Σ_x p_l(x) e^(−E_l(x; c_l, c_{l+1})/T)
//
// is the soft minimum of the energy over all values of all variables, weighed by
// belief, and over all states of the separators. Messages passed along the chain
// (Pearl 1988) sum it link by link.
//
// # What it equals, and where it differs
//
// The rules are read at values 0 and 1 only: at one-hot outputs and whole carries. F does not
// depend on the energy in between, so Łukasiewicz's relaxation, which the paper's losses
// differentiate, plays no part.
//
//   - Rules that cost much more than T when they are broken: F is T times the negative
//     logarithm of the probability that they hold, the likelihood that DeepProbLog
//     learns by. On soft outputs, at T = .01, the gradients of both for additions of
//     one and of two digits point the same way (cosine 1.000: TestChainAndLikelihood
//     of tasks/mnistadd). In this sense the
//     chain is exact inference for a probabilistic program whose rules are soft.
//   - Rules that cost about T: a wrong sum keeps the probability e^(−E/T), which bounds
//     the gradient. There the two differ, on outputs that are sharp and wrong.
//   - One-hot outputs, T → 0: F is the least energy over whole carries, which is the
//     latent value function V of package bilevel where the minimum over carries in
//     [0,1] is met at a corner. Elsewhere, and for soft outputs always, V differs: a
//     carry between its states meets every row half-way.
//   - Against V's soft minimum over K random draws of the outputs
//     (bilevel.Options.DrawTemperature): for sharp draws and K → ∞ that converges to F
//     except for carries, as the mean over draws becomes the sum over values.
//
// # Use
//
//	shape, err := chain.Columns(addition, sum)
//	all := func(sample int) int { return 0 } // of all samples, the first of the shapes
//	c, err := chain.New([]chain.Shape{shape}, all, rules, batch, outputs, temperature)
//	err = c.Load(batch)               // samples of the step
//	err = c.Evaluate(w, g)            // F of each sample, in c.Values()
//	c.DeepGradient(dv, dg)            // for the network
//	c.WeightGradient(dv, dw)          // for the rule weights
//
// Samples of one chain may be of several shapes: the parts of an addition,
// say, cut where a carry then is a free end.
//
// What can fail: rules that do not form a chain, tables of the wrong size, and values
// that are not finite (outputs are NaN, or beliefs of 0 rule out everything) are errors. The
// gradient by a belief of 0 is cut where it is beyond 1e100.
//
// Concurrency: a Chain serves one goroutine at a time, and so do its tables.
package chain
