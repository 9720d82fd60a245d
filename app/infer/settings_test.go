package infer

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
	"hinge/train/exit"
)

// withOptions adds options to the smokers.
func withOptions(options string) string {
	return strings.Replace(smokers, `"inference.normalize": false`, `"inference.normalize": false`+options, 1)
}

// Flag beats model beats default.
func TestSettings(t *testing.T) {
	for _, test := range []struct {
		options string
		args    []string
		epsilon float64
		threads int
		method  string
		gap     float64
		limit   int
	}{
		{"", nil, 1e-8, 0, "auto", 0, 0},
		{`, "duallcqp.regularizationparameter": 0.5, "parallel.numthreads": 3, "runtime.inference.method": "GurobiInference"`, nil, 0.5, 3, "ipm", 0, 0},
		{`, "duallcqp.regularizationparameter": 0.5, "parallel.numthreads": 3, "runtime.inference.method": "GurobiInference"`,
			[]string{"-epsilon", "0.25", "-threads", "1", "-method", "auto", "-gap", "0.125"}, 0.25, 1, "auto", 0.125, 0},
		{`, "duallcqp.maxiterations": 77, "duallcqp.primaldualthreshold": 0.5`, nil, 1e-8, 0, "auto", 0, 77},
		{`, "duallcqp.maxiterations": 77, "duallcqp.primaldualthreshold": 1e-12`, nil, 1e-8, 0, "auto", 1e-12, 77},
		// The methods of the reference that regularise have its ε.
		{`, "runtime.inference.method": "DualBCDInference"`, nil, 0.01, 0, "auto", 0, 0},
		{`, "runtime.inference.method": "ADMMInference"`, []string{"-method", "auto"}, 1e-8, 0, "auto", 0, 0},
		{`, "duallcqp.maxiterations": 77`, []string{"-method", "ipm"}, 1e-8, 0, "ipm", 0, 0},
	} {
		_, p := solved(t, withOptions(test.options), test.args...)
		s, _, err := p.Settings()
		require.NoError(t, err)
		if p.Instance.Epsilon != test.epsilon || s.Workers != test.threads || s.Method.Name() != test.method || s.MaxIterations != test.limit {
			t.Errorf("%s %v: ε %v, %d threads, %s, at most %d iterations", test.options, test.args,
				p.Instance.Epsilon, s.Workers, s.Method.Name(), s.MaxIterations)
		}
		switch {
		case test.gap != 0:
			if s.GapAbsolute != test.gap || s.GapTolerance != math.SmallestNonzeroFloat64 {
				t.Errorf("%s %v: gap %v, relative %v, want %v alone", test.options, test.args, s.GapAbsolute, s.GapTolerance, test.gap)
			}
		case s.GapAbsolute > 1e-7 || s.GapTolerance > 1e-9:
			t.Errorf("%s %v: gap %v, relative %v: exact methods go for the optimum", test.options, test.args, s.GapAbsolute, s.GapTolerance)
		}
		if r := &p.Result; r.Status != infer.Solved {
			t.Errorf("%s %v: %v", test.options, test.args, r.Status)
		}
	}
}

// The parameters that the model has for a method reach it.
func TestMethodParameters(t *testing.T) {
	const options = `, "random.seed": 7, "admmreasoner.stepsize": 0.5, "duallcqp.computeperiod": 3, "admmreasoner.computeperiod": 4,
		"duallcqp.primaldualthreshold": 0.001`
	for name, want := range map[string]struct {
		method infer.Method
		every  int
	}{
		"auto": {infer.Auto{}, 0}, "bcd": {infer.DualBCD{}, 3},
		"ipm":       {infer.InteriorPoint{}, 0},
		"bcd-paper": {baselines.PaperBCD{Seed: 7}, 3}, "bcd-lockfree": {baselines.LockFreeBCD{Workers: 2}, 3},
		"admm": {baselines.ADMM{Step: 0.5}, 4}, "subgradient": {baselines.Subgradient{}, 3},
	} {
		s, tolerance, err := grounded(t, withOptions(options), "-method", name, "-threads", "2").Settings()
		if err != nil || s.Method != want.method || s.CheckEvery != want.every {
			t.Errorf("%s: %#v, tests every %d, %v, want %#v every %d", name, s.Method, s.CheckEvery, err, want.method, want.every)
		}
		// Methods that end near the optimum stop as the reference does.
		if loose := want.every > 0; loose != (s.GapAbsolute == 0.001 && s.FeasibilityTolerance == 0.001 && tolerance == 0.001) {
			t.Errorf("%s: gap %v, feasibility %v, checked to %v", name, s.GapAbsolute, s.FeasibilityTolerance, tolerance)
		}
	}
}

