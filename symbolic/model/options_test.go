package model

import (
	"reflect"
	"testing"

	"hinge/symbolic/ground"
	_ "hinge/symbolic/infer/baselines"
)

func TestOptions(t *testing.T) {
	m := mustLoad(t, map[string]string{"model.json": ruleModel(`["1: !P(A)"]`, "")}, LoadOptions{})
	if want := (Options{Normalize: true, RelaxMultiplier: 100, Learning: defaultLearning}); !reflect.DeepEqual(m.Options, want) {
		t.Errorf("defaults %+v, want %+v", m.Options, want)
	}
	m = mustLoad(t, map[string]string{"model.json": ruleModel(`["1: !P(A)"]`, `
		"inference.normalize": "False", "duallcqp.regularizationparameter": "1e-3", "duallcqp.primaldualthreshold": 0.5,
		"duallcqp.maxiterations": 11, "admmreasoner.maxiterations": "12", "reasoner.gradientdescent.maxiterations": 13,
		"parallel.numthreads": 2, "pam.throw": false, "runtime.inference.output.results.dir": "out",
		"runtime.inference.method": "org.linqs.psl.application.inference.mpe.ADMMInference",
		"duallcqp.computeperiod": 14, "admmreasoner.computeperiod": 15, "admmreasoner.stepsize": 2.5, "random.seed": -1,
		"runtime.log.level": "DEBUG", "gurobi.worklimit": 4, "modelpredicate.batchsize": 32,
		"runtime.inference.commit": true, "runtime.inference.output.results": false, "runtime.inference.output.batched.results": true, "eval.includeobs": true, "discreteevaluator.threshold": null`)}, LoadOptions{})
	want := Options{RelaxMultiplier: 100, Epsilon: 1e-3, Gap: 0.5, Method: "admm", DualIterations: 11, ADMMIterations: 12,
		GradientIterations: 13, DualCheckEvery: 14, ADMMCheckEvery: 15, ADMMStep: 2.5, Seed: 1<<64 - 1, Threads: 2, DropMissing: true, ResultsDir: "out"}
	want.Learning = defaultLearning
	if !reflect.DeepEqual(m.Options, want) {
		t.Errorf("options %+v\nwant    %+v", m.Options, want)
	}
	if want := []string{"runtime.log.level", "gurobi.worklimit", "modelpredicate.batchsize", "runtime.inference.commit",
		"runtime.inference.output.results", "runtime.inference.output.batched.results"}; !reflect.DeepEqual(m.Unused, want) {
		t.Errorf("unused %v, want %v", m.Unused, want)
	}
	for method, n := range map[string]int{"auto": 11, "bcd": 11, "bcd-paper": 11, "bcd-lockfree": 11, "admm": 12, "subgradient": 13, "ipm": 0} {
		if got := m.Options.MaxIterations(method); got != n {
			t.Errorf("%s has %d iterations, want %d", method, got, n)
		}
	}
	if got, want := m.GroundOptions(), (ground.Options{Workers: 2, DropMissing: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("grounding by %+v, want %+v", got, want)
	}
}

// Types of arguments: the default follows an option, and integers are compared
// as numbers.
func TestTypes(t *testing.T) {
	src := `{"rules": ["1: !P(A, B)"], "predicates": {"P/2": {"targets": [["1", "2"]]}, "Q": {"types": ["String", "Double"]}, "R": {"arity": 1}}, "options": {"runtime.db.intids": `
	m := mustLoad(t, map[string]string{"model.json": src + `true}}`}, LoadOptions{})
	want := []Predicate{
		{Name: "P", Arity: 2, Types: []string{"UniqueIntID", "UniqueIntID"}},
		{Name: "Q", Arity: 2, Types: []string{"String", "Double"}},
		{Name: "R", Arity: 1, Types: []string{"UniqueIntID"}},
	}
	if !reflect.DeepEqual(m.Predicates, want) {
		t.Errorf("predicates %v", m.Predicates)
	}
	m = mustLoad(t, map[string]string{"model.json": src + `false}}`}, LoadOptions{})
	if m.Predicates[0].Types[0] != "UniqueStringID" {
		t.Errorf("predicates %v", m.Predicates)
	}
}
