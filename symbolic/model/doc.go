// Package model reads the model files of the PSL reference system (version 3):
// rules, predicates, data, evaluators and options in one JSON or YAML file.
//
//	{
//	    "rules": [                               # or the path of a rule file
//	        "2: Friends(A, B) & Smokes(A) -> Smokes(B) ^2",
//	        "1: !Smokes(A)"
//	    ],
//	    "predicates": {
//	        "Friends/2": {"observations": ["data/friends.txt"]},
//	        "Smokes/1": {
//	            "observations": [["ann"], ["bob", 0.3]],
//	            "targets": {"infer": ["data/smokes_targets.txt"]},
//	            "truth": {"infer": ["data/smokes_truth.txt"]},
//	            "evaluations": ["DiscreteEvaluator"]
//	        }
//	    },
//	    "options": {"inference.normalize": false}
//	}
//
// # Files
//
// A file whose name ends in .yaml or .yml is YAML, any other JSON with the
// liberties of the reference: comments (#, //, /* */), single quotes, commas
// before closing brackets, numbers such as +1, 01 and .5. Keys that mean nothing
// are errors, keys that occur twice, too.
//
// The arity of a predicate stands after its name or follows from "arity" or
// "types". Types of arguments are UniqueStringID, UniqueIntID, String, Integer,
// Long and Double; integers and numbers are checked while reading, and 01 is 1. What
// "observations", "targets" and "truth" name is a list for all partitions, or
// an object of lists for the partitions "learn", "validation" and "infer", and
// for "all". The elements are paths of data files (package ground says what is
// in one) and rows written as lists. The objects "learn", "validation" and
// "infer" at the top level add "rules" and "options" for one partition.
//
// Relative paths count from the folder of the model file. LoadOptions.Data
// names another folder for data files: a path is looked for there with as many
// of its last components as possible, so that data/x.txt is found in the folder
// itself or in its subfolder data. A file that does not exist is looked for
// with .gz added.
//
// # Options
//
// Honoured are those that say what to solve: weight normalisation (on unless
// turned off, as in the reference), relaxation of hard rules, ε, gap, number of
// iterations and threads, the method with its step and seed, missing targets,
// the folder of results, the settings of the evaluators, and in Options.Learning
// those of weight learning. Options about databases, logs and memory are listed in
// Model.Unused; those that would change the answer are warnings.
//
// # Warnings
//
// Model.Warnings are doubts: rules that repeat, weights that are all 0, predicates
// in no rule or without data, files that add nothing, and what the reference reads
// otherwise. Each has a place and says what to do.
//
// # Use
//
// Load reads a model and fills a database. Rules, Data and GroundOptions go to
// ground.Ground; Model.Evaluate compares the solution with the truth.
//
// # Errors and concurrency
//
// A mistake in the file is an *Error, in a rule a *psl.Error, in data or about a
// missing data file a *DataError; all say where. External functions (Java
// classes) and DeepPredicates (Python networks) are errors that say what to do
// instead. Sizes and depths are limited, so that hostile input fails instead of
// exhausting memory or stack. A Model may be read by many goroutines.
package model