// Asked for a small gap, all methods but the slowest find the same optimum.
func TestMethodsAgree(t *testing.T) {
	_, want := solved(t, smokers, "-epsilon", "0.01")
	for _, name := range infer.Names() {
		if infer.Can(name).Family == infer.GradientFamily {
			continue
		}
		c, p := solved(t, smokers, "-method", name, "-gap", "1e-7", "-check", "-epsilon", "0.01")
		assert.NoErrorf(t, c.verdict(p), "%s", name)
		if d := math.Abs(p.PrimalValue - want.PrimalValue); d > 1e-6 {
			t.Errorf("%s finds %v, bcd %v", name, p.PrimalValue, want.PrimalValue)
		}
	}
}

// -check accepts the optimum and nothing else; without it a bad solution is a
// warning.
func TestVerdict(t *testing.T) {
	for _, check := range []string{"-check=true", "-check=false"} {
		c, p := solved(t, smokers, check)
		require.NoErrorf(t, c.verdict(p), "%s: the optimum is not accepted", check)
		for name, spoil := range map[string]func(*infer.Result){
			"a claim that is not true": func(r *infer.Result) { r.Y[0] += 1e-3 },
			"NaN":                      func(r *infer.Result) { r.Dual[0] = math.NaN() },
			"an honest failure":        func(r *infer.Result) { r.Status = infer.IterationLimit },
			"no progress":              func(r *infer.Result) { r.Status = infer.NoProgress },
		} {
			c, p := solved(t, smokers, check)
			spoil(&p.Result)
			err := c.verdict(p)
			if c.Check && cli.ExitCode(err) != exit.Unsolved || !c.Check && err != nil {
				t.Errorf("%s, %s: %v", check, name, err)
			}
		}
	}
	// A loose stop rule promises less, and is held to that.
	c, p := solved(t, smokers, "-check", "-gap", "0.1")
	p.Y[2] += 1e-3
	assert.NoError(t, c.verdict(p), "a solution within the promised gap is not accepted")
	for i := range p.Y {
		p.Y[i] = 1
	}
	if err := c.verdict(p); err == nil {
		t.Error("a solution that breaks a hard rule is accepted")
	}
	c, p = solved(t, smokers, "-check")
	p.Status = infer.AlmostSolved
	assert.NoError(t, c.verdict(p), "an almost solved optimum is not accepted")
}

// A claim of infeasibility without a proof is an error of the program.
func TestFalseCertificate(t *testing.T) {
	c, p := solved(t, smokers)
	p.Status = infer.Infeasible
	for name, proof := range map[string]*infer.Certificate{
		"none": nil, "proves nothing": {Rows: []int32{0}, Mu: []float64{1}}, "wrong sign": {Rows: []int32{0}, Mu: []float64{-1}},
	} {
		p.Certificate = proof
		if err := c.verdict(p); cli.ExitCode(err) != exit.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNeedlessRows: of a proof with a row that is not needed only the rows are told that contradict each other.
func TestNeedlessRows(t *testing.T) {
	p := grounded(t, `{"rules": ["P('c') = 0 .", "P('a') >= 0.6 .", "P('b') >= 0.6 .", "P(+A) = 1 ."], "predicates": {"P/1": {"targets": [["a"], ["b"], ["c"]]}}}`)
	err := p.Infeasible(&infer.Certificate{Rows: []int32{0, 1, 2, 3}, Mu: []float64{0.1, 1, 1, 1}})
	assert.ErrorContains(t, err, "no values satisfy 3 groundings of the hard rules")
	assert.NotContains(t, err.Error(), "P('c')")
	assert.Equal(t, exit.Infeasible, cli.ExitCode(err))
}

// Ground rows are printed with the names of the atoms, those of networks with their values.
func TestRow(t *testing.T) {
	p := grounded(t, `{"rules": ["2 * P('a') - P('b') - 0.5 * P('c') <= 1.5 .", "P('c') - P('a') = 0 .", "1: !P(A)"],
		"predicates": {"P/1": {"targets": [["a"], ["b"], ["c"]]}}}`)
	for k, want := range []string{"2·P(a) - P(b) - 0.5·P(c) <= 1.5", "-P(a) + P(c) = 0"} {
		assert.Equalf(t, want, p.ConstraintText(k), "row %d", k)
	}
	p = &problem.Problem{Program: &hlmrf.Program{Targets: []string{"Y(a)"}, Deep: []string{"Net(a)"}, Relations: []hlmrf.Relation{hlmrf.LessEqual}}, Outputs: []float64{0.25}}
	p.Program.Constraints.Append([]int32{0}, []float64{1}, []int32{0}, []float64{-2}, -0.5)
	assert.Equal(t, "-2·Net(a)[0.25] + Y(a) <= 0.5", p.ConstraintText(0))
}

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {errors.New("x"), 1}, {cli.Usage("x"), 2}, {cli.WithCode(4, "x"), 4},
		{errors.Join(nil, cli.WithCode(5, "x")), 5}, {errors.Join(cli.WithCode(5, "x"), cli.Usage("x")), 2},
	} {
		assert.Equalf(t, test.want, cli.ExitCode(test.err), "%v has exit code", test.err)
	}
}
