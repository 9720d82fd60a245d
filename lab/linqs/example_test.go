package linqs_test

import (
	"fmt"

	"hinge/data/citation"
	"hinge/lab/linqs"
)

// Four papers, cut in halves.
func ExampleHalves() {
	g := &citation.Graph{Name: "tiny", IDs: []string{"a", "b", "c", "d"}, Labels: []int{0, 0, 1, 1}, Classes: []string{"x", "y"},
		Cites: []citation.Cite{{Citing: 0, Cited: 1}, {Citing: 1, Cited: 2}, {Citing: 2, Cited: 3}}}
	learn, test, err := linqs.Halves(g, 0, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(learn.Papers), "to learn on,", len(test.Papers), "to test on,",
		len(learn.Cites)+len(test.Cites), "of 3 citations inside")
	// Output: 2 to learn on, 2 to test on, 2 of 3 citations inside
}

// The judgements of fold 2 are predicted from all others.
func ExampleTrustNetwork_Part() {
	net := &linqs.TrustNetwork{
		Judgements: []linqs.Judgement{{From: 1, To: 2, Trusts: true}, {From: 2, To: 3}, {From: 3, To: 1, Trusts: true}},
		Fold:       []int{2, 5, 1},
	}
	learn, test, _ := net.Part(2)
	fmt.Println("learn", learn.Hidden, "from", learn.Given)
	fmt.Println("test", test.Hidden, "from", test.Given)
	// Output:
	// learn [{3 1 true}] from [{2 3 false}]
	// test [{1 2 true}] from [{2 3 false} {3 1 true}]
}
