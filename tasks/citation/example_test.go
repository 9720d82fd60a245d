package citation_test

import (
	"context"
	"fmt"
	"os"

	"hinge/tasks/citation"
	"hinge/train"
)

// A few steps on a generated graph.
func Example() {
	cfg := citation.Defaults("citation-demo", "energy", "paper")
	cfg.Training.Epochs = 5
	citation.OptionsOf(&cfg).Restarts, citation.OptionsOf(&cfg).PretrainEpochs = 1, 20
	model, err := citation.Open(cfg, "")
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "citation")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	res, err := train.Run(context.Background(), cfg, model, train.Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.TestExamples, "papers,", res.TestAccuracy > 0.6)
	// Output:
	// 300 papers, true
}
