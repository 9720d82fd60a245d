package bilevel

import "hinge/symbolic/lcqp"

// lagrangian is the augmented Lagrangian of a batch (paper, equation of the
// augmented Lagrangian in section 4) as a function of optimal values, points
// and slacks:
//
//	L_A = Σ_i ( d(y_i, t_i) + a·V_{z*_i} ) + (μ/2) Σ_j (c_j + s_j)² + Σ_j λ_j (c_j + s_j)
//	c_j = M_j − V_j − ι.
//
// There is one constraint j a sample, or one for the batch with the sum of the
// M − V. Of n samples m may have theirs evaluated; all terms of those but the
// energy then count n/m-fold. eval keeps the derivatives.
type lagrangian struct {
	set      *Settings
	targets  int
	penalty  float64   // μ
	iota     float64   // ι
	lambda   []float64 // λ_j, one a sample (the first for a batch constraint)
	labelled []*lcqp.Instance

	terms    Terms
	residual []float64 // c_j + s_j
	slack    []float64 // the s_j that entered
	gap      []float64 // M_i − V_i
	dLatent  []float64
	dFull    []float64
	dMoreau  []float64
	dY, dS   []float64
}

// newLagrangian sizes the scratch for a batch of n samples, m with a constraint.
func newLagrangian(set *Settings, n, m, targets int) *lagrangian {
	v := func() []float64 { return make([]float64, m) }
	return &lagrangian{
		set: set, targets: targets, lambda: v(), labelled: make([]*lcqp.Instance, m),
		residual: v(), slack: v(), gap: v(), dLatent: make([]float64, n), dFull: v(), dMoreau: v(),
		dY: make([]float64, m*targets), dS: v(),
	}
}

// eval returns L_A, scaled as the settings say. s is read with SlackStep only.
func (l *lagrangian) eval(in [][]float64) float64 {
	latent, full, moreau, y, s := in[0], in[1], in[2], in[3], in[4]
	scale, m := l.scale(), len(moreau)
	var t Terms
	clear(l.dY)
	for i := range m {
		t.Supervised += l.supervised(i, y[i*l.targets:(i+1)*l.targets])
		l.gap[i] = moreau[i] - full[i]
	}
	weight := scale * l.share()
	if l.set.PerBatch {
		gap := 0.0
		for _, d := range l.gap {
			gap += d
		}
		q := l.constraint(0, gap, s[0], &t)
		for i := range m {
			l.dMoreau[i], l.dFull[i] = weight*q, -weight*q
		}
	} else {
		for i := range m {
			q := l.constraint(i, l.gap[i], s[i], &t)
			l.dMoreau[i], l.dFull[i] = weight*q, -weight*q
		}
	}
	for i := range l.dS {
		l.dS[i] *= weight
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
func (l *lagrangian) scale() float64 {
	if l.set.Sum {
		return 1
	}
	return 1 / float64(len(l.dLatent))
}

// share is how many samples of the batch one with a constraint stands for.
func (l *lagrangian) share() float64 { return float64(len(l.dLatent)) / float64(len(l.dMoreau)) }

// supervised returns d(y_i, t_i) and adds its derivative to dY. The labels are
// what is fixed in the sample's latent problem.
func (l *lagrangian) supervised(i int, y []float64) float64 {
	d := crossEntropy
	if l.set.Loss == LossMSE {
		d = squaredError
	}
	sum := 0.0
	in, dy := l.labelled[i], l.dY[i*l.targets:]
	for j, lower := range in.Lower {
		if lower == in.Upper[j] {
			sum += d(y[j], lower, &dy[j])
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
func (l *lagrangian) constraint(j int, gap, s float64, t *Terms) (q float64) {
	mu, lambda, c := l.penalty, l.lambda[j], gap-l.iota
	l.dS[j] = 0
	switch l.set.Slack {
	case SlackNone:
		s = max(0, -c)
	case SlackExact:
		s = max(0, -c-lambda/mu)
	}
	r := c + s
	if l.set.Slack != SlackNone || c > touching*(1+l.iota) {
		q = mu*r + lambda
	}
	if l.set.Slack == SlackStep {
		l.dS[j] = q
	}
	l.residual[j], l.slack[j] = r, s
	t.Gap += gap
	t.Slack += s
	t.Violation += max(r, -r)
	t.Linear += lambda * r
	t.Quadratic += mu / 2 * r * r
	return q
}
