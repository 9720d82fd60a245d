package consensus

import (
	"math"

	"hinge/optim/collective"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

const (
	// relaxation is the over-relaxation of x in the updates of z and u.
	relaxation = 1.6
	// unbalanced is the ratio of relative residuals beyond which the penalty changes by
	// the factor rescale, for the first adaptive iterations.
	unbalanced, rescale = 4, 2
	adaptive            = 200
)

// penalties sets the relative penalties of targets in common: how strongly rows hold them,
// on average of the ranks, and the first consensus, the mean of the copies by how strongly
// each is held.
func (st *state) penalties() error {
	in := st.in
	mean, rules := 0.0, 0
	for _, w := range in.Weights {
		if w > 0 {
			mean += w
			rules++
		}
	}
	mean = max(mean/float64(max(rules, 1)), in.Epsilon)
	held := make([]float64, len(st.links.shared))
	for p, i := range st.links.shared {
		for _, row := range in.RowsOf(i) {
			curv := mean
			switch weight, quad := in.RowCost(int(row)); in.Kinds[row] {
			case lcqp.Square:
				curv = 2 * quad
			case lcqp.Linear:
				curv = weight
			}
			for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
				if in.Col[j] == i {
					held[p] += curv * in.Val[j] * in.Val[j]
				}
			}
		}
		held[p] = max(held[p], 1e-3*mean)
		st.z[p] = held[p] * st.sol.Y[i]
	}
	if err := st.links.sum(st.z); err != nil {
		return err
	}
	if err := st.links.sum(held); err != nil {
		return err
	}
	for p, h := range held {
		st.z[p] /= h
		st.d[p] = h / st.links.holder[p]
	}
	return nil
}

// penalty is ρ_i at a position. It leaves room for the ε that every instance has and the
// copies must not.
func (st *state) penalty(p int32) float64 { return max(st.rho*st.d[p], 4*st.in.Epsilon) }

// iterate makes one iteration.
func (st *state) iterate() error {
	in := st.in
	st.res.SaveWarm(&st.warm)
	for _, p := range st.active {
		i, rho := st.links.shared[p], st.penalty(p)
		prox := rho/2 - in.Epsilon
		in.Prox[i], in.Center[i] = prox, rho*(st.z[p]-st.u[p])/(2*prox)
	}
	err := infer.Solve(in, &st.warm, st.limited(), &st.res)
	for _, p := range st.active {
		i := st.links.shared[p]
		in.Prox[i], in.Center[i] = 0, 0
	}
	if err := agree(st.c, err); err != nil {
		return err
	}
	st.Iterations++
	return st.update()
}

// update updates z and u after x.
func (st *state) update() error {
	l, x := st.links, st.sol.Y
	sum := st.scratch
	clear(sum)
	for _, p := range st.active {
		sum[p] = relaxation*x[l.shared[p]] + (1-relaxation)*st.z[p] + st.u[p]
	}
	if err := l.sum(sum); err != nil {
		return err
	}
	// Squares, in the norm of the penalties.
	var primal, dual, size, force float64
	for _, p := range st.active {
		i := l.shared[p]
		rho, old := st.penalty(p), st.z[p]
		z := min(max(rho*sum[p]/(2*st.in.Epsilon+l.holder[p]*rho), st.in.Lower[i]), st.in.Upper[i])
		st.u[p] += relaxation*x[i] + (1-relaxation)*old - z
		st.z[p] = z
		primal += rho * (x[i] - z) * (x[i] - z)
		dual += rho * (z - old) * (z - old)
		size += rho * max(x[i]*x[i], z*z)
		force += rho * st.u[p] * st.u[p]
	}
	sums := []float64{primal, dual, size, force}
	if err := collective.Sum(st.c, sums); err != nil {
		return err
	}
	st.balance(math.Sqrt(sums[0]/max(sums[2], tiny)), math.Sqrt(sums[1]/max(sums[3], tiny)))
	return nil
}

// tiny keeps ratios finite.
const tiny = 1e-12

// balance changes the penalty where one of the relative residuals is much larger than the
// other (Boyd et al., section 3.4.1).
func (st *state) balance(primal, dual float64) {
	factor := 1.0
	switch {
	case st.Iterations >= adaptive || math.IsNaN(primal+dual):
	case primal > unbalanced*dual:
		factor = rescale
	case dual > unbalanced*primal:
		factor = 1.0 / rescale
	}
	if factor == 1 {
		return
	}
	before := st.rho
	for _, p := range st.active {
		st.rho = before
		st.u[p] *= st.penalty(p)
		st.rho = before * factor
		st.u[p] /= st.penalty(p)
	}
	st.rho = before * factor
}
