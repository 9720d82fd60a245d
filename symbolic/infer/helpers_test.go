package infer

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// build makes small programs by hand. Rows are given as coefficients of all
// targets, zeros for the absent ones.
type build struct {
	p       hlmrf.Program
	targets int
}

func newBuild(targets int) *build {
	b := &build{targets: targets}
	b.p.Targets = make([]string, targets)
	b.p.HardRules = []hlmrf.Rule{{Text: "hard rule", Source: "test.psl:7:1"}}
	return b
}

func nonzeros(a []float64) (col []int32, val []float64) {
	for i, v := range a {
		if v != 0 {
			col = append(col, int32(i))
			val = append(val, v)
		}
	}
	return col, val
}

// le adds a·y + k ≤ 0, eq a·y + k = 0.
func (b *build) le(k float64, a ...float64) *build { return b.hard(hlmrf.LessEqual, k, a) }
func (b *build) eq(k float64, a ...float64) *build { return b.hard(hlmrf.Equal, k, a) }

func (b *build) hard(rel hlmrf.Relation, k float64, a []float64) *build {
	col, val := nonzeros(a)
	b.p.Constraints.Append(col, val, nil, nil, k)
	b.p.ConstraintRule = append(b.p.ConstraintRule, 0)
	b.p.Relations = append(b.p.Relations, rel)
	return b
}

// linear adds w·max(0, a·y + k), square w·max(0, a·y + k)²; each is a rule.
func (b *build) linear(w, k float64, a ...float64) *build { return b.soft(w, false, k, a) }
func (b *build) square(w, k float64, a ...float64) *build { return b.soft(w, true, k, a) }

func (b *build) soft(w float64, squared bool, k float64, a []float64) *build {
	col, val := nonzeros(a)
	b.p.Potentials.Append(col, val, nil, nil, k)
	b.p.PotentialRule = append(b.p.PotentialRule, int32(len(b.p.Rules)))
	b.p.Rules = append(b.p.Rules, hlmrf.Rule{Weight: w, Squared: squared})
	return b
}

func (b *build) instance(t testing.TB, epsilon float64) *lcqp.Instance {
	t.Helper()
	tpl, err := lcqp.Compile(&b.p)
	if err != nil {
		t.Fatal(err)
	}
	in, err := tpl.NewInstance(epsilon)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// solve solves and fails the test on an error.
func solve(t testing.TB, in *lcqp.Instance, warm *Warm, s Settings) *Result {
	t.Helper()
	res := new(Result)
	if err := Solve(in, warm, s, res); err != nil {
		t.Fatal(err)
	}
	return res
}

// mustBeSolved checks a claim of success with the independent judge.
func mustBeSolved(t testing.TB, in *lcqp.Instance, res *Result) {
	t.Helper()
	if res.Status != Solved {
		t.Fatalf("%v: gap %g, violation %g", res.Status, res.TotalGap, res.MaxViolation)
	}
	if r := lcqp.Residuals(in, &res.Solution); !(r.Max() <= 1e-6) {
		t.Fatalf("claimed to be solved, but %+v", r)
	}
}

// known returns the random problem of a seed.
func known(seed uint64) *lcqptest.Known {
	return lcqptest.Random(rand.New(rand.NewPCG(seed, 7)),
		lcqptest.Shape{Targets: 15, Rows: 25, Separate: seed%3 == 0})
}

// problems calls f with the presolved components of random problems.
func problems(t *testing.T, seeds uint64, full bool, f func(t *testing.T, seed uint64, p *Problem)) {
	t.Helper()
	pre, level := presolve{tol: neverActive}, reduceFixed
	if full {
		level = reduceMerged
	}
	for seed := range seeds {
		k := known(seed)
		for c := range k.Instance.Components {
			p := new(Problem)
			if !pre.run(k.Instance, c, level, p) {
				t.Fatalf("seed %d: feasible problem called infeasible", seed)
			}
			if p.Targets == 0 {
				continue
			}
			pre.start(p, nil, nil)
			p.expand()
			f(t, seed, p)
		}
	}
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }
