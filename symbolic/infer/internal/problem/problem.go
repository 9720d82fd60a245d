package problem

import (
	"math"
	"slices"

	"hinge/symbolic/lcqp"
)

// Problem is one connected component as a method sees it: after presolve, in
// local indices, with every target free to move (Lower < Upper):
//
//	min  Σ_i (Quad_i y_i² + Lin_i y_i) + Σ_k cost_k(s_k)
//	s.t. a_k·y + B_k ≤ 0 (HardLE), = 0 (HardEQ), ≤ s_k (Linear, Square),
//	     Lower ≤ y ≤ Upper,
//	     cost(s) = Weight·s + Curv·s², s ≥ 0 (Linear: Weight = w, Curv = ε),
//	     cost(s) = Curv·s² (Square: Curv = w + ε).
//
// Constant terms are kept by the driver. Methods read the problem and write Y
// and Dual.
type Problem struct {
	// Targets and Rows are the sizes n and m.
	Targets, Rows int
	// Ptr, Col, Val hold the rows of A. Methods that do not work on forms fill them by Expand.
	Ptr, Col []int32
	Val      []float64
	// Kind, B, Weight, Curv describe the rows.
	Kind            []lcqp.Kind
	B, Weight, Curv []float64
	// Lower, Upper, Quad, Lin describe the targets; Quad > 0.
	Lower, Upper, Quad, Lin []float64
	// Y and Dual are the current point.
	Y, Dual []float64
	// Near reports whether few rows of the warm start are not as they should be.
	Near bool
	// Stats is where methods count block updates, Newton steps and
	// factorisations.
	Stats Stats
	// Workers is the number of goroutines that a large factor may take.
	Workers int
	// Late reports whether time is up. It is asked within a large factor, which then has no
	// meaning. It is nil where there is no limit.
	Late func() bool
	// Choice is where a method that combines others notes what it begins with.
	Choice Choice

	// The rows once more: row k is coef_k·(its left-hand side), and rows are sorted by
	// left-hand side: first the rows of a single target, then the rows of each form. SidePtr
	// has Targets + forms + 1 entries.
	Forms    *Forms
	SidePtr  []int32
	Goal     Tolerance // at which the driver will stop; zero where none is known
	Coef     []float64
	Layout   *Layout
	gradient []float64 // scratch, by target
	values   []float64 // scratch, by left-hand side
}

// RowsOf returns the range of the rows of target i alone.
func (p *Problem) RowsOf(i int) (from, to int) { return int(p.SidePtr[i]), int(p.SidePtr[i+1]) }

// MembersOf returns the range of the rows of form g.
func (p *Problem) MembersOf(g int) (from, to int) {
	return int(p.SidePtr[p.Targets+g]), int(p.SidePtr[p.Targets+g+1])
}

// Side returns the value at y of left-hand side f, as counted by SidePtr.
func (p *Problem) Side(f int, y []float64) float64 {
	if f < p.Targets {
		return y[f]
	}
	return p.Forms.Apply(f-p.Targets, y)
}

// Activity returns a_k·y + B_k. It needs Ptr, Col and Val.
func (p *Problem) Activity(k int, y []float64) float64 {
	v := p.B[k]
	for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
		v += p.Val[j] * y[p.Col[j]]
	}
	return v
}

// Pull writes Lin + Aᵀμ into m.
func (p *Problem) Pull(dual, m []float64) {
	for i, v := range p.Lin {
		from, to := p.RowsOf(i)
		m[i] = v + p.total(dual, from, to)
	}
	g := p.Forms
	for k := range g.Len() {
		from, to := p.MembersOf(k)
		if from == to {
			continue
		}
		if lambda := p.total(dual, from, to); lambda != 0 {
			g.Spread(k, lambda, m)
		}
	}
}

// total returns Σ coef·μ over rows of one left-hand side.
func (p *Problem) total(dual []float64, from, to int) float64 {
	v := 0.0
	coef := p.Coef[from:to]
	for n, mu := range dual[from:to] {
		v += coef[n] * mu
	}
	return v
}

// Evaluate computes primal and dual value and the largest violation of a hard
// row at (Y, Dual). Slacks are the hinges of Y; the dual is minimised over the
// box and the slacks in closed form. m is scratch of length Targets.
func (p *Problem) Evaluate(m []float64) Point {
	var v Point
	p.Pull(p.Dual, m)
	for i, y := range p.Y {
		q := p.Quad[i]
		v.Primal += (q*y + p.Lin[i]) * y
		x := min(max(-m[i]/(2*q), p.Lower[i]), p.Upper[i])
		off := 2*q*y + m[i]
		if off > 0 {
			off *= y - p.Lower[i]
		} else {
			off *= y - p.Upper[i]
		}
		if off > v.Stationarity {
			v.Stationarity = off
		}
		v.Dual += (q*x + m[i]) * x
	}
	for f, z := range p.sides() {
		from, to := int(p.SidePtr[f]), int(p.SidePtr[f+1])
		for k := from; k < to; k++ {
			a := p.Coef[k]*z + p.B[k]
			if a <= 0 && p.Dual[k] == 0 && p.Kind[k] != lcqp.HardEQ {
				continue // adds nothing
			}
			v.row(p, k, a)
		}
	}
	// The comparisons above pass over NaN, which is in the sums then.
	if math.IsNaN(v.Primal) || math.IsNaN(v.Dual) {
		v.Violation, v.Product, v.Stationarity = math.NaN(), math.NaN(), math.NaN()
	}
	return v
}

