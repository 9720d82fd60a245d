package infer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/ipm"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// presolved returns component 0 of an instance, reduced, at a start from zero.
func presolved(t testing.TB, in *lcqp.Instance) *Problem {
	t.Helper()
	pre, p := problem.Presolve{Tol: problem.NeverActive}, new(Problem)
	if !pre.Run(in, 0, problem.ReduceMerged, p) {
		t.Fatal("infeasible")
	}
	pre.Start(p, nil, nil)
	p.Goal = problem.Tolerance{Relative: 1e-6, Absolute: 1e-6, Offset: in.Epsilon, Violation: 1e-6, Stationarity: 1e-6}
	return p
}

// A component whose factor is cheap begins inside, a small one
// with sweeps, and so does one without kinks whose factor is dear.
func TestAutoBegins(t *testing.T) {
	add := infertest.Additions(t, lcqptest.Add2, 1, 3, false)[0]
	dense := infertest.Family(t, "citation", 100000)
	for _, c := range []struct {
		name   string
		in     *lcqp.Instance
		inside bool
	}{{"grid", infertest.Family(t, "grid", 10000), true}, {"addition", add, false}, {"citation", dense, false}} {
		var x auto
		if x.Init(presolved(t, c.in)); (x.phase == interior) != c.inside {
			t.Errorf("%s begins inside: %v", c.name, x.phase == interior)
		}
	}
}

