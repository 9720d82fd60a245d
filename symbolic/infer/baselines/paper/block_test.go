package paper

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/lcqp"
)

// dense is a problem in the paper's form: min νᵀDν + cᵀν, Aν + b ≤ 0 with
// ν = (y, s) and all bounds as rows of A, in the order rows, lower bounds,
// upper bounds, slacks.
type dense struct {
	a      [][]float64
	b      []float64
	quad   []float64 // diagonal of D + εI
	lin    []float64
	n, m   int
	slacks []int // row of each slack column
}

func newDense(p *problem.Problem) *dense {
	d := &dense{n: p.Targets, m: p.Rows}
	d.quad = append(d.quad, p.Quad...)
	d.lin = append(d.lin, p.Lin...)
	for k, kind := range p.Kind {
		if kind > lcqp.HardEQ {
			d.slacks = append(d.slacks, k)
			d.quad = append(d.quad, p.Curv[k])
			d.lin = append(d.lin, p.Weight[k])
		}
	}
	row := func(b float64) []float64 {
		r := make([]float64, len(d.quad))
		d.a = append(d.a, r)
		d.b = append(d.b, b)
		return r
	}
	for k := range p.Rows {
		r := row(p.B[k])
		for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
			r[p.Col[j]] = p.Val[j]
		}
		for s, owner := range d.slacks {
			if owner == k {
				r[p.Targets+s] = -1
			}
		}
	}
	for i := range p.Targets {
		row(p.Lower[i])[i] = -1
	}
	for i := range p.Targets {
		row(-p.Upper[i])[i] = 1
	}
	for s := range d.slacks {
		row(0)[p.Targets+s] = -1
	}
	return d
}

// multipliers lays a solver's state out in the rows of A.
func (d *dense) multipliers(x *descent) []float64 {
	mu := append([]float64(nil), x.mu...)
	mu = append(append(mu, values(x.alpha)...), values(x.beta)...)
	for _, k := range d.slacks {
		mu = append(mu, x.sigma[k])
	}
	return mu
}

func values(x []number) []float64 {
	v := make([]float64, len(x))
	for i := range x {
		v[i] = x[i].value()
	}
	return v
}

// gradient returns ∇h = A D̃ (Aᵀμ + c) − 2b.
func (d *dense) gradient(mu []float64) []float64 {
	m := append([]float64(nil), d.lin...)
	for r, row := range d.a {
		for c, v := range row {
			m[c] += v * mu[r]
		}
	}
	g := make([]float64, len(d.a))
	for r, row := range d.a {
		g[r] = -2 * d.b[r]
		for c, v := range row {
			g[r] += v * m[c] / d.quad[c]
		}
	}
	return g
}

// value returns the dual function, −¼ (Aᵀμ + c)ᵀ D̃ (Aᵀμ + c) + bᵀμ.
func (d *dense) value(mu []float64) float64 {
	v := 0.0
	for r, b := range d.b {
		v += b * mu[r]
	}
	for c, q := range d.quad {
		m := d.lin[c]
		for r, row := range d.a {
			m += row[c] * mu[r]
		}
		v -= m * m / (4 * q)
	}
	return v
}

// block lists the rows of A in the block of row k.
func (d *dense) block(p *problem.Problem, k int) []int {
	u := []int{k}
	for _, i := range p.Col[p.Ptr[k]:p.Ptr[k+1]] {
		u = append(u, d.m+int(i), d.m+d.n+int(i))
	}
	for s, owner := range d.slacks {
		if owner == k && p.Kind[k] == lcqp.Linear {
			u = append(u, d.m+2*d.n+s)
		}
	}
	return u
}

// update makes the paper's update of a block with dense matrices and returns
// the new multipliers. Directions within noise of 0 count as 0.
func (d *dense) update(p *problem.Problem, k int, mu []float64) []float64 {
	g := d.gradient(mu)
	u := d.block(p, k)
	free := func(j int) bool { return j < d.m && p.Kind[j] == lcqp.HardEQ }
	num, limit := 0.0, math.Inf(1)
	f := make([]float64, len(d.quad))
	step := map[int]float64{}
	for _, j := range u {
		if g[j] > 0 && mu[j] == 0 && !free(j) || math.Abs(g[j]) < 1e-12 {
			continue
		}
		step[j] = g[j]
		num += g[j] * g[j]
		for c, v := range d.a[j] {
			f[c] += v * g[j]
		}
		if g[j] > 0 && !free(j) {
			limit = min(limit, mu[j]/g[j])
		}
	}
	den := 0.0
	for c, v := range f {
		den += v * v / d.quad[c]
	}
	out := append([]float64(nil), mu...)
	if num == 0 {
		return out
	}
	alpha := min(num/den, limit)
	for j, g := range step {
		out[j] = mu[j] - alpha*g
	}
	return out
}

// Every block update must be the one of the paper's formulas, written with
// dense matrices.
func TestPaperBlockIsThePapers(t *testing.T) {
	updates := 0
	for seed := range uint64(60) {
		p := problemtest.Raw(infertest.Known(seed).Instance)
		if p == nil || p.Targets == 0 || p.Rows == 0 {
			continue
		}
		d := newDense(p)
		x := PaperBCD{}.NewSolver().(*descent)
		x.Init(p)
		rng := rand.New(rand.NewPCG(seed, 3))
		for range 5 * p.Rows {
			k := rng.IntN(p.Rows)
			mu := d.multipliers(x)
			want := d.update(p, k, mu)
			x.update(p, &x.blocks[0], k)
			got := d.multipliers(x)
			for j := range got {
				if math.Abs(got[j]-want[j]) > 1e-8*(1+math.Abs(want[j])) {
					t.Fatalf("seed %d, block %d: multiplier %d is %v, want %v (from %v)", seed, k, j, got[j], want[j], mu[j])
				}
			}
			updates++
		}
	}
	if updates < 1000 {
		t.Errorf("%d updates", updates)
	}
}

// The step is 0, and not infinite, where the multiplier of a row and those of
// the bounds pull along a direction in which the dual is flat.
func TestPaperBlockNullCurvature(t *testing.T) {
	s := infertest.New(1)
	s.Hard(1, -1-5e-10, []int32{0}, 1) // y = 1 + 5e-10
	p := problemtest.Raw(s.Instance(t, 0.1))
	x := PaperBCD{}.NewSolver().(*descent)
	x.Init(p)
	for range 2000 {
		x.Iterate(p)
	}
	if mu := x.mu[0]; !(math.Abs(mu) < 1) {
		t.Errorf("multiplier %v", mu)
	}
	x.Point(p)
	if y := p.Y[0]; math.Abs(y-1) > 1e-8 {
		t.Errorf("y = %v", y)
	}
}
