package problem

import (
	"cmp"
	"math"
	"math/rand/v2"

	"hinge/app/cli"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
	"hinge/train/config"
)

// IsExact reports whether a method ends with the optimum, not near it.
func IsExact(method string) bool { return infer.Can(method).Exact }

const (
	// referenceGap is the reference's threshold where a model has none,
	// referenceViolation the violation of a hard rule that it allows.
	referenceGap       = 0.01
	referenceViolation = 5e-3
	// CheckTolerance is how far from an optimum -check lets a solution be
	// that claims to be one, in the judge's measure: absolute, and relative
	// for the gap.
	CheckTolerance = 1e-6
	// ranksGap is the total gap that always suffices on several ranks.
	ranksGap = 1e-7
)

// Settings turns flags and the model's options into the solver's settings, and returns the
// tolerance that -check compares its residuals with.
//
// Exact methods go for a total gap of 1e-7, several ranks for that or one of 1e-8 relative,
// whatever the model says: its
// threshold is an upper bound that they stay far below at no cost. The others
// stop as looseGap says. -gap overrides both.
func (p *Problem) Settings() (s infer.Settings, tolerance float64, err error) {
	method, err := p.inferenceMethod()
	if err != nil {
		return s, 0, err
	}
	o := &p.Options
	s = infer.Settings{Method: method, Workers: p.Threads, MaxIterations: o.MaxIterations(p.Method)}
	if p.ownRule() {
		// The reference tests the rule after each iteration (its computeperiod is about
		// logs), on each ground rule: merged rows are stepped along, and stopped at, elsewhere.
		s.NoPresolve = true
		s.GapTolerance, s.FeasibilityTolerance, s.CheckEvery = math.SmallestNonzeroFloat64, referenceViolation, 1
		return s, referenceViolation, nil
	}
	gap := cmp.Or(p.Gap, p.looseGap())
	tolerance = max(CheckTolerance, gap)
	if gap == 0 && p.Ranks > 1 {
		s.GapAbsolute = ranksGap // or relative, as package infer has it
		return s, tolerance, nil
	}
	if gap == 0 {
		s.GapTolerance, s.GapAbsolute = 1e-10, 1e-7/float64(p.Gaps())
		if o.Gap > 0 && o.Gap < s.GapAbsolute {
			s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, o.Gap
		}
		return s, tolerance, nil
	}
	s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, gap
	if !IsExact(p.Method) {
		s.FeasibilityTolerance, s.StationarityTolerance = min(gap, referenceViolation), gap
		s.CheckEvery = o.DualCheckEvery
		if IsADMM(p.Method) {
			s.CheckEvery = o.ADMMCheckEvery
		}
	}
	return s, tolerance, nil
}

// Choice returns settings under which an exact method goes on until ε has also chosen among the optima:
// a gap of δ²·ε leaves targets within δ of the one nearest to 0, or to the point of -ties. They are for
// programs of up to choiceRows rows without a gap that somebody asked for. Rounding, or few iterations,
// may leave them unmet: those of Settings have to do then.
func (p *Problem) Choice(s infer.Settings) (choice infer.Settings, small bool) {
	const choiceRows, choiceIterations, delta = 5_000, 50, 1e-3
	if p.Gap > 0 || p.Ranks > 1 || !IsExact(p.Method) || p.Instance.Rows() > choiceRows {
		return s, false
	}
	gap := delta * delta * p.Instance.Epsilon
	if s.GapAbsolute > 0 {
		gap = min(gap, s.GapAbsolute)
	}
	s.GapTolerance, s.GapAbsolute = 1e-15, gap
	s.MaxIterations = choiceIterations
	return s, true
}

// Choices returns settings to try one after another: those of Choice, where it has some, and s.
func (p *Problem) Choices(s infer.Settings) []infer.Settings {
	if choice, small := p.Choice(s); small {
		return []infer.Settings{choice, s}
	}
	return []infer.Settings{s}
}

// looseGap is the gap at which a method stops that is not exact: the model's, or the reference's of
// methods that need its ε or stand for it, and 1e-7 of others. It is 0 for exact methods.
func (in *Input) looseGap() float64 {
	switch c := infer.Can(in.Method); {
	case c.Exact:
		return 0
	case c.LeastEpsilon > 0 || c.Family == infer.ADMMFamily:
		return cmp.Or(in.Options.Gap, referenceGap)
	}
	return cmp.Or(in.Options.Gap, ranksGap)
}

