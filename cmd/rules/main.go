// Command rules finds rules in facts, learns their weights, and ranks answers with them.
//
//	go run ./cmd/rules -data FOLDER -out RUN
//
// reads train.txt, valid.txt and test.txt of the folder, lines of head, relation and tail with tabs
// between, and facts.txt, if it is there, with facts that rules may use and nobody asks for. With a model file in place of
// the folder, the observations of predicates with two arguments are the facts, and a fifth of them is held out.
//
// The search goes in rounds until -time is over, -rounds are done or nothing is left to find (package
// symbolic/rulemining). Then weights are learned by convex programs with certified gaps
// (package train/ruleweights), for each relation and each end asked for, and chosen on valid.txt; with -weights noisy-or
// they are taken from the confidences. RUN gets
//
//	result.json   valid_mrr, test_mrr, test_hits1, test_hits3, test_hits10 and how they came about
//	rules.tsv     all rules that have a weight, in words
//	rules.psl     the rules that hold for the queries asked, and their weights, for cmd/infer and cmd/train
//	model.json    the model file of these rules, with the facts in data/
//	search.gob, weights.gob   the records, with which -resume goes on
//
// Metrics are filtered: other true answers of any of the three files are left out. Equal scores share
// the mean of their ranks. The test is looked at once, at the end; with -no-test not at all.
//
//	go run ./cmd/rules -data FOLDER -out RUN -explain 'isa(alga, entity)'
//
// prints what speaks for a fact, with ? for an argument the best answers.
//
// With -ask relation, the held-out facts are asked for the relation between their ends, which is answered by
// applying the rules of two steps again and again, in many small graphs such as stories.
//
// Exit codes: 0 done; 1 internal error; 2 usage; 3 bad or missing data, with file and line; 130 and 143
// interrupted by SIGINT and SIGTERM, the records are written.
package main

import (
	"os"

	"hinge/app/rules"
	_ "hinge/symbolic/facts/drivers" // Parquet, SQLite and PostgreSQL
)

func main() { os.Exit(rules.Main(os.Args[1:], os.Stdout, os.Stderr)) }
