package evaluate_test

import (
	"fmt"

	"hinge/symbolic/evaluate"
)

// Two images, ten digits each would have; here two. The first is recognised.
func ExampleCategorical() {
	sample := &evaluate.Sample{Predicate: "Digit", Arity: 2, Labelled: []evaluate.Atom{
		{Args: []string{"img1", "3"}, Value: 0.7, Truth: 1},
		{Args: []string{"img1", "8"}, Value: 0.3, Truth: 0},
		{Args: []string{"img2", "3"}, Value: 0.6, Truth: 0},
		{Args: []string{"img2", "8"}, Value: 0.4, Truth: 1},
	}}
	evaluator := &evaluate.Categorical{Indexes: []int{-1}}
	report, err := evaluator.Evaluate(sample)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Count, report.Metrics)
	// Output: 2 [{accuracy 0.5} {macro_f1 0.3333333333333333} {calibration_error 0.45}]
}

// One evaluator, its metrics and the one that stands for it.
func ExampleEvaluator() {
	sample := &evaluate.Sample{Predicate: "Trusts", Arity: 2, Labelled: []evaluate.Atom{
		{Args: []string{"ann", "bob"}, Value: 0.8, Truth: 1},
		{Args: []string{"bob", "ann"}, Value: 0.6, Truth: 0},
		{Args: []string{"bob", "cleo"}, Value: 0.4, Truth: 1},
		{Args: []string{"cleo", "bob"}, Value: 0.1, Truth: 0},
	}}
	for _, name := range evaluate.Names()[1:] {
		evaluator, err := evaluate.New(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		report, err := evaluator.Evaluate(sample)
		if err != nil {
			fmt.Println(err)
			return
		}
		best := report.Metrics[report.Representative]
		fmt.Printf("%s: %d metrics, %s %.4f\n", name, len(report.Metrics), best.Name, best.Value)
	}
	// Output:
	// Discrete: 7 metrics, f1 0.5000
	// AUC: 4 metrics, auroc 0.7500
	// Continuous: 2 metrics, mse 0.1925
}
