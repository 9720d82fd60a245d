// Package consensus solves MAP inference of one program whose rows are divided among the
// ranks of a job, none of which has all of them.
//
// Each rank r has rows of its own, and a copy x_r of the targets that occur in them. With
// the regularised LCQP of package lcqp written as Σ_r f_r(x_r) + Σ_i ε y_i², where f_r holds
// the rows of rank r and the targets that it alone has, what is solved is
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
// Components that lie in one rank take no part in it and are solved once.
//
// # Use
//
//	part, err := split.Ground(ctx, rules, db, options, c.Rank()) // package ground
//	template, err := lcqp.Compile(part.Program)
//	in, err := template.NewInstance(epsilon)
//	err = consensus.Solve(c, &consensus.Part{Instance: in, Targets: part.Targets}, settings, &res)
//
// All ranks call Solve together. Each gets the values of its targets and the multipliers of
// its rows, and all the same totals: values, gap, violation, status.
//
// # Certificate
//
// A point of the whole program is made of the copies: of each target in common the copy of
// one rank counts, its owner, the first that has a hard row with it. So hard rows hold as
// exactly as the owner's solver makes them, except hard rows of other ranks on the same
// targets, whose violation is measured like any. The multipliers belong to the ranks'
// rows. lcqp.Share judges them in parts: the pulls of the rows at targets in common are
// added over the ranks, and then primal value, dual value (a bound that no point of the
// whole program is below, by weak duality), violation and stationarity are those that
// lcqp.Residuals would find on one machine. Status is Solved when they are within the
// tolerances of package infer, the gap that of all components together.
//
// # Near the border
//
// Where few targets are in common, most of the work of an iteration would be spent far from
// them, where nothing changes. Then iterations are made on the rows near targets in common
// with all other targets held, and whole ones only now and then. That changes the
// starting points of whole iterations and nothing else.
//
// # What can fail
//
// Solve returns an error for arguments that do not fit, a *collective.RankError where another
// rank's arguments do not, and for what the transport reports. An infeasible program has
// that status on all ranks and a certificate on each whose own rows contradict each other.
// Where only rows of several ranks do, it has that status, without a certificate, if one rank
// was sent them all (Settings.Small), and ends with NoProgress and a violation else. Programs
// that have no good cut, on which information needs many exchanges, take hundreds of
// iterations, and may end as AlmostSolved.
//
// A Comm is used by one goroutine; Solve uses several for the rank's own problems. Results
// depend on the number of ranks and the partition, not on the transport or on goroutines.
package consensus
