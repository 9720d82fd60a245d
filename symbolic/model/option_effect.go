package model

import (
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/infer"
)

// effect is the effect of a reference option that is not honoured here.
type effect uint8

const (
	unknownOption effect = iota
	// harmless options are about databases, logs, memory and external programs:
	// no answer depends on them.
	harmless
	// stopping options control the stop or the steps of a method. They do not matter to
	// methods that end with the optimum.
	stopping
	// learningOption is one of weight learning.
	learningOption
	// searching options belong to learners that are not here; naming such a
	// learner is an error.
	searching
	// changing options change the problem or the result.
	changing
)

// effects lists the beginnings of option names in lower case; the longest that
// fits decides.
var effects = map[string]effect{
	"runtime.log": harmless, "runtime.db.": harmless, "runtime.help": harmless, "runtime.version": harmless, "runtime.relativebasepath": harmless,
	"runtimestats.": harmless, "database.": harmless, "rdbmsdatabase.": harmless, "rdbms.": harmless, "postgres.": harmless, "h2.": harmless,
	"sqlite.": harmless, "grounding.": harmless, "queryrewriter.": harmless, "atomstore.": harmless, "memorytermstore.": harmless,
	"memoryvariabletermstore.": harmless, "streamingtermstore.": harmless, "termstore.": harmless, "admmtermstore.": harmless,
	"executablereasoner.": harmless, "gurobi.": harmless, "git.": harmless, "project.": harmless, "parallel.": harmless, "predicate.deep.": harmless,
	"runtime.inference.output.groundrules": harmless, "runtime.inference.output.results": harmless, "runtime.inference.output.batched.": harmless,
	"runtime.inference.commit": harmless, "modelpredicate.batchsize": harmless, "reasoner.evaluate": harmless,
	"atomstore.storeallatoms": harmless,

	"reasoner.": stopping, "admmreasoner.": stopping, "duallcqp.": stopping, "sgd.": stopping,

	"gradientdescent.": learningOption, "minimizer.": learningOption, "weightlearning.": learningOption, "runtime.learn": learningOption,
	"runtime.validation": learningOption, "connectedcomponents.": learningOption, "onlineminimizer.": learningOption,

	"gpp": searching, "gridsearch.": searching, "randomgridsearch.": searching, "continuousrandomgridsearch.": searching,
	"guidedrandomgridsearch.": searching, "hyperband.": searching, "search.": searching, "ranksearch.": searching, "em.": searching,
	"hardem.": searching, "votedperceptron.": searching, "pairedduallearner.": searching, "policygradient.": searching,
	"booleanmaxwalksat.": searching, "booleanmcsat.": searching,

	"inference.":                   changing,
	"runtime.inference.clearrules": changing, "runtime.inference.deep.batching": changing, "reasoner.nonconvex": changing,
	"categoricalevaluator.defaultpredicate": harmless, "weightlearning.evaluator": learningOption,
}

// effectOf returns what an option would do.
func effectOf(name string) effect {
	name = strings.ToLower(name)
	longest, e := -1, unknownOption
	for prefix, of := range effects {
		if strings.HasPrefix(name, prefix) && len(prefix) > longest {
			longest, e = len(prefix), of
		}
	}
	return e
}

// exactMethod reports whether a method ends with the optimum, whatever its stopping options;
// "" is the default method.
func exactMethod(name string) bool { return name == "" || infer.Can(name).Exact }

// judgeUnused reports the effect of options that were not read. The reference ignores unknown
// names silently.
func (l *loader) judgeUnused() {
	for i := range l.options {
		o := &l.options[i]
		if o.used || evaluatorOption(o.name) {
			continue
		}
		switch e := effectOf(o.name); {
		case e == harmless || e == searching || e == stopping && exactMethod(l.m.Options.Method):
			l.m.Unused = append(l.m.Unused, o.name)
		case e == stopping:
			l.loud(o.node, "-method bcd goes to the optimum", "the option %s is not here: %s stops and steps by rules of its own", o.name, l.m.Options.Method)
		case e == learningOption:
			// Only learning makes it matter.
			l.m.Options.Learning.Unread = append(l.m.Options.Learning.Unread, o.name)
		case e == changing:
			l.loud(o.node, "remove it", "the option %s is not here, and changes the answer", o.name)
		default:
			var names []string
			for _, s := range l.settings() {
				names = append(names, s.name)
			}
			l.warn(o.node, suggest(o.name, names), "no option %s is known", facts.Show(o.name))
		}
	}
}
