package lcqp

import (
	"math"
	"slices"
)

// Drop bounds how far targets move when rows are dropped, without solving again.
//
// Let y be the optimum, y' the optimum without the rows K, Δ = y' − y and p = Σ_{k∈K} μ_k a_k.
// The gradients of the remaining terms add up to −p at y and to 0 at y', and each of them is
// monotone. The terms of a single target i have a curvature c_i and, in each direction, a
// force l_i that a move must overcome. So
//
//	Σ_i c_i Δ_i² + l_i |Δ_i|  ≤  Σ_i p_i Δ_i.
//
// These terms are ε, the proximal term, the multipliers of the bounds and the rows of one
// target; rows of several targets only make the left side larger. Drop maximises Δ_i over this
// inequality and the box. A dropped row moves nothing if the forces on its targets outweigh
// its pull.
//
// Linear rows of several targets that are exactly at their kink, and hard rows, have no unique
// multiplier: μ_k may have any value in [0, w], and the inequality holds for each choice, with
// p less Σ_k (μ'_k − μ_k) a_k. So the pull on a target can be handed on along such rows to
// targets that have force to spare (absorb.go). If all of it can be handed on, nothing moves.
// If not, the targets that may move are found, and all others stay (local.go). This bounds
// models of linear rules, which have almost no curvature. Near squared rows of several targets
// the bound is weak.
//
// A solution with a duality gap G is not the optimum: the curvatures are about a point y_μ
// with Σ ½c_i (y − y_μ)_i² ≤ G, and the inequality becomes
//
//	Σ_i ½c_i (Δ_i² + (Δ + y − y_μ)_i²) + l_i |Δ_i|  ≤  G + Σ_i p_i Δ_i.
//
// As (Δ + e)² ≥ (1 − θ)Δ² − (1/θ − 1)e² for any θ in (0, 1), the first inequality holds with
// (1 − θ/2)c_i in place of c_i and G/θ added to the right side. Hard rows count as met. A Drop
// serves one solution and one goroutine.
type Drop struct {
	in  *Instance
	sol *Solution
	// hold contains the forces that keep each target, own the part of them that comes from the
	// dropped rows, and pull is p. own and pull are 0 between calls.
	hold, own []grip
	pull      []float64
	touched   []int32
	gap       float64 // what the solution's gap adds to the right side
	absorber
}

// grip is the curvature and the force against a move down and up.
type grip [2]struct{ curve, force float64 }

// blur is θ: the share of the gap's cost that is charged to the curvatures.
const blur = 0.25

// kink is how near to 0 a row counts as 0.
const kink = 1e-7

// NewDrop prepares bounds for a solution of the instance, in one pass over it.
func NewDrop(in *Instance, sol *Solution) *Drop {
	d := &Drop{in: in, sol: sol, hold: make([]grip, in.Targets), own: make([]grip, in.Targets), pull: make([]float64, in.Targets)}
	d.dropped = make([]bool, in.Rows())
	for i := range d.hold {
		g := &d.hold[i]
		g[0].curve = 2 * (in.Epsilon + in.Prox[i])
		g[1] = g[0]
		// At a bound the multiplier must be overcome.
		if sol.Y[i] <= in.Lower[i]+kink {
			g[1].force = max(0, sol.LowerDual[i])
		}
		if sol.Y[i] >= in.Upper[i]-kink {
			g[0].force = max(0, sol.UpperDual[i])
		}
	}
	primal, dual := in.Value(sol)
	d.gap = max(0, primal-dual) / blur
	for k := range in.Rows() {
		if i, g, ok := d.single(int32(k)); ok {
			d.hold[i].add(&g)
		}
	}
	return d
}

func (g *grip) add(h *grip) {
	for s := range g {
		g[s].curve += h[s].curve
		g[s].force += h[s].force
	}
}

