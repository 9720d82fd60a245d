package infer

import (
	"math"

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
	// Ptr, Col, Val hold the rows, ColPtr, ColRow, ColVal the same by column.
	Ptr, Col       []int32
	Val            []float64
	ColPtr, ColRow []int32
	ColVal         []float64
	// Kind, B, Weight, Curv describe the rows.
	Kind            []lcqp.Kind
	B, Weight, Curv []float64
	// Lower, Upper, Quad, Lin describe the targets; Quad > 0.
	Lower, Upper, Quad, Lin []float64
	// Y and Dual are the current point.
	Y, Dual []float64
	// Stats is where methods count block updates, Newton steps and
	// factorisations.
	Stats Stats
}

// Activity returns a_k·y + B_k.
func (p *Problem) Activity(k int, y []float64) float64 {
	v := p.B[k]
	for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
		v += p.Val[j] * y[p.Col[j]]
	}
	return v
}

// pull writes Lin + Aᵀμ into m.
func (p *Problem) pull(dual, m []float64) {
	copy(m, p.Lin)
	for k, mu := range dual {
		if mu == 0 {
			continue
		}
		for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
			m[p.Col[j]] += p.Val[j] * mu
		}
	}
}

// point is the value of the current point as the stop rule sees it.
type point struct {
	primal, dual, violation float64
	// product is the largest |μ·(a·y + b)| of a hard row. Where violations and
	// multipliers of both signs cancel in primal − dual, it does not.
	product float64
	// stationarity is the largest error in the stationarity of a potential's
	// slack, relative to max(1, Weight, Curv), or of a target: there it is the
	// multiplier of a bound, which makes up for the error, times the distance
	// from that bound.
	stationarity float64
}

// evaluate computes primal and dual value and the largest violation of a hard
// row at (Y, Dual). Slacks are the hinges of Y; the dual is minimised over the
// box and the slacks in closed form. m is scratch of length Targets.
func (p *Problem) evaluate(m []float64) point {
	var v point
	p.pull(p.Dual, m)
	for i, y := range p.Y {
		q := p.Quad[i]
		v.primal += (q*y + p.Lin[i]) * y
		x := min(max(-m[i]/(2*q), p.Lower[i]), p.Upper[i])
		if pull := 2*q*y + m[i]; pull > 0 {
			v.stationarity = worst(v.stationarity, pull*(y-p.Lower[i]))
		} else {
			v.stationarity = worst(v.stationarity, pull*(y-p.Upper[i]))
		}
		v.dual += (q*x + m[i]) * x
	}
	for k, mu := range p.Dual {
		a := p.Activity(k, p.Y)
		v.dual += mu * p.B[k]
		switch p.Kind[k] {
		case lcqp.HardEQ:
			v.violation = worst(v.violation, math.Abs(a))
			v.product = worst(v.product, math.Abs(mu*a))
		case lcqp.HardLE:
			v.violation = worst(v.violation, a)
			v.product = worst(v.product, math.Abs(mu*a))
		case lcqp.Linear:
			a = max(a, 0)
			v.primal += (p.Weight[k] + p.Curv[k]*a) * a
			if over := mu - p.Weight[k]; over > 0 {
				v.dual -= over * over / (4 * p.Curv[k])
			}
			// σ = w + 2εs − μ, the multiplier of s ≥ 0, must be ≥ 0 and its
			// product with s vanish.
			sigma := p.Weight[k] + 2*p.Curv[k]*a - mu
			v.stationarity = worst(v.stationarity, max(-sigma, sigma*a)/max(1, p.Weight[k]))
		case lcqp.Square:
			a = max(a, 0)
			v.primal += p.Curv[k] * a * a
			v.dual -= mu * mu / (4 * p.Curv[k])
			v.stationarity = worst(v.stationarity, math.Abs(mu-2*p.Curv[k]*a)/max(1, p.Curv[k]))
		}
	}
	return v
}

// rounding estimates the error with which the gap of the current point can be
// known: the unit roundoff times the terms that cancel in it. m is scratch.
func (p *Problem) rounding(m []float64) float64 {
	scale := 0.0
	for i, v := range p.Lin {
		m[i] = math.Abs(v)
	}
	for k, mu := range p.Dual {
		scale += math.Abs(mu * p.B[k])
		for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
			m[p.Col[j]] += math.Abs(p.Val[j] * mu)
		}
	}
	for i, v := range m {
		scale += v * v / (4 * p.Quad[i])
	}
	return 4e-16 * scale
}

// worst is max(a, b) that lets NaN through from either side.
func worst(a, b float64) float64 {
	if math.IsNaN(b) || b > a {
		return b
	}
	return a
}

func resize[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n, n+n/4)
	}
	return x[:n]
}

func (p *Problem) resizeTargets(n int) {
	p.Targets = n
	p.Quad, p.Lin = resize(p.Quad, n), resize(p.Lin, n)
	p.Lower, p.Upper = resize(p.Lower, n), resize(p.Upper, n)
	p.Y = resize(p.Y, n)
}

// resizeRows empties the rows; addRow appends one, whose entries follow.
func (p *Problem) resizeRows() {
	p.Ptr = append(p.Ptr[:0], 0)
	p.Col, p.Val = p.Col[:0], p.Val[:0]
	p.Kind, p.B, p.Weight, p.Curv, p.Dual = p.Kind[:0], p.B[:0], p.Weight[:0], p.Curv[:0], p.Dual[:0]
}

func (p *Problem) addRow(kind lcqp.Kind, b, weight, curv float64) {
	p.Kind = append(p.Kind, kind)
	p.B = append(p.B, b)
	p.Weight = append(p.Weight, weight)
	p.Curv = append(p.Curv, curv)
	p.Dual = append(p.Dual, 0)
}

// transpose fills the column form from the rows.
func (p *Problem) transpose() {
	p.ColPtr = resize(p.ColPtr, p.Targets+1)
	p.ColRow, p.ColVal = resize(p.ColRow, len(p.Col)), resize(p.ColVal, len(p.Col))
	transpose(p.Targets, p.Ptr, p.Col, p.Val, p.ColPtr, p.ColRow, p.ColVal)
}

// transpose writes a sparse matrix of n columns, given by rows, by columns. The
// rows of each column are increasing.
func transpose(n int, ptr, col []int32, val []float64, colPtr, colRow []int32, colVal []float64) {
	clear(colPtr)
	for _, c := range col {
		colPtr[c]++
	}
	end := int32(0)
	for i := range n {
		end += colPtr[i]
		colPtr[i] = end
	}
	colPtr[n] = end
	// Filled from the back, the pointers end at the starts of the columns.
	for k := len(ptr) - 2; k >= 0; k-- {
		for j := ptr[k+1] - 1; j >= ptr[k]; j-- {
			c := col[j]
			colPtr[c]--
			colRow[colPtr[c]] = int32(k)
			colVal[colPtr[c]] = val[j]
		}
	}
}
