package patches

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// newLocal is a decomposition of a chain, cut into subdomains, at multipliers that are not
// optimal.
func newLocal(t *testing.T) *Decomposition {
	t.Helper()
	rng := rand.New(rand.NewPCG(121, 1))
	in := infertest.Family(t, "chain", 8000)
	for i := 0; i < in.Targets; i += 37 {
		if err := in.Fix(i, 0.5); err != nil {
			t.Fatal(err)
		}
	}
	g := randomPoint(t, rng, in)
	for _, row := range g.comp.Rows {
		if low, up, free := g.span(row); free == 0 || low > 0 || up <= problem.NeverActive {
			g.dual[row] = 0
		}
	}
	g.check()
	if !g.parts.partition(g) {
		t.Fatal("not local")
	}
	return g
}

// The problem of a local problem is the dual's dependence on its multipliers: a change of
// them changes the local problem's dual as it changes that of the whole component.
func TestLocalIsASlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(122, 1))
	g, w := newLocal(t), &localSolver{solver: new(ascending)}
	for k := range int32(min(4, g.parts.len())) {
		w.build(g, k)
		p := &w.problem
		w.pull = problem.Resize(w.pull, p.Targets)
		before, patch := g.check().Dual, p.Evaluate(w.pull).Dual
		old := slices.Clone(g.dual)
		for range 5 {
			for n, row := range w.rows {
				g.dual[row] = old[row]
				if rng.IntN(3) == 0 {
					g.dual[row] = math.Abs(old[row] + 0.1*rng.NormFloat64())
				}
				p.Dual[n] = g.dual[row]
			}
			whole, part := g.check().Dual-before, p.Evaluate(w.pull).Dual-patch
			if math.Abs(whole-part) > 1e-9*(1+math.Abs(before)) {
				t.Errorf("subdomain %d: the local problem's dual changes by %v, the component's by %v", k, part, whole)
			}
		}
		copy(g.dual, old)
		g.check()
		// Every row that touches the subdomain and can matter is there once.
		seen := map[int32]bool{}
		for _, row := range w.rows {
			if seen[row] {
				t.Fatalf("subdomain %d: row %d is there twice", k, row)
			}
			seen[row] = true
		}
		for _, i := range g.parts.inside(k) {
			for r := g.in.ColPtr[i]; r < g.in.ColPtr[i+1]; r++ {
				row := g.in.ColRow[r]
				if _, up, _ := g.span(row); !seen[row] && (up > problem.NeverActive || g.in.Kinds[row] == lcqp.HardEQ) {
					t.Fatalf("subdomain %d: row %d is missing", k, row)
				}
			}
		}
	}
}

// A local problem solved is at the maximum over its multipliers: the dual has risen, its rows
// are as they should be, a second try changes nothing, and the pull that it leaves is
// that of the multipliers.
func TestLocalSolve(t *testing.T) {
	g, w := newLocal(t), &localSolver{solver: new(ascending)}
	dual := g.check().Dual
	for k := range int32(g.parts.len()) {
		w.solve(g, k)
		pull := slices.Clone(g.pull)
		y := slices.Clone(g.y)
		now := g.check().Dual // gathers the pull anew
		if now < dual-1e-10*(1+math.Abs(dual)) {
			t.Errorf("subdomain %d: the dual falls from %v to %v", k, dual, now)
		}
		dual = now
		for _, i := range w.targets {
			if !infertest.Near(pull[i], g.pull[i], 1e-9) {
				t.Fatalf("subdomain %d: pull of target %d is %v, want %v", k, i, pull[i], g.pull[i])
			}
			quad, _ := g.objective(i)
			if x := min(max(-pull[i]/(2*quad), g.in.Lower[i]), g.in.Upper[i]); math.Abs(x-y[i])*quad > 1e-6 {
				t.Fatalf("subdomain %d: y[%d] = %v is not the answer %v to the multipliers", k, i, y[i], x)
			}
		}
		for _, row := range w.rows {
			if r := g.row(row, g.activity(row)); r.violation > 1e-8 || r.stationarity > 1e-6 {
				t.Fatalf("subdomain %d: row %d is off: %+v", k, row, r)
			}
		}
		updates := w.stats.BlockUpdates
		multipliers := slices.Clone(g.dual)
		w.solve(g, k)
		if w.stats.BlockUpdates != updates || !slices.Equal(multipliers, g.dual) {
			t.Errorf("subdomain %d: %d more block steps on a local problem that was solved", k, w.stats.BlockUpdates-updates)
		}
	}
	if w.stats.BlockUpdates == 0 {
		t.Error("there was nothing to do")
	}
}
