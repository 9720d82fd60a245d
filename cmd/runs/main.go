// Command runs looks at run folders, which cmd/train writes and tables are made from.
//
//	go run ./cmd/runs -where task=mnist-add2 -sort accuracy -reverse checkpoints
//	go run ./cmd/runs -diff checkpoints/a checkpoints/b
//	go run ./cmd/runs -agree checkpoints/a checkpoints/b checkpoints/c
//	go run ./cmd/runs -where split=0 -html runs.html checkpoints
//
// print a table of the runs in and below folders (checkpoints unless named), what two
// of them differ in, how often the networks of several runs of one model file say the same with
// the figures of the mean of their values, and a page that lays their curves over each other.
// -json prints an object a line. Folders of cmd/rules are not listed: result.json there has the figures. With -agree, -model names the model file to infer, in place of that of the first run.
//
// Exit codes: 0 done; 2 usage; 3 a folder could not be read, the others are shown.
package main

import (
	"os"

	"hinge/app/runs"
)

func main() { os.Exit(runs.Main(os.Args[1:], os.Stdout, os.Stderr)) }
