// Command serve answers over HTTP with the tested weights of a run.
//
//	go run ./cmd/train -task mnist-add2
//	go run ./cmd/serve -run checkpoints/mnist-add2-energy-150-split0
//
// and then http://127.0.0.1:8080 in a browser, or
//
//	curl -F image=@3.png -F image=@5.png -F image=@4.png -F image=@2.png http://127.0.0.1:8080/v2/models/mnist-add2/explain
//
// A run of a model file is served by the inputs of its networks. Tensors go by the Open Inference Protocol; package serve and docs/SERVING.md have it.
//
// SIGINT, SIGTERM and SIGHUP answer what was begun and end the command with 0. Exit codes: 0
// done; 1 internal error; 2 usage; 3 a missing or damaged checkpoint.
package main

import (
	"os"

	"hinge/app/serve"
	"hinge/tasks/mnistadd"
	"hinge/train/modelfile"
)

func main() {
	os.Exit(serve.Main(os.Args[1:], os.Stdout, os.Stderr, mnistadd.Task{}, modelfile.Task{}))
}
