package mnistadd_test

import (
	"fmt"

	"hinge/symbolic/infer"
	"hinge/tasks/mnistadd"
)

// The symbolic half alone: two images, read with some doubt as 7 and 5, add up
// to 12.
func ExampleNewSymbolic() {
	model, err := mnistadd.NewSymbolic(1, "")
	if err != nil {
		panic(err)
	}
	instance, err := model.Template.NewInstance(1e-3)
	if err != nil {
		panic(err)
	}
	g := make([]float64, model.Template.Deep)
	g[7], g[1] = 0.8, 0.2       // first image: 7, perhaps 1
	g[10+5], g[10+6] = 0.9, 0.1 // second image: 5, perhaps 6
	if err := instance.SetDeep(g); err != nil {
		panic(err)
	}
	var result infer.Result
	if err := infer.Solve(instance, nil, infer.Settings{}, &result); err != nil {
		panic(err)
	}
	fmt.Println(result.Status.OK(), model.Answer(result.Y))
	// Output: true 12
}
