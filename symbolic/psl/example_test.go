package psl_test

import (
	"errors"
	"fmt"

	"hinge/symbolic/psl"
)

func ExampleParse() {
	rules, err := psl.Parse("votes.psl", []byte(`
# friends vote alike
2.5: Friends(A, B) && Votes(A, P) && A != B >> Votes(B, P) ^2
0.1: ~Votes(A, P)                  # a prior
Votes(A, +P) = 1 . {P: Party(P)}   # one vote each
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rules.Rules {
		fmt.Printf("%s: %s\n", r.Pos, r)
	}
	// Output:
	// votes.psl:3:1: 2.5: Friends(A, B) & Votes(A, P) & (A != B) -> Votes(B, P) ^2
	// votes.psl:4:1: 0.1: !Votes(A, P)
	// votes.psl:5:1: Votes(A, +P) = 1 . {P: Party(P)}
}

func ExampleError() {
	_, err := psl.Parse("votes.psl", []byte("Votes(Person, +Party) = 1 . {Partei: Big(Partei)}"))
	fmt.Println(err)
	var e *psl.Error
	if errors.As(err, &e) {
		fmt.Println(e.Detail())
	}
	// Output:
	// votes.psl:1:29: the filter is about Partei, which is not a summation variable of this rule
	// votes.psl:1:29: the filter is about Partei, which is not a summation variable of this rule
	//     Votes(Person, +Party) = 1 . {Partei: Big(Partei)}
	//                                 ^
	//     hint: did you mean Party?
}
