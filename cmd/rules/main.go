// Command rules finds rules in facts, learns their weights, and ranks answers with them.
//
//	go run ./cmd/rules -data FOLDER -out RUN
//
// reads the facts in train.txt of the folder, and valid.txt and test.txt with facts that are held out. RUN gets
// result.json, the rules in words (rules.tsv), a model file for cmd/infer and cmd/train (model.json) and the record
// with which -resume goes on. docs/RULES-FOUND.md describes the files, what is found and how answers are ranked.
//
// Exit codes: 0 done; 1 internal error; 2 usage; 3 bad or missing data, with file and line; 130 and 143
// interrupted by SIGINT, and SIGTERM or SIGHUP, the record is written.
package main

import (
	"os"

	"hinge/app/rules"
	_ "hinge/symbolic/facts/drivers" // Parquet, SQLite and PostgreSQL
)

func main() { os.Exit(rules.Main(os.Args[1:], os.Stdout, os.Stderr)) }
