// Package relational holds the paper's HL-MRF experiments without networks: the
// relational data sets Cora, CiteSeer, Epinions, drug–drug interactions (DDI), Yelp and
// the debates 4Forums and CreateDebate, their rules, folds and metrics, and the learning of the rules' weights on them.
//
//	set, err := relational.Open("cora", dataRoot)
//	fold, err := set.Fold(0)
//	c, err := relational.Recipe("cora", bilevel.LossBCE)
//	run, err := fold.Run(ctx, c, nil) // run.Weights, run.Test.Value
//
// Table3 and Table4 are the paper's tables of these experiments, for lab/cmd/bench.
//
// # Models
//
// The rules are in the folder rules. All are squared hinges, but those of Yelp are
// linear; arithmetic ones are hard. Weights are relative: learning divides them by their sum.
//
//	cora, citeseer  per topic: papers cited together share it (1), a citation
//	                carries it along and against its direction, and forbids it (4);
//	                per ordered pair of topics: a citation along and against its
//	                direction makes it likelier or less likely (4); hard: the topics
//	                of a paper sum to 1. That is 5k + 4k(k−1) rules for k topics: 203
//	                for Cora's seven.
//	epinions        balance of triangles in four orientations and four patterns of
//	                signs, symmetry, a prior: 21 rules
//	ddi             seven similarities carry an interaction from one drug to another,
//	                none is the default: 8 rules; hard: interactions are symmetric
//	yelp            similar items and users, friends, three other methods and the
//	                averages carry a rating: 21 rules
//	stance-…        text classifiers, and who replies to whom and disagrees: 11 rules
//
// CiteSeer has six topics and so 150 rules. The program that first drew the
// published folds counts one topic too many: a phantom that no paper has. The
// variants cora8 and citeseer7 have it as published: an eighth topic of Cora that
// no rule names, and a seventh of CiteSeer with rules like the others, 203 in all.
// It matters: see the text of Table4.
//
// # Folds and metrics
//
// Package linqs draws the folds. Cora and CiteSeer are scored by accuracy over all
// papers of the test half, those whose topic is given included, as in the paper
// (so that half of the papers are right from the start); the accuracy on the other
// papers is reported beside it. A paper that no rule reaches has all topics alike
// and gets one by lot, drawn once with the fold. Epinions, DDI and the debates
// are scored by the area under the ROC curve of the hidden judgements, interactions and
// stances, Yelp by the mean absolute error of the hidden ratings.
//
// # Errors and concurrency
//
// Missing and damaged files are errors of packages linqs and citation. A Set, a
// Fold and a Part are read-only after they are made, but a Part's Template makes
// instances that belong to one goroutine each.
package relational
