// Package evaluate compares inferred truth values with true ones: accuracy of
// categories, classification by a threshold, ranking (areas under curves) and
// errors of continuous values.
//
// # Use
//
// A Sample holds the atoms of one predicate with their inferred and true values. An Evaluator
// turns it into a Report: a list of named metrics, one of which is the evaluator's main
// metric, and a Score that is larger for better predictions, for early stopping and search.
//
// # Definitions
//
// They are the metrics of the PSL reference system (version 3), so that figures can be
// compared. With y the inferred and t the true value of an atom:
//
//	Categorical  the arguments named by Indexes are the category, the others the
//	             entity. An entity's category is the one with the largest y.
//	             Accuracy is the share of the atoms with t = 1 that were chosen.
//	Discrete     positive are y ≥ θ and t ≥ θ (Positive); accuracy, precision and recall of
//	             both classes, F1 = 2PR/(P+R) of the positive class.
//	             The values can have a threshold of their own, the Cut; Choose finds the
//	             best one, for data that are not the tested ones, and Curve has all.
//	AUC          positive are t ≥ θ; areas under the receiver operating
//	             characteristic and under the precision–recall curves.
//	Continuous   mean absolute and mean squared error.
//
// The evaluators compare targets that have a true value. With IncludeObserved the observed
// atoms with a true value count as well; with CloseTruth targets without a true value count as
// false.
//
// Two departures make the figures a function of the data. Values that agree to
// 1e-6 are a tie: between categories it goes to the first atom that ties with the largest, where the
// reference flips a coin, and the curves of AUC take such atoms in one step,
// where the reference takes them in arbitrary order. A value that agrees with a threshold to
// 1e-6 counts as at least the threshold, whichever side of it a solver ends on. Programs print
// values to the same six decimals (Value), so that what is printed is what was compared.
//
// # Errors and concurrency
//
// Settings out of range and category indexes that a predicate does not have are
// errors; an empty sample gives a Report without metrics, never 0 or NaN. A value that is not a
// number counts as smaller than all others; with one, the errors of Continuous are NaN.
// Evaluators are plain values and may be shared.
package evaluate
