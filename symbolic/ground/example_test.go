package ground_test

import (
	"context"
	"fmt"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// Friends are alike, ann smokes, and a network says how likely the others are
// to smoke.
func Example() {
	rules, err := psl.Parse("smoke.psl", []byte(`
		2: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
		1: Network(A) = Smokes(A)
		0.5: !Smokes(A)
	`))
	if err != nil {
		fmt.Println(err)
		return
	}
	db := ground.NewDatabase()
	for _, d := range []struct {
		section ground.Section
		pred    string
		atoms   [][]string
	}{
		{ground.Observations, "Friends", [][]string{{"ann", "bob"}, {"bob", "cleo"}}},
		{ground.Observations, "Smokes", [][]string{{"ann"}}},
		{ground.Targets, "Smokes", [][]string{{"bob"}, {"cleo"}}},
		{ground.DeepAtoms, "Network", [][]string{{"bob"}, {"cleo"}}},
	} {
		if err := db.Predicate(d.pred, len(d.atoms[0])); err != nil {
			fmt.Println(err)
			return
		}
		for _, args := range d.atoms {
			if err := db.Add(d.section, d.pred, 1, args...); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	p, err := ground.Ground(context.Background(), rules, db, ground.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Targets, p.Deep)
	for k, r := range p.PotentialRule {
		col, val := p.Potentials.Row(k)
		deepCol, deepVal := p.Potentials.DeepRow(k)
		fmt.Println(p.Rules[r].Source, col, val, deepCol, deepVal, p.Potentials.Const[k])
	}
	// Output:
	// [Smokes(bob) Smokes(cleo)] [Network(bob) Network(cleo)]
	// smoke.psl:2:3 [0] [-1] [] [] 1
	// smoke.psl:2:3 [0 1] [1 -1] [] [] 0
	// smoke.psl:3:3 [0] [1] [0] [-1] 0
	// smoke.psl:3:3 [0] [-1] [0] [1] 0
	// smoke.psl:3:3 [1] [1] [1] [-1] 0
	// smoke.psl:3:3 [1] [-1] [1] [1] 0
	// smoke.psl:4:3 [0] [1] [] [] 0
	// smoke.psl:4:3 [1] [1] [] [] 0
}