// Of a tiny component a warm point is given up at once where many rows with multipliers
// are idle by much, not where they are few or add less to the gap than is allowed; of a larger
// component, where they are more than targets.
func TestAutoPromises(t *testing.T) {
	var x auto
	point := func(n, idle, neighbours int, mu float64) *Problem {
		b := infertest.New(n)
		for i := range n * neighbours {
			a := make([]float64, n)
			a[i%n], a[(i+1+i/n)%n] = 1, 1
			b.LE(-1, a...)
		}
		p := presolved(t, b.Instance(t, 0.1))
		for i := range n {
			p.Y[i] = 0.5
			if i < idle {
				p.Y[i] = 0.4
			}
		}
		for k := range p.Dual {
			p.Dual[k] = mu
		}
		return p
	}
	for _, c := range []struct {
		n, idle, neighbours int
		mu                  float64
		want                bool
	}{{30, 0, 1, 1, true}, {30, 8, 1, 1, true}, {30, 12, 1, 1, false}, {30, 12, 1, 0, true}, {30, 12, 1, 1e-9, true}, {12, 6, 1, 1, true},
		{100, 90, 1, 1, true}, {100, 40, 2, 1, true}, {100, 100, 2, 1, false}} {
		if got := x.WorthResuming(point(c.n, c.idle, c.neighbours, c.mu)); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What a component has left behind, that patches were slow on it or that a warm start may
// be resumed, is no matter of the next one.
func TestAutoForgets(t *testing.T) {
	in := infertest.Additions(t, lcqptest.Add2, 1, 3, false)[0]
	x := newAuto(ByCost)
	x.slow, x.phase = true, resuming
	r := x.Decompose(&problem.Whole{Instance: in, Component: &in.Components[0]}, new(Problem))
	if r.End != problem.NotLocal || x.slow || x.phase == resuming {
		t.Errorf("taken apart: %v, slow: %v, phase %d", r.End, x.slow, x.phase)
	}
	x.slow, x.phase = true, resuming
	x.Init(presolved(t, in))
	if x.slow || x.phase == resuming {
		t.Errorf("begun, but slow: %v, phase %d", x.slow, x.phase)
	}
}

// On additions the active rows are guessed after a few sweeps, mostly with success: the
// interior point method, which comes else, is the exception.
func TestAutoGuesses(t *testing.T) {
	landed, inside := 0, 0
	for _, in := range infertest.Additions(t, lcqptest.Add2, 16, 12, false) {
		p := presolved(t, in)
		var x auto
		x.Init(p)
		for n := 0; ; n++ {
			if n == 60 {
				t.Fatal("no answer")
			}
			if x.Iterate(p) == Moving {
				continue
			}
			if x.Point(p); x.met(p, 1) {
				break
			}
		}
		if x.phase == settled {
			landed++
		}
		if x.phase == interior {
			inside++
		}
	}
	if landed < 10 || inside < 1 || landed+inside > 16 {
		t.Errorf("%d of 16 guessed, %d inside", landed, inside)
	}
}

// On additions, whose interior point systems are nearly diagonal, the default is never
// much slower than the interior point method, and the answer is as exact.
func TestFallsBackSoon(t *testing.T) {
	const mostGuess = 13 // factorisations of the active set method
	for _, c := range []struct {
		name   string
		make   func(float64) *lcqptest.Addition
		margin float64
	}{{"add1", lcqptest.Add1, 12}, {"add1 half sharp", lcqptest.Add1, 6}, {"add2", lcqptest.Add2, 12}, {"add2 half sharp", lcqptest.Add2, 6}} {
		ins := infertest.Additions(t, c.make, 24, c.margin, false)
		s := Settings{GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
		ascent, interior := results(len(ins)), results(len(ins))
		require.NoError(t, SolveAll(ins, nil, s, ascent))
		s.Method = InteriorPoint{}
		require.NoError(t, SolveAll(ins, nil, s, interior))
		for n, in := range ins {
			mustBeSolved(t, in, ascent[n])
			mustBeSolved(t, in, interior[n])
			a, b := &ascent[n].Stats, &interior[n].Stats
			if a.Iterations > b.Iterations+fewSweeps || a.Factorizations > b.Factorizations+mostGuess {
				t.Errorf("%s %d: %+v, interior point method %+v", c.name, n, a, b)
			}
			if d := math.Abs(ascent[n].PrimalValue - interior[n].PrimalValue); d > 2e-6 {
				t.Errorf("%s %d: values differ by %v", c.name, n, d)
			}
		}
	}
}

// The interior point method's answer to a small component is moved to the point with the same
// active rows, whose gap is rounding, however loose the stop rule.
func TestAutoPolishes(t *testing.T) {
	res := solve(t, infertest.Family(t, "grid", 1000), nil, Settings{GapAbsolute: 1e-3})
	if a := res.Components[0].Choice.Approach; a != ByInterior || res.Status != Solved || math.Abs(res.TotalGap) > 1e-10 {
		t.Errorf("%v by %v, gap %v", res.Status, a, res.TotalGap)
	}
}

// Where the interior point method's gap is small enough but not the errors of rows that are both
// active and without effect, the answer of a large component is polished in place of further steps.
func TestAutoPolishesWhatIsLarge(t *testing.T) {
	in := infertest.Family(t, "knn-labels", 10000)
	s := Settings{GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
	res := solve(t, in, nil, s)
	s.Method = ipm.InteriorPoint{}
	alone := solve(t, in, nil, s)
	if a := res.Components[0].Choice.Approach; a != ByInterior || res.Status != Solved || res.Stats.Iterations >= alone.Stats.Iterations {
		t.Errorf("%v by %v, %d steps, %d alone", res.Status, a, res.Stats.Iterations, alone.Stats.Iterations)
	}
	if math.Abs(res.Energy-alone.Energy) > 2e-6 {
		t.Errorf("energy %v, alone %v", res.Energy, alone.Energy)
	}
}

// linked is a graph of n things whose neighbours are alike: three squares of one weight for each
// of the edges and, for every second thing, squares that tie it to an output.
func linked(t *testing.T, n int, edges [][2]int, anchor, epsilon float64) *lcqp.Instance {
	t.Helper()
	const classes = 3
	rng := rand.New(rand.NewPCG(uint64(n), 9))
	s := infertest.New(n * classes)
	link, tie := s.Rule(1, true), s.Rule(anchor, true)
	for i := range n {
		var block []int32
		for c := range classes {
			at := int32(i*classes + c)
			block = append(block, at)
			if g := rng.Float64(); i%2 == 0 {
				s.Soft(tie, -g, []int32{at}, 1)
				s.Soft(tie, g, []int32{at}, -1)
			}
		}
		s.Hard(hlmrf.Equal, -1, block, 1, 1, 1)
	}
	for _, e := range edges {
		for c := range classes {
			pair := []int32{int32(e[0]*classes + c), int32(e[1]*classes + c)}
			s.Soft(link, 0, pair, 1, -1)
			s.Soft(link, 0, pair, -1, 1)
		}
	}
	return s.Instance(t, epsilon)
}

func path(n int) (edges [][2]int) {
	for i := 1; i < n; i++ {
		edges = append(edges, [2]int{i - 1, i})
	}
	return edges
}

// A quadratic component is solved by descent on the primal, without a factor where targets are
// tied to outputs; where they are tied to each other a thousand times as strongly, the active bounds
// are found from the point of a few passes. The answer is that of the interior point method.
func TestAutoDescends(t *testing.T) {
	var tree [][2]int
	for i := 1; i < 1000; i++ {
		tree = append(tree, [2]int{(i - 1) / 3, i})
	}
	for _, c := range []struct {
		name   string
		in     *lcqp.Instance
		factor bool
	}{
		{"near outputs", linked(t, 1000, tree, 1, 1e-3), false},
		{"far from outputs", linked(t, 1000, path(1000), 1e-3, 1e-6), true},
	} {
		other := solve(t, c.in, nil, Settings{Method: InteriorPoint{}})
		res := solve(t, c.in, nil, Settings{})
		mustBeSolved(t, c.in, res)
		if s := res.Stats; res.Components[0].Choice.Approach != ByDescent || (s.Factorizations > 0) != c.factor || s.Krylov > 0 || s.BlockUpdates == 0 {
			t.Errorf("%s: %v, %+v", c.name, res.Components[0].Choice, s)
		}
		if !infertest.Near(res.PrimalValue, other.PrimalValue, 1e-7) {
			t.Errorf("%s: value %v, the interior point method finds %v", c.name, res.PrimalValue, other.PrimalValue)
		}
		var warm Warm
		res.SaveWarm(&warm)
		again := solve(t, c.in, &warm, Settings{})
		mustBeSolved(t, c.in, again)
		if a, b := again.Stats.BlockUpdates, res.Stats.BlockUpdates; a > b/2 {
			t.Errorf("%s: %d block updates from the solution, %d from zero", c.name, a, b)
		}
	}
}

// Before presolve, a component looks quadratic where its squares come in pairs of opposite sign
// and equal weight.
func TestMirrored(t *testing.T) {
	in := linked(t, 40, path(40), 1, 1e-3)
	for _, c := range []struct {
		name string
		in   *lcqp.Instance
		want bool
	}{
		{"links in both directions", in, true},
		{"other weights in one direction", infertest.Family(t, "citation", 3000), false},
		{"linear potentials", infertest.Family(t, "grid", 1000), false},
	} {
		if got := mirrored(c.in, &c.in.Components[infertest.Largest(c.in)]); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	for row := in.Constraints; ; row++ {
		if in.Ptr[row+1]-in.Ptr[row] == 2 { // one of a pair
			in.B[row] -= 0.1
			break
		}
	}
	if mirrored(in, &in.Components[0]) {
		t.Error("a pair with different constants looks quadratic")
	}
}