// inferenceMethod makes the method with the parameters that the model has for
// it.
func (in *Input) inferenceMethod() (infer.Method, error) {
	method, err := infer.New(in.Method)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	switch m := method.(type) {
	case baselines.PaperBCD:
		m.Seed = in.Options.Seed
		method = m
	case baselines.LockFreeBCD:
		m.Workers = in.Threads
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
func (in *Input) ownRule() bool {
	return in.Gap == 0 && IsADMM(in.Method) && in.Options.ADMMAbsolute > 0
}

// IsADMM reports whether a method takes the options of the reference's ADMM.
func IsADMM(method string) bool { return infer.Can(method).Family == infer.ADMMFamily }

// DefaultEpsilon is ε where nobody says: that of the reference for its dual
// methods, else one that does not show, since its other methods do not
// regularise. Learning keeps the reference's.
func (in *Input) DefaultEpsilon(flags *Options) float64 {
	if e := infer.Can(in.Method).LeastEpsilon; e > 0 {
		return e
	}
	if flags.OnlyLearns() || infer.Can(in.Options.Method).Family == infer.DualFamily {
		return DualEpsilon
	}
	least, _ := in.leastWeights()
	return smallEpsilon(least)
}

// smallEpsilon is the largest power of ten, up to SmallEpsilon, that is at most 1/epsilonShare of a weight, but not
// below leastEpsilon.
func smallEpsilon(weight float64) float64 {
	if weight >= epsilonShare*SmallEpsilon {
		return SmallEpsilon
	}
	return max(math.Pow(10, math.Floor(math.Log10(weight/epsilonShare))), leastEpsilon)
}

// leastWeights are the smallest weight above 0 of a soft rule, as it is ground, that is not negligible beside the
// largest, and the smallest of all.
func (in *Input) leastWeights() (least, ofAll float64) {
	least, ofAll = math.Inf(1), math.Inf(1)
	largest := 0.0
	for _, r := range in.Rules.Rules {
		if !r.Hard {
			largest = max(largest, r.Weight)
		}
	}
	scale := 1.0
	if in.GroundOptions().NormalizeWeights && largest > 0 {
		scale = largest
	}
	for _, r := range in.Rules.Rules {
		if r.Hard || !(r.Weight > 0) {
			continue
		}
		ofAll = min(ofAll, r.Weight/scale)
		if r.Weight >= negligible*largest {
			least = min(least, r.Weight/scale)
		}
	}
	return least, ofAll
}

// LearningSolver are the settings of inference while weights are learned. A method that comes
// near the optimum alone stops at the gap of -gap or of the model, multipliers and hard rules
// as near as it.
func (in *Input) LearningSolver(cfg *config.Config) (*infer.Settings, error) {
	method, err := in.inferenceMethod()
	if err != nil {
		return nil, err
	}
	s := infer.Settings{Method: method, Workers: in.Threads, MaxIterations: in.Options.MaxIterations(in.Method)}
	gap := cmp.Or(cfg.Symbolic.Gap, in.looseGap())
	if gap > 0 {
		s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, gap
		s.FeasibilityTolerance, s.StationarityTolerance = min(gap, 1e-3), gap
	}
	return &s, nil
}

// Initial returns the values of inference.initialvalue. They are random if the model does not
// set it, and for ATOM, since values of targets are not read.
func (p *Problem) Initial() []float64 {
	rng := rand.New(rand.NewPCG(p.Options.Seed, 0))
	y := make([]float64, p.Instance.Targets)
	for i := range y {
		switch p.Options.InitialValue {
		case "ZERO":
		case "ONE":
			y[i] = 1
		case "HALF":
			y[i] = 0.5
		default:
			y[i] = rng.Float64()
		}
	}
	return y
}

// Start returns the point at which a method begins that only comes near the optimum. It is
// nil where the model names none, or the method ends with the optimum.
func (p *Problem) Start() *infer.Warm {
	if p.Options.InitialValue == "" || IsExact(p.Method) {
		return nil
	}
	return &infer.Warm{Y: p.Initial()}
}

// Gaps is the number of gaps that are judged each for itself: one for each component,
// or one for all of several ranks.
func (p *Problem) Gaps() int {
	if p.Ranks > 1 {
		return 1
	}
	return max(1, len(p.Instance.Components))
}
