package baselines_test

import (
	"fmt"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
	"hinge/symbolic/lcqp"
)

// twoFriends is a program of two atoms: the first wants to be 1 (weight 2), the
// second 0 (weight 1), both to be equal (squared, weight 3), and their sum must
// be 1.2.
func twoFriends() *lcqp.Instance {
	p := &hlmrf.Program{
		Targets:   []string{"Trusts(ann)", "Trusts(bob)"},
		Rules:     []hlmrf.Rule{{Weight: 2}, {Weight: 1}, {Weight: 3, Squared: true}},
		HardRules: []hlmrf.Rule{{Text: "Trusts(ann) + Trusts(bob) = 1.2 ."}},
	}
	add := func(rule int32, k float64, col []int32, val ...float64) {
		p.AddPotential(rule, col, val, nil, nil, k)
	}
	add(0, 1, []int32{0}, -1)
	add(1, 0, []int32{1}, 1)
	add(2, 0, []int32{0, 1}, 1, -1)
	add(2, 0, []int32{0, 1}, -1, 1)
	p.AddConstraint(hlmrf.Equal, 0, []int32{0, 1}, []float64{1, 1}, nil, nil, -1.2)
	in, err := lcqp.NewInstance(p, 0.01)
	if err != nil {
		panic(err)
	}
	return in
}

// solveFriends solves with a method to a relative gap and prints the point.
func solveFriends(m infer.Method, tolerance float64, digits int) {
	s := infer.Settings{Method: m, GapTolerance: tolerance, FeasibilityTolerance: tolerance, StationarityTolerance: tolerance}
	var res infer.Result
	if err := infer.Solve(twoFriends(), nil, s, &res); err != nil {
		fmt.Println(err)
		return
	}
	if err := res.Err(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.*f %.*f\n", digits, res.Y[0], digits, res.Y[1])
}

func ExamplePaperBCD() {
	solveFriends(baselines.PaperBCD{}, 1e-6, 4)
	// Output: 0.7250 0.4750
}

func ExampleLockFreeBCD() {
	solveFriends(baselines.LockFreeBCD{Workers: 2}, 1e-6, 4)
	// Output: 0.7250 0.4750
}

func ExampleADMM() {
	solveFriends(baselines.ADMM{}, 1e-6, 4)
	// Output: 0.7250 0.4750
}

func ExampleSubgradient() {
	solveFriends(baselines.Subgradient{}, 1e-2, 1)
	// Output: 0.7 0.5
}
