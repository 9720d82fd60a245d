// Package search finds symbolic weights w_sy by trying them: it maximises a score of
// inference that has no gradient, such as an accuracy.
//
//	r, err := search.Run(ctx, search.Problem{Start: w, Score: score}, search.Hyperband{}, "search.jsonl")
//	r.Weights // with the best score
//
// # Methods
//
// The searches are the PSL reference system's, with its names and defaults; none of them is
// the paper's:
//
//	GridSearch                   all combinations of a few weights
//	RandomGridSearch             some of them
//	GuidedRandomGridSearch       some of them, then the neighbours of the best
//	ContinuousRandomGridSearch   draws from a Dirichlet distribution
//	Hyperband                    such draws; bad ones are dropped at a small budget
//	GaussianProcessPrior         Bayesian optimisation over such draws
//
// A score depends on the ratios of the weights alone where inference has no ε, so
// draws have Euclidean length 1.
//
// # Resuming
//
// The points that a method tries follow from its seed and from the scores so far. Run
// appends each score to a journal; after an interruption the same call reads the
// scores from there until it has used them up, and goes on.
//
// # What can fail
//
// Options out of range, a score that is NaN or an error, and a journal of another
// search are errors. When the context ends, the error is its own and the result is the
// best so far.
//
// # Concurrency and determinism
//
// One goroutine; the score may use more. Equal arguments and scores give equal bits.
package search
