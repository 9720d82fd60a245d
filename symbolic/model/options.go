package model

import (
	"cmp"
	"slices"
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
)

// Options are the options of a model that are read. Numbers are 0 if the model does not set
// them.
type Options struct {
	// Normalize divides all weights by the largest (inference.normalize, true
	// unless turned off).
	Normalize bool
	// Relax turns hard rules into soft ones of weight max(1, RelaxMultiplier ·
	// largest weight), with exponent 2 if RelaxSquared (inference.relax,
	// .multiplier, default 100, and .squared). Load has done it.
	Relax           bool
	RelaxMultiplier float64
	RelaxSquared    bool
	// Epsilon is ε of the regularised problem
	// (duallcqp.regularizationparameter).
	Epsilon float64
	// Gap is the duality gap per component at which the reference stops
	// (duallcqp.primaldualthreshold).
	Gap float64
	// Method is the inference method in the names of package infer, from
	// runtime.inference.method.
	Method string
	// DualIterations, ADMMIterations and GradientIterations bound the sweeps
	// of dual coordinate descent, consensus ADMM and projected subgradients
	// (duallcqp., admmreasoner. and
	// reasoner.gradientdescent.maxiterations).
	DualIterations, ADMMIterations, GradientIterations int
	// DualCheckEvery and ADMMCheckEvery are the sweeps between two tests of the
	// stop rule (duallcqp. and admmreasoner.computeperiod).
	DualCheckEvery, ADMMCheckEvery int
	// ADMMStep is the step ρ of consensus ADMM (admmreasoner.stepsize).
	ADMMStep float64
	// ADMMAbsolute and ADMMRelative are the tolerances of ADMM's own stop rule
	// (admmreasoner.epsilonabs and .epsilonrel); where only one is given the other has
	// the reference's default, 1e-5 or 1e-3.
	ADMMAbsolute, ADMMRelative float64
	// Skip asks for values that are not inferred (inference.skip). InitialValue selects these
	// values and the start of iterative methods (inference.initialvalue): ZERO, ONE, HALF,
	// RANDOM or ATOM, "" if the model does not set it.
	Skip         bool
	InitialValue string
	// AllAtoms asks for observed atoms, too, in the results
	// (runtime.inference.output.atoms.all).
	AllAtoms bool
	// Seed seeds the methods that use random numbers (random.seed).
	Seed uint64
	// Threads is the number of goroutines (parallel.numthreads).
	Threads int
	// DropMissing drops groundings with atoms that are neither observed nor
	// targets instead of failing (pam.throw = false).
	DropMissing bool
	// IntIDs makes UniqueIntID the default type of arguments
	// (runtime.db.intids).
	IntIDs bool
	// ResultsDir is the folder for inferred values
	// (runtime.inference.output.results.dir).
	ResultsDir string
	// Learn and Infer are runtime.learn and runtime.inference; nil if the model does not set
	// them.
	Learn, Infer *bool
	// Learning are the options of weight learning.
	Learning Learning
}

// MaxIterations returns the bound for a method of package infer, 0 for none.
func (o *Options) MaxIterations(method string) int {
	switch infer.Can(method).Family {
	case infer.DualFamily:
		return o.DualIterations
	case infer.ADMMFamily:
		return o.ADMMIterations
	case infer.GradientFamily:
		return o.GradientIterations
	}
	return 0
}

// GroundOptions returns the settings of grounding that follow from the model.
func (m *Model) GroundOptions() ground.Options {
	return ground.Options{NormalizeWeights: m.Options.Normalize && !m.Options.Relax, Workers: m.Options.Threads, DropMissing: m.Options.DropMissing}
}

// option is one entry of an options object.
type option struct {
	name, value string
	node        *node
	used        bool
}

// appendOptions adds the entries of an options object, nil for none, to a copy of a list.
func (l *loader) appendOptions(list []option, n *node) []option {
	list = slices.Clone(list)
	if n == nil {
		return list
	}
	l.expect(n, objectNode, "options")
	for i := range n.keys {
		name, item := n.keys[i].text, &n.items[i]
		if item.kind == nullNode {
			continue
		}
		list = put(list, option{name: name, value: l.scalar(item, "the option "+name), node: item})
	}
	return list
}

// put adds an option to a list; it replaces an earlier one of its name.
func put(list []option, o option) []option {
	if at := findOption(list, o.name); at >= 0 {
		list[at] = o
		return list
	}
	return append(list, o)
}

func findOption(list []option, name string) int {
	return slices.IndexFunc(list, func(o option) bool { return strings.EqualFold(o.name, name) })
}

