package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWarnings lists what is read with a doubt; a mark ! is for warnings about
// what changes the answer.
func TestWarnings(t *testing.T) {
	rules := func(r string) string {
		return "{'rules': [" + r + "],\n'predicates': {'P/1': {'targets': [['a']]}, 'Q/1': {'observations': [['a']]}}}"
	}
	for _, test := range []struct{ src, want string }{
		{wrap(`'force-open': true`), "!2:38: P is open without targets: its atoms that are not observed count as false (list its targets)\n" +
			"2:16: P has no data in the partition infer (give it observations or targets; all its atoms count as false)"},
		{wrap(`'targets': [['a']], 'evaluations': [{'evaluator': 'DiscreteEvaluator', 'options': {'discreteevaluator.representative': 'RMSE'}}]`),
			`2:143: Discrete: no metric "rmse", want one of accuracy, f1, positive_precision, positive_recall, negative_precision, negative_recall (the default stands for the evaluator)`},
		{wrap(`'name': 'P', 'targets': [['a']], 'evaluations': [{'evaluator': 'DiscreteEvaluator', 'options': {'discreteevaluator.threshold': '0f'}}]`), ""},
		{wrap(`'targets': [['a']], 'options': {'integer': true}`), ""},
		{wrap(`'targets': [['a']], 'options': {'Integer': 'yes'}`), `2:67: the option Integer is "yes", which counts as false (write true or false)`},
		{wrap(`'targets': [['a']], 'options': {'discreteevaluator.threshold': .7, 'Integr': true, 'runtime.log.level': 'DEBUG'}`),
			"!2:87: the option discreteevaluator.threshold is one of an evaluator, not of P (write it in the options of the evaluation)\n" +
				`!2:101: a predicate has no option "Integr" (did you mean Integer?)`},
		{withOptions(`'inference.normalize': 'yes'`), `2:36: the option inference.normalize is "yes", which counts as false (write true or false)`},
		{withOptions(`'duallcqp.regularizationparameter': '1.0e-1f', 'duallcqp.primaldualthreshold': 0`), ""},
		{withOptions(`'inference.normalise': true`), `!2:36: the option inference.normalise is not here, and changes the answer (remove it)`},
		{withOptions(`'runtime.lern': true`), `2:29: no option "runtime.lern" is known (did you mean runtime.learn?)`},
		{withOptions(`'admmreasoner.unheardabc': 1e-8, 'runtime.log.level': 'DEBUG'`), ""},
		{withOptions(`'runtime.inference.method': 'ADMMInference', 'admmreasoner.unheardabc': 1e-8`),
			`!2:85: the option admmreasoner.unheardabc is not here: admm stops and steps by rules of its own (-method bcd goes to the optimum)`},
		{withOptions(`'gradientdescent.unheard': 1`), ""}, // nothing is learned
		{rules("'1: Q(A) -> P(A)', '2: !P(A) -> !Q(A)'"),
			"1:32: the rule is left out: it says the same as that at m.json:1:13, whose weight 1 counts, not 2 (remove one of the two)"},
		{rules("'1: Q(A) & Q(A) -> P(A)'"), "1:23: Q(A) occurs twice in the rule and counts once (remove one of the two)"},
		{rules("'0: Q(A) -> P(A)'"), "1:13: all weights are 0: normalised, they count as 1 (write weights above 0, or inference.normalize false)"},
		{rules("'1: 1 + 2 * P(A) = 2', '1: Q(A) -> P(A)'"), "1:18: the reference system joins the numbers on both sides of this + to one coefficient, here it ends the term (put the coefficient and its atom in parentheses)"},
	} {
		m, err := parsed(test.src)
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		assert.Equalf(t, test.want, notes(m), "%s", test.src)
	}
}

// What is learned and inferred follows from the data, unless options say it.
func TestLearnsInfers(t *testing.T) {
	for _, test := range []struct {
		data, options  string
		learns, infers bool
	}{
		{`{'targets': [['a']]}`, ``, false, true},
		{`{'targets': {'all': [['a']]}}`, ``, false, true},
		{`{'targets': {'learn': [['a']], 'infer': [['a']]}}`, ``, true, true},
		{`{'targets': {'learn': [['a']]}}`, ``, true, false},
		{`{'targets': {'learn': []}}`, ``, false, true},
		{`{'targets': {'learn': [['a']], 'infer': [['a']]}}`, `'runtime.learn': false`, false, true},
		{`{'targets': {'all': [['a']]}}`, `'runtime.learn': 'true'`, true, false},
		{`{'targets': {'learn': [['a']]}}`, `'runtime.inference': true`, true, true},
	} {
		src := "{'rules': ['1: !P(A)'], 'predicates': {'P/1': " + test.data + "}, 'options': {" + test.options + "}}"
		m, err := parsed(src)
		if err != nil || m.Learns != test.learns || m.Infers != test.infers {
			t.Errorf("%s: learns %v, infers %v, %v", src, m.Learns, m.Infers, err)
		}
	}
}

// Learning has the reference's defaults and reads its options.
func TestLearningOptions(t *testing.T) {
	read := func(options string) *Learning {
		m, err := parse("m.json", []byte(withOptions(options)), LoadOptions{Partition: Learn})
		require.NoError(t, err)
		return &m.Options.Learning
	}
	o := read(`'runtime.learn.method': 'org.linqs.psl.x.BinaryCrossEntropy', 'gradientdescent.numsteps': 7, 'gradientdescent.scalestepsize': 'false',
		'minimizer.proxruleweight': '1.0e-1f', 'weightlearning.inference': 'DistributedDualBCDInference'`)
	if o.Method != "bce" || o.Steps != 7 || o.Shrink || o.ProxWeight != 0.1 || o.Inference != "bcd-lockfree" || o.StepSize != 0.1 || o.Entropy != 10 {
		t.Errorf("%+v", o)
	}
	if instead, err := o.Check(); err != nil || len(instead) != 0 {
		t.Errorf("%v, %v", instead, err)
	}
	o = read(`'gradientdescent.symbolicweightupdate': 'projected_gradient', 'gradientdescent.maxgradientnorm': 2, 'gradientdescent.batchgenerator': 'a.ConnectedComponentBatchGenerator',
		'connectedcomponents.batchsize': 3, 'gradientdescent.unheard': 1`)
	if instead, err := o.Check(); err != nil || len(instead) != 3 || o.Update != "PROJECTED_GRADIENT" {
		t.Errorf("%q, %v", instead, err)
	}
	for method, want := range map[string]string{"a.GridSearch', 'gridsearch.weights': '0.1:1.0f:10": "GridSearch, which tries weights, is not here", "PolicyGradient": "PolicyGradient is not here", "OnlineSquaredError": "OnlineSquaredError is not here"} {
		_, err := read(`'runtime.learn.method': '` + method + `'`).Check()
		assert.ErrorContains(t, err, want)
	}
}
