package symbolic_test

import (
	"context"
	"fmt"

	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
)

// Trust tends to be mutual, Ann trusts Bob, and nobody trusts without a reason.
func Example() {
	rules, err := psl.Parse("trust.psl", []byte(`
		4: Knows(A, B) & Trusts(A, B) -> Trusts(B, A) ^2
		1: !Trusts(A, B) ^2`))
	check(err)
	db := ground.NewDatabase()
	check(db.Predicate("Knows", 2))
	check(db.Predicate("Trusts", 2))
	for _, pair := range [][2]string{{"ann", "bob"}, {"bob", "cid"}} {
		check(db.Observe("Knows", 1, pair[0], pair[1]))
	}
	check(db.Observe("Trusts", 1, "ann", "bob"))
	for _, pair := range [][2]string{{"bob", "ann"}, {"bob", "cid"}, {"cid", "bob"}} {
		_, err := db.Target("Trusts", pair[0], pair[1])
		check(err)
	}
	program, err := ground.Ground(context.Background(), rules, db, ground.Options{})
	check(err)
	template, err := lcqp.Compile(program)
	check(err)
	instance, err := template.NewInstance(1e-6)
	check(err)
	var result infer.Result
	check(infer.Solve(instance, nil, infer.Settings{}, &result))
	for i, name := range program.Targets {
		fmt.Printf("%s %.2f\n", name, result.Y[i])
	}
	// Output:
	// Trusts(bob,ann) 0.80
	// Trusts(bob,cid) 0.00
	// Trusts(cid,bob) 0.00
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
