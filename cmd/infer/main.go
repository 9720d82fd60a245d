// Command infer finds the most probable values of the targets of a model in the
// reference system's format.
//
//	go run ./cmd/infer -model examples/smokers/model.json
//
// reads the model and its data, grounds the rules, solves the regularised
// program exactly and prints a summary with the metrics of the model's
// evaluators, and the inferred atoms. With -out it writes them to a file
// PREDICATE.txt for each predicate with targets, a line "arguments<TAB>value" a
// target; -out FILE.csv, FILE.jsonl or FILE.parquet makes one file of all, -out
// ADDRESS#TABLE a table of a database (sqlite:shop.db#atoms, env:SHOP_DATABASE#atoms), each
// with the columns predicate, arg1, arg2, …, value. With -json it prints one object instead of the summary:
//
//	model, partition, method, epsilon         what was solved, and how
//	terms, constraints, targets, components   sizes of the ground program; terms
//	                                          are potentials and constraints
//	iterations      most sweeps or steps that a component took
//	objective       raw energy Σ w·Φ, without regularisation
//	primal, dual    values of the regularised program and of its dual
//	gap             sum of the components' duality gaps
//	max_violation   largest violation of a hard rule
//	status          solved, almost_solved, iteration_limit, time_limit, no_progress,
//	                infeasible, interrupted; with integer predicates optimal, gap_reached,
//	                unresolved, time_limit, interrupted, infeasible
//	ranks, shared_targets   of several ranks; not of one process
//	relaxations     solved in the search for integer values; not without one
//	ground_s, solve_s   seconds for grounding and for solving
//	begun               what method auto began with, on how many components, and what it was
//	                    predicted to take
//	metrics         {predicate: {evaluator: {metric: value}}}
//	learned         what was learned first: loss, epsilon, epochs, stopped,
//	                learn_s, rules; null if nothing was
//	networks_s, weights   seconds for the networks' outputs, and the run they are
//	                of; only with -weights
//	warnings        file, line, column, message, hint, changes_answer
//	explain, top    of -explain and -top: see below
//	atoms           predicate, arguments, value; only without -out
//
// A model with the option runtime.learn is learned first, with the method and the parameters
// that it names, unless -learn=none, -rules or -partition is given.
// -D key=value sets an option of the model. docs/PSL.md says what is the same as in
// the reference and what not.
//
// --infer [METHOD] and --learn [METHOD] do what they do in the reference: what is named
// is done, the other is not. -max-groundings and -max-memory (default: what the machine
// has) stop a model that explodes, with the rule and the literal to add.
//
// Doubts about the model, its rules and its data are warnings with a place and
// advice. -quiet hides them except for those that may change the answer; -strict makes
// them errors.
//
// -explain 'Smokes(cleo)' prints the ground rules that push an atom up and down, with
// their forces -μ·a (dual times coefficient; with -2ε·value and the force of a bound
// they add up to 0), and what the atom would be without each of them and without each
// rule (inferred again, unknown in large components), -top N the soft ground rules that cost
// most, and -groundrules FILE writes them all.
//
// The methods auto (the default) and ipm end with the optimum. The others, bcd, bcd-paper,
// bcd-lockfree, admm and subgradient, stop as in the reference: when the gap of a
// component is below the model's threshold, else 0.01; -gap asks for another.
// With -check the solution is judged outside the solver: an optimum must have
// residuals of at most 1e-6, any other solution what its stop rule promised.
//
// A model whose predicates are backed by networks needs -weights RUN, the folder of a
// run of cmd/train -model: networks, rule weights and ε are those that the run tested.
// The networks' outputs are written and evaluated like inferred values; in ground rules
// they stand as Atom[value].
//
// # Shortcuts
//
// -shortcuts counts what the concepts of the model's networks could mean, given its rules and the labels of the
// partition learn (docs/SHORTCUTS.md), and infers nothing. -timeout bounds the time, ten seconds if it is not given. The
// exit code is 0, with -strict 3 where another map than the true one is left or the count is not whole.
//
// # Integer predicates
//
// A predicate with the option Integer in the model, or named by -integer, has the values 0 and 1 and none between
// (package symbolic/integer): primal is the value of the best point, dual a bound that no point is below and gap their
// difference. -gap, -timeout and Ctrl-C end the search with the best values so far; a second Ctrl-C ends at once.
// -check verifies the whole search: every bound, and that nothing was left out.
//
// # Several ranks, other languages
//
// A program built with -tags mpi infers one ground program over the memories of the ranks of an MPI job:
// docs/CLUSTER.md has the commands, what -split means and what is for one process. With -pipe, and no other flag,
// programs in other languages ask for V(w, g), its gradients and answers over standard input and output (package
// app/pipe); the Python package does.
//
// # Learning
//
// With -learn LOSS (energy, sp, mse or bce) the weights of the soft rules are learned instead (docs/MODELS.md), from the
// partition learn unless -partition says otherwise. The truth of the targets are the labels; targets without truth are
// latent. The model's primary evaluation, else its first, decides when learning ends. -out writes the rules with their
// weights, which sum to 1, to rules.psl, and -rules FILE infers with them, with the weights and the ε as they stand there.
// Learning is a run of cmd/train, whose settings -set takes (docs/TRAINING.md).
// With -json one object is printed:
//
//	loss, epsilon                     what was asked for
//	terms, constraints, targets, labelled   sizes
//	epochs, stopped                   steps made, and why not more: steps,
//	                                  patience or gap
//	best_score, kept_epoch            of the weights that are written
//	solves, unsolved                  inferences, and those that missed their
//	                                  tolerance (exit 5 with -check)
//	ground_s, learn_s, solver_s       seconds
//	rules                             rule, start, weight, satisfaction (1 where
//	                                  the labels never break it)
//	metrics_before, metrics           as without -learn
//
// # Flags and exit codes
//
// `go run ./cmd/infer -h` lists the flags. A flag beats the model's option, which
// beats the default.
//
// Exit codes: 0 done; 1 internal error; 2 usage, model file, rules, or warnings with
// -strict; 3 bad or missing data, or warnings about data with -strict; 4 infeasible
// model, the rules at fault are named; 5 not converged, or the outside check failed
// (only with -check); 130 and 143 interrupted by SIGINT, and SIGTERM or SIGHUP; the message says
// what was written: the best or last weights so far, the last feasible point, or nothing.
package main

import (
	"os"
	"runtime/debug"

	"hinge/app/infer"
	"hinge/cluster"
	_ "hinge/symbolic/facts/drivers" // Parquet, SQLite and PostgreSQL
)

func main() {
	if os.Getenv("GOGC") == "" {
		// Most of the memory lives to the end: collecting more often costs
		// little and keeps the peak low.
		debug.SetGCPercent(50)
	}
	os.Exit(infer.Main(os.Args[1:], cluster.Joint))
}
