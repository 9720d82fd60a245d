package optim_test

import (
	"fmt"

	"hinge/optim"
)

// Fit two parameters to (3, −1) with clipped gradients, a cosine schedule and
// AdamW.
func ExampleAdam() {
	w := optim.Param{Name: "w", Value: []float32{0, 0}, Grad: []float32{0, 0}, Decay: true}
	params := []optim.Param{w}
	adam, err := optim.NewAdam(params, optim.AdamOptions{WeightDecay: 1e-4, Decoupled: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	schedule := optim.Cosine{Base: 0.1, Warmup: 10, Total: 400}
	for t := range 400 {
		w.Grad[0], w.Grad[1] = 2*(w.Value[0]-3), 2*(w.Value[1]+1)
		norm := optim.GradNorm(params)
		adam.StepScaled(schedule.At(t), optim.ClipFactor(norm, 3))
	}
	fmt.Printf("%.2f\n", w.Value)
	// Output: [3.00 -1.00]
}

// Three rules; the second fits the data best.
func ExampleWeightStep() {
	w := []float64{1, 1, 2}
	if err := optim.ToSimplex(w); err != nil {
		fmt.Println(err)
		return
	}
	m := &optim.WeightStep{WeightOptions: optim.WeightOptions{
		Step: 0.1, MaxNorm: 25, Regularizer: optim.Regularizer{NegLog: 0.1},
	}}
	for epoch := range 500 {
		if err := m.Update(w, []float64{0.9, 0.1, 0.5}, epoch); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%.3f\n", w)
	// Output: [0.106 0.709 0.185]
}