// single returns the target of a row that has only one, and how the row holds it.
func (d *Drop) single(k int32) (i int32, g grip, ok bool) {
	in := d.in
	if in.Ptr[k+1]-in.Ptr[k] != 1 || in.Val[in.Ptr[k]] == 0 {
		return 0, g, false
	}
	i = in.Col[in.Ptr[k]]
	a, mu := in.Val[in.Ptr[k]], d.sol.Dual[k]
	z := a*d.sol.Y[i] + in.B[k]
	// rise is the direction in which the row grows, room how far it can fall.
	rise, room := 1, math.Abs(a)*(d.sol.Y[i]-in.Lower[i])
	if a < 0 {
		rise, room = 0, math.Abs(a)*(in.Upper[i]-d.sol.Y[i])
	}
	down := &g[1-rise]
	switch kind := in.Kinds[k]; {
	case kind == Square && z > -kink:
		_, curv := in.RowCost(int(k))
		g[rise].curve = 2 * curv * a * a
		// Below its kink the hinge is flat.
		down.curve = g[rise].curve
		if room > 0 {
			down.curve *= min(1, max(z, 0)/room)
		}
	case kind == HardLE:
		down.force = max(0, mu) * math.Abs(a)
	case kind == Linear && math.Abs(z) <= kink:
		down.force = max(0, mu) * math.Abs(a)
		g[rise].force = max(0, in.Weights[in.RuleOf[k]]-mu) * math.Abs(a)
	}
	return i, g, true
}

// Bound returns an interval in which the target is without the rows. It takes time
// in proportion to the entries of the rows.
func (d *Drop) Bound(target int, rows []int32) (low, high float64) {
	in := d.in
	for _, k := range rows {
		mu := d.sol.Dual[k]
		for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
			i := in.Col[j]
			d.pull[i] += mu * in.Val[j]
			d.touched = append(d.touched, i)
		}
		if i, g, ok := d.single(k); ok {
			d.own[i].add(&g)
		}
	}
	low, high = d.interval(target, d.gap)
	d.begin(rows)
	// What keeps the target in place is spent last.
	for _, spared := range [...]int32{int32(target), -1} {
		spare := d.gap + d.absorb(spared)
		l, h := d.interval(target, spare)
		low, high = max(low, l), min(high, h)
		if off, ok := d.local(int32(target)); ok {
			// Outside of what moves no target is pulled by more than what holds it.
			low = max(low, d.sol.Y[target]-d.reach(int32(target), 0, spare+off))
			high = min(high, d.sol.Y[target]+d.reach(int32(target), 1, spare+off))
		}
		if high-low <= kink {
			break
		}
	}
	for _, i := range d.touched {
		d.pull[i], d.own[i] = 0, grip{}
	}
	d.touched = d.touched[:0]
	for _, k := range rows {
		d.dropped[k] = false
	}
	return low, high
}

// interval is the bound for a target at the present pulls, with the right side larger
// by spare.
func (d *Drop) interval(target int, spare float64) (low, high float64) {
	slices.Sort(d.touched)
	d.touched = slices.Compact(d.touched)
	for _, i := range d.touched {
		if int(i) != target {
			spare += d.gain(i)
		}
	}
	y := d.sol.Y[target]
	return max(d.in.Lower[target], y-d.reach(int32(target), 0, spare)), min(d.in.Upper[target], y+d.reach(int32(target), 1, spare))
}

// side returns the pull on target i towards side s, what holds it there and how
// far it can go.
func (d *Drop) side(i int32, s int) (pull, curve, force, room float64) {
	pull, room = -d.pull[i], d.sol.Y[i]-d.in.Lower[i]
	if s == 1 {
		pull, room = d.pull[i], d.in.Upper[i]-d.sol.Y[i]
	}
	curve = (1 - blur/2) * max(d.hold[i][s].curve-d.own[i][s].curve, 2*d.in.Epsilon)
	return pull, curve, d.force(i, s), max(room, 0)
}

// force returns the force that keeps target i from moving towards side s.
func (d *Drop) force(i int32, s int) float64 {
	return max(d.hold[i][s].force-d.own[i][s].force, 0)
}

// gain is the most that target i adds to the right side less the left.
func (d *Drop) gain(i int32) float64 {
	most := 0.0
	for s := range 2 {
		if pull, curve, force, room := d.side(i, s); pull > force {
			x := min((pull-force)/(2*curve), room)
			most = max(most, (pull-force-curve*x)*x)
		}
	}
	return most
}

// reach is the farthest that the target goes towards a side when the others leave
// it spare: the root of c·x² + (l − p)·x = spare.
func (d *Drop) reach(i int32, s int, spare float64) float64 {
	pull, curve, force, room := d.side(i, s)
	half := (pull - force) / (2 * curve)
	root := math.Sqrt(half*half + spare/curve)
	if half < 0 {
		// The same without cancellation.
		return min(room, spare/curve/(root-half))
	}
	return min(room, half+root)
}
