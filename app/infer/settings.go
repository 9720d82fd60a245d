package infer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"hinge/app/cli"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// isExact tells whether a method ends with the optimum, not near it.
func isExact(method string) bool { return infer.Can(method).Exact }

const (
	// referenceGap is the reference's threshold where a model has none,
	// referenceViolation the violation of a hard rule that it allows.
	referenceGap       = 0.01
	referenceViolation = 5e-3
	// referencePasses is the most passes of SGD where a model does not say.
	referencePasses = 200
	// checkTolerance is how far from an optimum -check lets a solution be
	// that claims to be one, in the judge's measure: absolute, and relative
	// for the gap.
	checkTolerance = 1e-6
	// ranksGap is the total gap that always suffices on several ranks.
	ranksGap = 1e-7
)

// settings turns flags and the model's options into those of the solver, and
// sets the tolerance that -check will hold it to.
//
// Exact methods go for a total gap of 1e-7, several ranks for that or one of 1e-8 relative,
// whatever the model says: its
// threshold is an upper bound that they stay far below at no cost. The others
// stop as in the reference: at the model's threshold. -gap overrides both.
func (j *job) settings() (infer.Settings, error) {
	method, err := j.inferenceMethod()
	if err != nil {
		return infer.Settings{}, err
	}
	o := &j.m.Options
	s := infer.Settings{Method: method, Workers: j.threads, MaxIterations: o.MaxIterations(j.name)}
	if j.ownRule() {
		j.tolerance = referenceViolation
		// The reference tests the rule after each iteration (its computeperiod is about
		// logs), on each ground rule: merged rows are stepped along, and stopped at, elsewhere.
		s.NoPresolve = true
		s.GapTolerance, s.FeasibilityTolerance, s.CheckEvery = math.SmallestNonzeroFloat64, referenceViolation, 1
		if isIncremental(j.name) {
			s.MaxIterations = cmp.Or(s.MaxIterations, referencePasses)
		}
		return s, nil
	}
	gap := j.gap
	if !isExact(j.name) && gap == 0 {
		gap = cmp.Or(o.Gap, referenceGap)
	}
	j.tolerance = max(checkTolerance, gap)
	if gap == 0 && j.ranks > 1 {
		s.GapAbsolute = ranksGap // or relative, as package infer has it
		return s, nil
	}
	if gap == 0 {
		s.GapTolerance, s.GapAbsolute = 1e-10, 1e-7/float64(j.gaps())
		if o.Gap > 0 && o.Gap < s.GapAbsolute {
			s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, o.Gap
		}
		return s, nil
	}
	s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, gap
	if !isExact(j.name) {
		s.FeasibilityTolerance, s.StationarityTolerance = min(gap, referenceViolation), gap
		s.CheckEvery = o.DualCheckEvery
		if isADMM(j.name) {
			s.CheckEvery = o.ADMMCheckEvery
		}
	}
	return s, nil
}

// inferenceMethod makes the method with the parameters that the model has for
// it.
func (j *job) inferenceMethod() (infer.Method, error) {
	method, err := infer.New(j.name)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	switch m := method.(type) {
	case infer.PaperBCD:
		m.Seed = j.m.Options.Seed
		method = m
	case infer.LockFreeBCD:
		m.Workers = j.threads
		method = m
	case infer.ADMM:
		m.Step = j.m.Options.ADMMStep
		if j.ownRule() {
			m.Absolute, m.Relative = j.m.Options.ADMMAbsolute, j.m.Options.ADMMRelative
			m.Step, m.Relaxation = cmp.Or(m.Step, 1), 1 // the reference's form
		}
		method = m
	case infer.SGD:
		o := &j.m.Options.SGD
		m.Rate, m.Decay, m.Constant, m.Coordinate = o.Rate, o.Decay, o.Constant, o.Coordinate
		m.Beta1, m.Beta2, m.Seed = o.Beta1, o.Beta2, j.m.Options.Seed
		if j.ownRule() && o.Break {
			m.Threshold, m.Norm = max(o.Threshold, math.SmallestNonzeroFloat64), o.Norm
		}
		method = m
	}
	return method, nil
}

// ownRule tells whether the method stops by its own rule: the incremental gradient
// methods always, ADMM where the model says so, but none with -gap.
func (j *job) ownRule() bool {
	return j.gap == 0 && (isIncremental(j.name) || isADMM(j.name) && j.m.Options.ADMMAbsolute > 0)
}

// isIncremental tells whether a method is one of the reference's SGD.
func isIncremental(method string) bool {
	return infer.Can(method).Family == infer.IncrementalFamily
}

// isADMM tells whether a method takes the options of the reference's ADMM.
func isADMM(method string) bool { return infer.Can(method).Family == infer.ADMMFamily }