// methods maps the reference's inference methods to ours. The two forms of dual
// coordinate descent solve the same problem; ours is exact.
var methods = map[string]string{
	"DualBCDInference": "auto", "DistributedDualBCDInference": "bcd-lockfree", "ADMMInference": "admm",
	"GradientDescentInference": "subgradient",
	"GurobiInference":          "ipm",
}

// setting is an option that is read.
type setting struct {
	name  string
	apply func(e *option)
}

// method reads the class of an inference method.
func (l *loader) method(e *option) string {
	class := className(e.value)
	name := methods[class]
	if strings.HasPrefix(class, "SGD") {
		panic(l.hint(e.node, "write DualBCDInference, which goes to the optimum", "the inference method %s is not here", class))
	}
	if name == "" {
		panic(l.hint(e.node, suggest(class, sortedKeys(methods)), "there is no inference method %s", facts.Show(e.value)))
	}
	return name
}

// settings lists the options that are read, without the options of evaluators.
func (l *loader) settings() []setting {
	o := &l.m.Options
	choice := func(to **bool) func(*option) {
		return func(e *option) {
			*to = new(bool)
			l.truth(*to)(e)
		}
	}
	return append([]setting{
		{"inference.normalize", l.truth(&o.Normalize)},
		{"inference.relax", l.truth(&o.Relax)},
		{"inference.relax.multiplier", l.positive(&o.RelaxMultiplier)},
		{"inference.relax.squared", l.truth(&o.RelaxSquared)},
		{"duallcqp.regularizationparameter", l.positive(&o.Epsilon)},
		{"duallcqp.primaldualthreshold", l.nonNegative(&o.Gap)},
		{"duallcqp.maxiterations", l.count(&o.DualIterations)},
		{"admmreasoner.maxiterations", l.count(&o.ADMMIterations)},
		{"reasoner.gradientdescent.maxiterations", l.count(&o.GradientIterations)},
		{"duallcqp.computeperiod", l.count(&o.DualCheckEvery)},
		{"admmreasoner.computeperiod", l.count(&o.ADMMCheckEvery)},
		{"admmreasoner.stepsize", l.positive(&o.ADMMStep)},
		{"admmreasoner.epsilonabs", l.positive(&o.ADMMAbsolute)},
		{"admmreasoner.epsilonrel", l.positive(&o.ADMMRelative)},
		{"random.seed", l.seed(&o.Seed)},
		{"parallel.numthreads", l.count(&o.Threads)},
		{"runtime.db.intids", l.truth(&o.IntIDs)},
		{"pam.throw", func(e *option) {
			throw := true
			l.truth(&throw)(e)
			o.DropMissing = !throw
		}},
		{"runtime.inference.output.results.dir", func(e *option) { o.ResultsDir = e.value }},
		{"runtime.inference.method", func(e *option) { o.Method = l.method(e) }},
		{"runtime.learn", choice(&o.Learn)},
		{"runtime.inference", choice(&o.Infer)},
		{"inference.skip", l.truth(&o.Skip)},
		{"inference.initialvalue", l.word(&o.InitialValue, "ZERO", "ONE", "HALF", "RANDOM", "ATOM")},
		{"runtime.output.atoms.all", l.truth(&o.AllAtoms)},
		{"runtime.inference.output.atoms.all", l.truth(&o.AllAtoms)},
	}, l.learningSettings()...)
}

// resolveOptions fills Model.Options and Model.Unused.
func (l *loader) resolveOptions() {
	o := &l.m.Options
	o.Normalize, o.RelaxMultiplier, o.Learning = true, 100, defaultLearning
	for _, e := range l.settings() {
		at := findOption(l.options, e.name)
		if at < 0 {
			continue
		}
		l.options[at].used = true
		e.apply(&l.options[at])
	}
	if o.ADMMAbsolute+o.ADMMRelative > 0 {
		o.ADMMAbsolute, o.ADMMRelative = cmp.Or(o.ADMMAbsolute, 1e-5), cmp.Or(o.ADMMRelative, 1e-3)
	}
	if o.InitialValue == "ATOM" && (o.Skip || !exactMethod(o.Method)) {
		at := findOption(l.options, "inference.initialvalue")
		l.loud(l.options[at].node, "write ZERO, ONE, HALF or RANDOM", "the option inference.initialvalue ATOM is not here: values of targets are not read, they are random")
	}
	l.judgeUnused()
}

// className is the last part of a Java class name.
func className(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }
