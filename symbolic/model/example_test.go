package model_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
)

// From a model file to values and metrics.
func Example() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "smokers.json")
	err = os.WriteFile(path, []byte(`{
		"rules": [
			# friends are alike
			"1: Friends(A, B) & Smokes(A) -> Smokes(B) ^2",
			"0.5: !Smokes(A) ^2"
		],
		"predicates": {
			"Friends/2": {"observations": [["ann", "bob"], ["bob", "cleo"]]},
			"Smokes/1": {
				"observations": [["ann"]],
				"targets": [["bob"], ["cleo"]],
				"truth": [["bob", 1], ["cleo", 0]],
				"evaluations": ["DiscreteEvaluator"]
			}
		},
		"options": {"duallcqp.regularizationparameter": 0.001}
	}`), 0o600)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := model.Load(path, model.LoadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := ground.Ground(context.Background(), m.Rules, m.Data, m.GroundOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, err := lcqp.NewInstance(program, m.Options.Epsilon)
	if err != nil {
		fmt.Println(err)
		return
	}
	var result infer.Result
	if err := infer.Solve(instance, nil, infer.Settings{}, &result); err != nil {
		fmt.Println(err)
		return
	}
	for i, y := range result.Y {
		fmt.Printf("%s %.2f\n", program.Targets[i], y)
	}
	evaluations, err := m.Evaluate(result.Y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range evaluations {
		fmt.Printf("%s, %s: accuracy %.2f\n", e.Predicate, e.Name(), e.Metrics[0].Value)
	}
	// Output:
	// Smokes(bob) 0.54
	// Smokes(cleo) 0.36
	// Smokes, Discrete: accuracy 1.00
}
