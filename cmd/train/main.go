// Command train trains, resumes and evaluates one neural-symbolic task.
//
//	go run ./cmd/train -task mnist-add2
//
// trains MNIST addition of two-digit numbers with the default recipe and writes
// checkpoints, metrics.jsonl and result.json to a folder under checkpoints/.
// `go run ./cmd/train -h` lists the flags.
//
//	go run ./cmd/train -eval -out RUN -export net.onnx
//	go run ./cmd/train -predict three.png -predict five.png -out RUN
//
// write the tested weights for other programs, and read one's own images with them.
//
//	go run ./cmd/train -model examples/neural-graph/model.json -loss sp -out RUN
//	go run ./cmd/infer -model examples/neural-graph/model.json -weights RUN
//
// train the networks and rule weights of a model file (package train/modelfile), and
// infer with them.
//
// Package app/train describes settings, signals and exit codes.
package main

import (
	command "hinge/app/train"
	"hinge/tasks/citation"
	"hinge/tasks/mnistadd"
	"hinge/tasks/paths"
	"hinge/tasks/sudoku"
	"hinge/train/modelfile"
)

func main() {
	command.Main(mnistadd.Task{}, citation.Task{}, sudoku.Task{}, paths.Task{}, modelfile.Task{})
}
