package bilevel

import (
	"gorgonia.org/gorgonia"

	"hinge/symbolic/lcqp"
)

// lagrangianValue is the augmented Lagrangian of a batch (paper, equation of the
// augmented Lagrangian in section 4) as a function of optimal values and points, the slacks
// being where they minimise it:
//
//	L_A = Σ_i ( d(y_i, t_i) + a·V_{z*_i} ) + (μ/2) Σ_j (c_j + s_j)² + Σ_j λ_j (c_j + s_j)
//	c_j = M_j − V_j − ι.
//
// There is one constraint j a sample, or one for the batch with the sum of the
// M − V. Of n samples m may have theirs evaluated; all terms of those but the
// energy then count n/m-fold. eval keeps the derivatives.
type lagrangianValue struct {
	set      *Settings
	at       []int                                   // where the targets of each sample begin
	d        func(y, t float64, dy *float64) float64 // the supervised term
	penalty  float64                                 // μ
	iota     float64                                 // ι
	lambda   []float64                               // λ_j, one per sample (the first for a batch constraint)
	labelled []*lcqp.Instance

	terms    Terms
	residual []float64 // c_j + s_j
	slack    []float64 // the s_j that entered
	gap      []float64 // M_i − V_i
	dLatent  []float64
	dFull    []float64
	dMoreau  []float64
	dY       []float64
}

// newLagrangianValue sizes the scratch for a batch of n samples, m of them with a constraint,
// that have at most the given number of targets together.
func newLagrangianValue(set *Settings, n, m, targets int) lagrangianValue {
	v := func() []float64 { return make([]float64, m) }
	return lagrangianValue{
		set: set, at: make([]int, m), lambda: v(), labelled: make([]*lcqp.Instance, m),
		residual: v(), slack: v(), gap: v(), dLatent: make([]float64, n), dFull: v(), dMoreau: v(),
		dY: make([]float64, targets),
	}
}

// node adds L_A to the graph of its arguments: V_{z*}, V, M and y.
func (l *lagrangianValue) node(in ...*gorgonia.Node) (*gorgonia.Node, error) {
	return scalar("L", in, [][]float64{l.dLatent, l.dFull, l.dMoreau, l.dY}, func(x [][]float64) (float64, error) {
		return l.eval(x[0], x[1], x[2], x[3]), nil
	})
}

// eval returns L_A, scaled as the settings say.
func (l *lagrangianValue) eval(latent, full, moreau, y []float64) float64 {
	scale, m := l.scale(), len(moreau)
	var t Terms
	clear(l.dY)
	for i := range m {
		t.Supervised += l.supervised(i, y[l.at[i]:])
		l.gap[i] = moreau[i] - full[i]
	}
	weight := scale * l.share()
	if l.set.Constraint == ConstraintBatch {
		gap := 0.0
		for _, d := range l.gap {
			gap += d
		}
		q := l.constraint(0, gap, &t)
		for i := range m {
			l.dMoreau[i], l.dFull[i] = weight*q, -weight*q
		}
	} else {
		for i := range m {
			q := l.constraint(i, l.gap[i], &t)
			l.dMoreau[i], l.dFull[i] = weight*q, -weight*q
		}
	}
	for i := range l.dY {
		l.dY[i] *= weight
	}
	t.scale(l.share())
	t.Samples = len(latent)
	for i, v := range latent {
		t.Energy += l.set.EnergyCoefficient * v
		l.dLatent[i] = scale * l.set.EnergyCoefficient
	}
	t.Lagrangian = t.Supervised + t.Energy + t.Linear + t.Quadratic
	l.terms = t
	return scale * t.Lagrangian
}

// scale is the factor between the sum over the batch and the loss.
func (l *lagrangianValue) scale() float64 { return l.set.Reduction.factor(len(l.dLatent)) }

// share returns the weight of a sample with a constraint: the batch size divided by the number
// of samples that have one.
func (l *lagrangianValue) share() float64 { return float64(len(l.dLatent)) / float64(len(l.dMoreau)) }

// constraints is the number of constraints of a batch.
func (l *lagrangianValue) constraints() int {
	if l.set.Constraint == ConstraintBatch {
		return 1
	}
	return len(l.dMoreau)
}

// supervised returns d(y_i, t_i) and adds its derivative to dY. The labels are the fixed
// targets of the sample's latent problem.
func (l *lagrangianValue) supervised(i int, y []float64) float64 {
	sum := 0.0
	in, dy := l.labelled[i], l.dY[l.at[i]:]
	for j, lower := range in.Lower {
		if lower == in.Upper[j] {
			sum += l.d(y[j], lower, &dy[j])
		}
	}
	return sum
}

// touching is the c, relative to 1 + ι, up to which a constraint without a slack
// counts as met. ι starts at the largest M − V there is, where c is zero but for
// rounding; the multiplier, which jumps there, must not hang on that.
const touching = 1e-9

// constraint adds the penalty of constraint j to the terms and returns its
// derivative for M − V, the estimate μ(c + s) + λ of the multiplier.
func (l *lagrangianValue) constraint(j int, gap float64, t *Terms) (q float64) {
	penalty, lambda, c := l.penalty, l.lambda[j], gap-l.iota
	s := max(0, -c-lambda/penalty)
	if l.set.Slack == SlackNone {
		s = max(0, -c)
	}
	r := c + s
	if l.set.Slack != SlackNone || c > touching*(1+l.iota) {
		q = penalty*r + lambda
	}
	l.residual[j], l.slack[j] = r, s
	t.Gap += gap
	t.Slack += s
	t.Violation += max(r, -r)
	t.Linear += lambda * r
	t.Quadratic += penalty / 2 * r * r
	return q
}
