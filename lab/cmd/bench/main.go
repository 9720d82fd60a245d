// Command bench makes the paper's tables and the tables of inference.
//
//	go run ./lab/cmd/bench -table 5 -splits 0,1
//
// makes the missing runs of the paper's Table 5 on two splits and prints it with
// the paper's figures; `-table NAME -h` lists the flags. The page goes to
// lab/benchmarks/table5.md and the runs to table5.jsonl beside it, so that a table
// that was interrupted goes on where it stopped and machines can share the work
// (-shard i/n, or -shard auto in a job of many tasks; then join the files). Runs are recorded only if a commit holds the
// program (start it by go run in a tree without changes), or with -dirty, and then
// the page marks them. -print makes the page from the records there are.
//
//	go run ./lab/cmd/bench -suite inference -quick
//
// measures all families of generated models with the exact methods, at small
// sizes, and writes lab/benchmarks/inference.md. Each model, size and method is
// measured in a process of its own. Rows are kept in a file beside the tables
// (inference.jsonl), one JSON object a line; a run that is interrupted and
// started again goes on from there, unless the program has changed. At the end it prints
// a summary of the first of the methods, beside the last time each was measured, with its regret:
// how many times as long as the fastest of the methods it took.
//
//	go run ./lab/cmd/bench -calibrate
//
// measures method auto with each approach that it may begin with, in a few minutes, and writes the
// table of costs that it chooses by, symbolic/infer/costs.json, and the page
// lab/benchmarks/costs.md. It prints what each approach took, what it was predicted to take,
// and how many times as long as the fastest the chosen one took.
//
// `go run ./lab/cmd/bench -h` lists the flags. The suite inference measures:
//
//	-families   generated models, all unless named; "none" for none
//	-cases      solved cases in a folder (also HINGE_CASES)
//	-data       Cora, from cora/linqs in a folder (also HINGE_DATA)
//
// Exit codes: 0 done; 1 internal error or a failed run; 2 usage; 3 bad or missing data; 4 and 5
// a run that failed as cmd/train does by them; 130 and 143 interrupted, what was measured is written.
package main

import (
	"os"

	"hinge/lab/command"
)

func main() { os.Exit(command.Run(os.Args[1:])) }
