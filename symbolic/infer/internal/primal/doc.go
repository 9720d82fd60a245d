// Package primal solves MAP inference of hinge-loss Markov random fields that
// are quadratic: block coordinate descent on the primal.
//
// A rule such as HasCat(A, 'x') = HasCat(B, 'x') ^2 grounds to two squared
// hinges max(0, z)² + max(0, −z)² = z². Where all potentials come in such pairs
// and each target is in at most one hard equality, as in models of collective
// classification with Σ_L HasCat(P, +L) = 1, a component of the LCQP is
//
//	min ½ yᵀHy + f·y   over  Lower ≤ y ≤ Upper,  a_B·y_B = b_B for disjoint blocks B.
//
// The objective is smooth and the feasible set a product, so exact minimisation
// over one block after the other converges to the optimum (Luo and Tseng, On the
// convergence of the coordinate descent method for convex differentiable
// minimization, 1992), with over-relaxation as well (Cryer, 1971): each block is a
// continuous quadratic knapsack, solved exactly. A sweep costs as much as one
// product with H. On the citation graphs of the paper's deep experiments this is some ten times
// as fast as the dual methods, which carry two multipliers for every pair.
//
//	var d primal.Descent
//	if d.Reads(p) { // whether p, a problem.Problem, is of this kind
//		d.Init(p)
//		for d.Pass(p) > 1e-9 {
//		}
//		d.Point(p)
//	}
//
// Where weights or distances in the graph are such that blocks tell their neighbours little, many
// passes are needed: Pass returns how much the targets still move, and the caller decides (see
// infer.Auto). The multipliers follow from the point, so a result is as certain as any other
// method's. A Descent belongs to one goroutine.
package primal