// infeasibleError names the hard rules that contradict each other.
type infeasibleError struct{ text string }

func (e *infeasibleError) Error() string { return e.text }

// unsolvedError is a solution that -check does not accept.
type unsolvedError struct{ text string }

func (e *unsolvedError) Error() string { return e.text }

// verdict says what the outcome of the solve means: nil, an *infeasibleError
// or, with -check, an *unsolvedError. Without -check a bad solution is a
// warning.
func (j *job) verdict() error {
	if j.found != nil {
		return j.searchVerdict()
	}
	r := &j.result
	if r.Status == infer.Infeasible {
		return j.infeasible(r.Certificate)
	}
	problem := ""
	if err := r.Err(); err != nil && r.Status != infer.OwnRule {
		problem = strings.TrimPrefix(err.Error(), "infer: ")
	}
	if !j.check {
		if problem != "" {
			j.warn("%s", problem)
		}
		return nil
	}
	if problem == "" {
		problem = j.judge()
	}
	if problem != "" {
		return &unsolvedError{"-check: " + problem}
	}
	return nil
}

// judge compares what the outside check finds with what the stop rule promised;
// "" means that it holds. A solution that claims to be the optimum must have
// small residuals throughout: stationarity and complementarity relative to the
// largest weight, the gap relative to the value. One that a loose stop rule ended
// must be feasible, with the promised gap per component, one that ADMM's own rule ended
// feasible.
func (j *job) judge() string {
	v := j.residual()
	checked := []float64{v.Primal, v.DualSign}
	if j.result.Status == infer.OwnRule {
		// It promises no gap.
	} else if j.tolerance == checkTolerance {
		scale := 1.0
		for _, w := range j.instance.Weights {
			scale = max(scale, w)
		}
		checked = append(checked, v.Stationarity/scale, v.Complementarity/scale, v.Gap/(1+math.Abs(v.PrimalValue)))
	} else {
		if j.whole == nil {
			primal, dual := j.instance.Value(&j.result.Solution)
			v.Gap = math.Abs(primal - dual)
		}
		checked = append(checked, v.Gap/float64(j.gaps()))
	}
	for _, r := range checked {
		if !(r <= j.tolerance) {
			return fmt.Sprintf("the outside check finds violation %.2g, dual sign %.2g, stationarity %.2g, complementarity %.2g, gap %.2g",
				v.Primal, v.DualSign, v.Stationarity, v.Complementarity, v.Gap)
		}
	}
	return ""
}

// residual is what the judge finds.
func (j *job) residual() lcqp.Residual {
	if j.whole != nil {
		return j.whole.Residual
	}
	return lcqp.Residuals(j.instance, &j.result.Solution)
}

// gaps is the number of gaps that are judged each for itself: one for each component,
// or one for all of several ranks.
func (j *job) gaps() int {
	if j.ranks > 1 {
		return 1
	}
	return max(1, len(j.instance.Components))
}

// infeasible names the rules of a certificate after checking it.
func (j *job) infeasible(c *infer.Certificate) error {
	if c == nil || !(c.Margin(j.instance) > 0) {
		return fmt.Errorf("the solver calls the model infeasible, but its proof is wrong")
	}
	var rules []string
	for _, row := range c.Rows {
		rule := j.program.HardRules[j.program.ConstraintRule[row]]
		text := rule.Source + ": " + rule.Text
		if !slices.Contains(rules, text) {
			rules = append(rules, text)
		}
	}
	example := j.row(int(c.Rows[0]))
	return &infeasibleError{fmt.Sprintf("the model is infeasible: no values satisfy %s of the hard rules\n    %s\n    one of them: %s\n"+
		"    hint: give one of them a weight, or make all hard rules soft with -D inference.relax=true",
		count(len(c.Rows), "grounding"), strings.Join(rules, "\n    "), example)}
}

// row prints a ground constraint with the names of its atoms.
func (j *job) row(k int) string {
	col, val := j.program.Constraints.Row(k)
	var b strings.Builder
	for i, c := range col {
		switch v := val[i]; {
		case i > 0 && v < 0:
			fmt.Fprintf(&b, " - %s", coefficient(-v))
		case i > 0:
			fmt.Fprintf(&b, " + %s", coefficient(v))
		case v == -1:
			b.WriteString("-")
		default:
			b.WriteString(coefficient(v))
		}
		b.WriteString(j.program.Targets[c])
	}
	if len(col) == 0 {
		b.WriteString("0")
	}
	fmt.Fprintf(&b, " %s %v", j.program.Relations[k], 0-j.program.Constraints.Const[k])
	return b.String()
}

func coefficient(v float64) string {
	if v == 1 {
		return ""
	}
	return fmt.Sprintf("%v·", v)
}
