package weights_test

import (
	"context"
	"fmt"
	"math"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
	"hinge/train/weights"
)

// Do friends smoke alike or not? The data know.
func Example() {
	rules, _ := psl.Parse("rules.psl", []byte(`
1: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
1: Friends(A, B) & Smokes(A) -> !Smokes(B) ^2
`))
	db := ground.NewDatabase()
	_, _ = db.Predicate("Friends", 2), db.Predicate("Smokes", 1)
	people := []string{"ann", "bob", "cleo", "dan"}
	for i, p := range people[1:] {
		_ = db.Observe("Friends", 1, people[i], p)
		_, _ = db.Target("Smokes", p)
	}
	_ = db.Observe("Smokes", 1, "ann")
	program, err := ground.Ground(context.Background(), rules, db, ground.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	template, _ := lcqp.Compile(program)
	r, err := weights.Learn(context.Background(), weights.Problem{Template: template, Labels: []float64{1, 1, 1}},
		weights.Config{Loss: bilevel.LossBCE, WeightOptions: optim.WeightOptions{Step: 0.3, Regularizer: optim.Regularizer{NegLog: 1e-3}}, Epochs: 40}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, w := range r.Weights {
		rules.Rules[i].Weight = math.Round(100*w) / 100
	}
	fmt.Printf("after %d epochs\n%v", r.Epochs, rules)
	// Output:
	// after 40 epochs
	// 0.9: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
	// 0.1: Friends(A, B) & Smokes(A) -> !Smokes(B) ^2
}
