package familytest_test

import (
	"context"
	"fmt"

	"hinge/symbolic/familytest"
)

// Two additions of digits have 547 ground terms each.
func Example() {
	f, err := familytest.Find("add1-soft")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := f.Model(1000, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := m.Ground(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(p.Targets), len(p.Deep), p.Potentials.Len()+p.Constraints.Len(), m.Epsilon)
	// Output: 82 40 1094 0.001
}
