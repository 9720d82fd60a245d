// Package consensus solves MAP inference of one program whose rows are divided among the ranks
// of a job. No rank holds all rows.
//
// Each rank r has its own rows and a copy x_r of the targets that occur in them. Write the
// regularised LCQP of package lcqp as Σ_r f_r(x_r) + Σ_i ε y_i², where f_r contains the rows
// of rank r and the regularisation of the targets that only this rank has. The package solves
//
//	min  Σ_r f_r(x_r) + Σ_i ε z_i²   s.t.  x_{r,i} = z_i  for each target i of several ranks,
//
// by the alternating direction method of multipliers (global variable consensus: Boyd et
// al., Distributed optimization and statistical learning via the alternating direction
// method of multipliers, 2011, section 7.1):
//
//	x_r ← argmin f_r(x) + Σ_i ρ_i/2 (x_i − z_i + u_{r,i})²   each rank for itself
//	z_i ← argmin ε z² + Σ_r ρ_i/2 (x_{r,i} − z + u_{r,i})²  in the box, a sum over ranks
//	u_r ← u_r + x_r − z
//
// Components that lie in one rank are solved there once and take no part in the iterations.
//
// # Use
//
//	part, err := split.Ground(ctx, rules, db, options, c.Rank()) // package ground
//	template, err := lcqp.Compile(part.Program)
//	in, err := template.NewInstance(epsilon)
//	err = consensus.Solve(c, &consensus.Part{Instance: in, Targets: part.Targets}, settings, &res)
//
// All ranks call Solve together. Each rank gets the values of its targets and the multipliers
// of its rows. All ranks get the same totals: values, gap, violation and status.
//
// # Certificate
//
// The copies make up one point of the whole program. A target that several ranks share has an
// owner, the first rank with a hard row on it, and the owner's copy counts. So hard rows hold
// as exactly as the owner's solver makes them; the violation of hard rows of other ranks on
// the same targets is measured. The multipliers belong to the ranks' rows. lcqp.Share judges
// the point in parts: it adds up the pulls of all ranks' rows on shared targets, and then the
// primal value, the dual value (by weak duality a lower bound for every point of the whole
// program), the violation and the stationarity are the numbers that lcqp.Residuals would
// return on one machine. The status is Solved when they are within the tolerances of package
// infer, with the gap of all components together.
//
// # Near the border
//
// If few targets are shared, most of the work of an iteration would be spent far from them,
// where nothing changes. Then most iterations involve only the rows near shared targets, with
// all other targets held, and an iteration on all rows is made only now and then. This changes
// the starting points of the iterations on all rows and nothing else.
//
// # What can fail
//
// Solve returns an error for arguments that do not fit, a *collective.RankError if another
// rank's arguments do not fit, and the errors of the transport. An infeasible program has that
// status on all ranks. A rank whose own rows contradict each other returns a certificate. If
// only rows of several ranks together contradict each other, the status is Infeasible without
// a certificate if one rank was sent all these rows (Settings.Small), and otherwise NoProgress
// with a violation. Programs without a good cut need many exchanges; they take hundreds of
// iterations and may end as AlmostSolved.
//
// A Comm is used by one goroutine; Solve uses several for the rank's own problems. Results
// depend on the number of ranks and the partition, not on the transport or on goroutines.
package consensus
