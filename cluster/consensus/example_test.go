package consensus_test

import (
	"context"
	"fmt"
	"sync"

	"hinge/cluster/consensus"
	"hinge/optim/collective"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
)

// Two ranks, here two goroutines, infer who smokes along a chain of friends; each grounds the
// rules for half of the people.
func Example() {
	rules, err := psl.Parse("smoke.psl", []byte("2: Friends(A, B) & Smokes(A) -> Smokes(B) ^2\n1: Starts(A) -> Smokes(A) ^2\n0.1: !Smokes(A) ^2"))
	if err != nil {
		fmt.Println(err)
		return
	}
	b := ground.NewBuilder()
	people := []string{"ann", "bob", "cleo", "dan"}
	b.Observe("Starts", "ann")
	for i, p := range people {
		b.Target("Smokes", p)
		if i > 0 {
			b.Observe("Friends", people[i-1], p)
		}
	}
	rank := func(c collective.Comm) (*consensus.Result, error) {
		part, err := ground.SplitGraph(b.DB, c.Size()).Ground(context.Background(), rules, b.DB, ground.Options{}, c.Rank())
		if err != nil {
			return nil, err
		}
		in, err := lcqp.NewInstance(part.Program, 1e-6)
		if err != nil {
			return nil, err
		}
		var res consensus.Result
		err = consensus.Solve(c, &consensus.Part{Instance: in, Targets: part.Targets}, consensus.Settings{}, &res)
		return &res, err
	}
	var wg sync.WaitGroup
	for _, c := range collective.Local(2) {
		wg.Go(func() {
			if res, err := rank(c); err != nil {
				fmt.Println(err)
			} else if c.Rank() == 0 {
				fmt.Printf("%d rows, %d targets in common: energy %.4f, %v\n", res.Rows, res.Shared, res.Energy, res.Status)
			}
		})
	}
	wg.Wait()
	// Output:
	// 8 rows, 1 targets in common: energy 0.2559, solved: gap and feasibility within tolerance
}
