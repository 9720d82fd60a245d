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
// The arity of a predicate stands after its name or follows from "arity" or "types". Types of
// arguments are UniqueStringID, UniqueIntID, String, Integer, Long and Double; integers and
// numbers are checked while reading, and 01 is 1. The values of "observations", "targets" and
// "truth" are a list for all partitions, or an object of lists for the partitions "learn",
// "validation" and "infer", and for "all". The elements are paths of data files (package
// ground describes their form) and rows written as lists. The objects "learn", "validation"
// and "infer" at the top level add "rules" and "options" for one partition.
//
// Relative paths count from the folder of the model file. LoadOptions.Data
// names another folder for data files: a path is looked for there with as many
// of its last components as possible, so that data/x.txt is found in the folder
// itself or in its subfolder data. A file that does not exist is looked for
// with .gz added.
//
// # Networks
//
// The values of a predicate's targets may be the outputs of a network:
//
//	"Neural/2": {
//	    "network": {"model": "mlp", "layers": [64], "features": "data/words.txt", "classes": ["ai", "db"]},
//	    "targets": ["data/papers.txt"],          # all classes of the papers in question
//	    "truth": {"learn": ["data/topics.txt"]}  # labels to learn from, if there are any
//	}
//
// Its atoms are deep atoms of the database, not targets of inference. Keys:
//
//	model      mlp, a perceptron; resnet18 or lenet, for images; sequential, a list of
//	           layers; or a kind that the program has registered (package modelfile)
//	onnx       in the place of model: an ONNX file, whose input are the features and whose
//	           outputs the logits; with layers a perceptron of them is put on the outputs
//	features   a file of tab-separated fields, first the entity's and then numbers;
//	           an array (.npy, the first axis are the entities); images as IDX, or a
//	           folder of them; mnist:train, mnist:test. Package data/features reads them
//	           or a source of facts (csv, jsonl, parquet, sql), whose columns are those of the
//	           entity and then features: numbers, scaled by mean and variance where training
//	           begins, and categories, one feature each
//	categories columns whose numbers are categories, with their texts or none:
//	           {"zip": [], "colour": ["blue", "red"]}
//	entities   the names of the entities, one a line, for .npy and IDX; else 0, 1, …
//	labels     last: the last field of a line is a label and no feature; else none
//	channels   1, grey, or 3, colours, of images
//	layers     widths of the hidden layers; none is one linear layer. Those of a sequential
//	           are names, or objects: {"conv": 16, "size": 5}, "norm", "relu", {"pool": 2},
//	           "average", {"linear": 64}, {"dropout": 0.5}, {"sequence": 12}, "attention"
//	           (package sequential)
//	widths     channels of the four stages of a resnet18, else 64, 128, 256, 512, or of
//	           the three of a lenet, else 6, 16, 120
//	dropout    of hidden units in training, else 0
//	weights    a safetensors file, or a state_dict of torch.save, with first weights: training
//	           takes the tensors of the network's names and shapes and prints what it took and
//	           what not
//	freeze     patterns of parameters that do not learn, such as ["conv1", "layer*"]
//	rates      factors of the learning rate by pattern, such as {"layer*": 0.1}; the last
//	           pattern that fits counts
//	classes    their number (then they are 0, 1, …) or the list of their names; the argument
//	           for them is the category of a CategoricalEvaluator without indexes
//	entity     the argument, or the list of arguments, that name the entity; else all
//	           but the last, or all where there are no classes
//	output     softmax, or sigmoid, which takes each class for itself and is the output of
//	           a predicate without classes
//	share      a predicate declared before, whose features and hidden layers are used:
//	           its network gets further outputs. Only entity, classes and output may
//	           stand beside it
//
// A DeepPredicate of the reference has the description in the place of the path of its Python
// network ("model-path"). The features then come from its entity-data-map-path, with the last
// field as a label, entity from entity-argument-indexes, classes from class-size; its other
// options have no effect.
//
// # Options
//
// The options that determine the problem are read: weight normalisation (on unless turned off,
// as in the reference), relaxation of hard rules, ε, gap, number of iterations and threads,
// the method with its step and seed, missing targets, the folder of results, the settings of
// the evaluators, and in Options.Learning the settings of weight learning. Options about
// databases, logs and memory are listed in Model.Unused; those that would change the answer
// are warnings.
//
// # Warnings
//
// Model.Warnings are doubts: rules that repeat, weights that are all 0, predicates in no rule
// or without data, files that add nothing, and constructs that the reference reads
// differently. Each has a place and advice.
//
// # Use
//
// Load reads a model and fills a database. Rules, Data and GroundOptions go to
// ground.Ground; Model.Evaluate compares the solution with the truth.
//
// # Errors and concurrency
//
// A mistake in the file is an *Error, in a rule a *psl.Error, in data or about a missing data
// file a *facts.Error; all name the place. External functions (Java classes) and Python networks
// are errors that name the replacement. Sizes and depths are limited, so that hostile input
// fails instead of exhausting memory or stack. A Model may be read by many goroutines.
package model