// row adds row k of activity a.
func (v *Point) row(p *Problem, k int, a float64) {
	mu := p.Dual[k]
	v.Dual += mu * p.B[k]
	kind := p.Kind[k]
	if kind <= lcqp.HardEQ {
		product := math.Abs(mu * a)
		if kind == lcqp.HardEQ {
			a = math.Abs(a)
		}
		if a > v.Violation {
			v.Violation = a
		}
		if product > v.Product {
			v.Product = product
		}
		return
	}
	a = max(a, 0)
	curv, off := p.Curv[k], 0.0
	if kind == lcqp.Linear {
		w := p.Weight[k]
		v.Primal += (w + curv*a) * a
		if over := mu - w; over > 0 {
			v.Dual -= over * over / (4 * curv)
		}
		// σ = w + 2εs − μ, the multiplier of s ≥ 0, must be ≥ 0 and its
		// product with s vanish.
		sigma := w + 2*curv*a - mu
		off = max(-sigma, sigma*a)
		if w > 1 {
			off /= w
		}
	} else {
		v.Primal += curv * a * a
		v.Dual -= mu * mu / (4 * curv)
		off = math.Abs(mu - 2*curv*a)
		if curv > 1 {
			off /= curv
		}
	}
	if off > v.Stationarity {
		v.Stationarity = off
	}
}

// Rounding estimates the error with which the gap of the current point can be
// known: the unit roundoff times the terms that cancel in it. m is scratch.
func (p *Problem) Rounding(m []float64) float64 {
	scale := 0.0
	for i, v := range p.Lin {
		m[i] = math.Abs(v)
	}
	for k, mu := range p.Dual {
		scale += math.Abs(mu * p.B[k])
	}
	g := p.Forms
	for f := range len(p.SidePtr) - 1 {
		sum := 0.0
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			sum += math.Abs(p.Coef[k] * p.Dual[k])
		}
		if f < p.Targets {
			m[f] += sum
			continue
		}
		for j := g.Ptr[f-p.Targets]; sum > 0 && j < g.Ptr[f-p.Targets+1]; j++ {
			m[g.Col[j]] += math.Abs(g.Val[j]) * sum
		}
	}
	for i, v := range m {
		scale += v * v / (4 * p.Quad[i])
	}
	return 4e-16 * scale
}

// Resize returns a slice of n elements, x's own memory if it has room for them.
func Resize[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }

// ResizeAll gives each of some slices n elements.
func ResizeAll[T any](n int, all ...*[]T) {
	for _, x := range all {
		*x = Resize(*x, n)
	}
}

// ResizeTargets gives all that is known of targets the length n.
func (p *Problem) ResizeTargets(n int) {
	p.Targets = n
	ResizeAll(n, &p.Quad, &p.Lin, &p.Lower, &p.Upper, &p.Y)
}

// ResizeRows empties the rows, to be filled for another layout.
func (p *Problem) ResizeRows(l *Layout) {
	p.Layout, p.Forms = l, l.Forms
	p.SidePtr = append(p.SidePtr[:0], 0)
	p.SetRows(0)
}

// SetRows gives all that is known of rows the length n.
func (p *Problem) SetRows(n int) {
	p.Rows, p.Kind = n, Resize(p.Kind, n)
	ResizeAll(n, &p.Dual, &p.B, &p.Coef, &p.Weight, &p.Curv)
}

// sides returns the values at Y of all left-hand sides, in storage of p.
func (p *Problem) sides() []float64 {
	p.Forms.Sides(p.Y, p.Scratch())
	return p.values
}

// Scratch returns a number for each left-hand side, for a method to use until it ends an
// iteration.
func (p *Problem) Scratch() []float64 {
	p.values = Resize(p.values, len(p.SidePtr)-1)
	return p.values
}

// Expand fills the rows of A.
func (p *Problem) Expand() {
	p.Ptr = append(p.Ptr[:0], 0)
	p.Col, p.Val = p.Col[:0], p.Val[:0]
	g := p.Forms
	for f := range len(p.SidePtr) - 1 {
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			if f < p.Targets {
				p.Col, p.Val = append(p.Col, int32(f)), append(p.Val, p.Coef[k])
			} else {
				for j := g.Ptr[f-p.Targets]; j < g.Ptr[f-p.Targets+1]; j++ {
					p.Col, p.Val = append(p.Col, g.Col[j]), append(p.Val, p.Coef[k]*g.Val[j])
				}
			}
			p.Ptr = append(p.Ptr, int32(len(p.Col)))
		}
	}
}
