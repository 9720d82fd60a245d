package infer

import (
	"cmp"
	"math"

	"hinge/app/cli"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
)

// isExact reports whether a method ends with the optimum, not near it.
func isExact(method string) bool { return infer.Can(method).Exact }

const (
	// referenceGap is the reference's threshold where a model has none,
	// referenceViolation the violation of a hard rule that it allows.
	referenceGap       = 0.01
	referenceViolation = 5e-3
	// checkTolerance is how far from an optimum -check lets a solution be
	// that claims to be one, in the judge's measure: absolute, and relative
	// for the gap.
	checkTolerance = 1e-6
	// ranksGap is the total gap that always suffices on several ranks.
	ranksGap = 1e-7
)

// settings turns flags and the model's options into the solver's settings, and returns the
// tolerance that -check compares its residuals with.
//
// Exact methods go for a total gap of 1e-7, several ranks for that or one of 1e-8 relative,
// whatever the model says: its
// threshold is an upper bound that they stay far below at no cost. The others
// stop as in the reference: at the model's threshold. -gap overrides both.
func (p *problem) settings() (s infer.Settings, tolerance float64, err error) {
	method, err := p.inferenceMethod()
	if err != nil {
		return s, 0, err
	}
	o := &p.Options
	s = infer.Settings{Method: method, Workers: p.threads, MaxIterations: o.MaxIterations(p.method)}
	if p.ownRule() {
		// The reference tests the rule after each iteration (its computeperiod is about
		// logs), on each ground rule: merged rows are stepped along, and stopped at, elsewhere.
		s.NoPresolve = true
		s.GapTolerance, s.FeasibilityTolerance, s.CheckEvery = math.SmallestNonzeroFloat64, referenceViolation, 1
		return s, referenceViolation, nil
	}
	gap := p.gap
	if !isExact(p.method) && gap == 0 {
		gap = cmp.Or(o.Gap, referenceGap)
	}
	tolerance = max(checkTolerance, gap)
	if gap == 0 && p.ranks > 1 {
		s.GapAbsolute = ranksGap // or relative, as package infer has it
		return s, tolerance, nil
	}
	if gap == 0 {
		s.GapTolerance, s.GapAbsolute = 1e-10, 1e-7/float64(p.gaps())
		if o.Gap > 0 && o.Gap < s.GapAbsolute {
			s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, o.Gap
		}
		return s, tolerance, nil
	}
	s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, gap
	if !isExact(p.method) {
		s.FeasibilityTolerance, s.StationarityTolerance = min(gap, referenceViolation), gap
		s.CheckEvery = o.DualCheckEvery
		if isADMM(p.method) {
			s.CheckEvery = o.ADMMCheckEvery
		}
	}
	return s, tolerance, nil
}

// inferenceMethod makes the method with the parameters that the model has for
// it.
func (in *input) inferenceMethod() (infer.Method, error) {
	method, err := infer.New(in.method)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	switch m := method.(type) {
	case baselines.PaperBCD:
		m.Seed = in.Options.Seed
		method = m
	case baselines.LockFreeBCD:
		m.Workers = in.threads
		method = m
	case baselines.ADMM:
		m.Step = in.Options.ADMMStep
		if in.ownRule() {
			m.Absolute, m.Relative = in.Options.ADMMAbsolute, in.Options.ADMMRelative
			m.Step, m.Relaxation = cmp.Or(m.Step, 1), 1 // the reference's form
		}
		method = m
	}
	return method, nil
}

// ownRule reports whether the method stops by its own rule: ADMM where the model sets its
// tolerances, unless there is -gap.
func (in *input) ownRule() bool {
	return in.gap == 0 && isADMM(in.method) && in.Options.ADMMAbsolute > 0
}

// isADMM reports whether a method takes the options of the reference's ADMM.
func isADMM(method string) bool { return infer.Can(method).Family == infer.ADMMFamily }

// defaultEpsilon is ε where nobody says: that of the reference for its dual
// methods, else one that does not show, since its other methods do not
// regularise. Learning keeps the reference's.
func (in *input) defaultEpsilon(flags *options) float64 {
	dual := func(method string) bool { return infer.Can(method).Family == infer.DualFamily }
	if e := infer.Can(in.method).LeastEpsilon; e > 0 {
		return e
	}
	if flags.onlyLearns() || dual(in.Options.Method) || dual(flags.method) && flags.method != infer.DefaultMethod().Name() {
		return dualEpsilon
	}
	return smallEpsilon
}
