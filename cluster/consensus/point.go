package consensus

import (
	"math"

	"hinge/optim/collective"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// point is this rank's part of a point of the whole program, with its residuals.
type point struct {
	sol      *lcqp.Solution
	residual lcqp.Residual
	energy   float64
}

// complete makes a point of the whole program of the ranks' copies and multipliers in
// sol, and judges it. The instance has no proximal terms of the method's own here.
func (st *state) complete(sol *lcqp.Solution) (*point, error) {
	in, l := st.in, st.links
	for p, i := range l.shared {
		st.scratch[p] = sol.Y[i]
	}
	if err := l.elected(st.scratch); err != nil {
		return nil, err
	}
	for p, i := range l.shared {
		sol.Y[i] = st.scratch[p]
	}
	st.slacks(sol)
	pull := st.pull
	clear(pull)
	for k, mu := range sol.Dual {
		if mu != 0 {
			for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
				pull[in.Col[j]] += in.Val[j] * mu
			}
		}
	}
	if err := st.sumAt(pull); err != nil {
		return nil, err
	}
	for i, m := range pull {
		m += 2*(in.Epsilon+in.Prox[i])*sol.Y[i] - 2*in.Prox[i]*in.Center[i]
		sol.LowerDual[i], sol.UpperDual[i] = max(m, 0), max(-m, 0)
	}
	v := &point{sol: sol}
	return v, st.judge(v)
}

// slacks sets the slacks to the hinges of y, and their multipliers.
func (st *state) slacks(sol *lcqp.Solution) {
	in := st.in
	for k := range sol.Slack {
		row := in.Constraints + k
		a := in.B[row]
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			a += in.Val[j] * sol.Y[in.Col[j]]
		}
		s := max(a, 0)
		sol.Slack[k], sol.SlackDual[k] = s, 0
		if in.Kinds[row] == lcqp.Linear {
			weight, curv := in.RowCost(row)
			sol.SlackDual[k] = max(weight+2*curv*s-sol.Dual[row], 0)
		}
	}
}

// sumAt adds up the entries of targets in common over the ranks.
func (st *state) sumAt(pull []float64) error {
	for p, i := range st.links.shared {
		st.scratch[p] = pull[i]
	}
	err := st.links.sum(st.scratch)
	for p, i := range st.links.shared {
		pull[i] = st.scratch[p]
	}
	return err
}

// judge fills in the residuals of the whole, the same on all ranks.
func (st *state) judge(v *point) error {
	share := &lcqp.Share{Own: st.own, Complete: st.sumAt}
	r, err := share.Residuals(st.in, v.sol)
	if err != nil {
		return err
	}
	sums := []float64{r.PrimalValue, r.DualValue, st.in.Energy(v.sol)}
	if err := collective.Sum(st.c, sums); err != nil {
		return err
	}
	most := []float64{r.Primal, r.DualSign, r.Stationarity, r.Complementarity}
	if err := collective.Max(st.c, most); err != nil {
		return err
	}
	v.energy = sums[2]
	v.residual = lcqp.Residual{Primal: most[0], DualSign: most[1], Stationarity: most[2], Complementarity: most[3],
		PrimalValue: sums[0], DualValue: sums[1], Gap: math.Abs(sums[0] - sums[1])}
	return nil
}

// excess returns the largest ratio of a residual to its tolerance in the stop rule of package
// infer; +Inf if one of them is NaN.
func (st *state) excess(r *lcqp.Residual, t *tolerance) float64 {
	scale := 1.0
	for _, w := range st.in.Weights {
		scale = max(scale, w)
	}
	allowed := max(t.gap*(t.offset+math.Abs(r.DualValue)), t.absolute)
	worst := max(r.Primal/t.violation, r.DualSign/t.violation, r.Stationarity/scale/t.stationarity,
		r.Complementarity/scale/t.stationarity, r.Gap/allowed)
	if math.IsNaN(worst) {
		return math.Inf(1)
	}
	return worst
}

// tolerance is the stop rule, see infer.Settings.
type tolerance struct{ gap, absolute, offset, violation, stationarity float64 }

// almost holds the tolerances of infer.AlmostSolved.
var almost = tolerance{gap: 1e-6, offset: 1, violation: 1e-6, stationarity: 1e-6}

// status returns the status of a point at which the method has ended. Ranks that have solved each
// of the components for itself are believed where the whole is as exact as that makes it.
func (st *state) status(v *point, end infer.Status, components int) infer.Status {
	parts := tolerance{gap: max(st.goal.gap, almost.gap), absolute: float64(components) * max(st.goal.absolute, almost.gap), offset: almost.offset,
		violation: max(st.goal.violation, almost.violation), stationarity: max(st.goal.stationarity, almost.stationarity)}
	switch {
	case end == infer.Infeasible:
		return end
	case st.excess(&v.residual, &st.goal) <= 1:
		return infer.Solved
	case st.excess(&v.residual, &almost) <= 1:
		return infer.AlmostSolved
	case end <= infer.AlmostSolved && st.excess(&v.residual, &parts) > 1:
		return infer.NoProgress
	}
	return end
}
