package relational_test

import (
	"fmt"

	"hinge/bilevel"
	"hinge/lab/relational"
)

// The rules and the published parameters of an experiment.
func Example() {
	rules, err := relational.Rules("epinions")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(rules.Rules), "rules, the last:")
	fmt.Println(rules.Rules[20])
	c, err := relational.Recipe("epinions", bilevel.LossBCE)
	fmt.Println(c.Step, c.Epsilon, c.EnergyCoefficient, err)
	// Output:
	// 21 rules, the last:
	// 0.5: !Trusts(A, B) ^2
	// 0.01 0.01 1 <nil>
}
