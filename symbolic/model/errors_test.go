package model

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
)

// wrap makes a model of one predicate from the inside of its object, with a
// rule that any predicate P satisfies.
func wrap(predicate string) string {
	return "{'rules': ['1: !P(A)'],\n'predicates': {'P/1': {" + predicate + "}}}"
}

// options makes a model with the given options.
func withOptions(options string) string {
	return "{'rules': ['1: !P(A)'], 'predicates': {'P/1': {'targets': [['a']]}},\n'options': {" + options + "}}"
}

// deepHint is what to write for a DeepPredicate.
const deepHint = ` (write "options": {"model-path": {"model": "mlp", "layers": [64]}, …} for a perceptron, "resnet18" for images; the other options stay)`

// TestErrors lists the mistakes in a model file and what is said about them.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{`[]`, `1:1: the model is a list, want an object`},
		{`{'ruels': []}`, `1:2: a model has no "ruels" (did you mean rules?)`},
		{`{'infer': 3}`, `1:11: infer is a number, want an object`},
		{`{'infer': {'data': 3}}`, `1:12: infer has no "data" (possible are rules, options)`},
		{`{'options': []}`, `1:13: options is a list, want an object`},
		{`{'options': {'a.b': [1]}}`, `1:21: the option a.b is a list, want a text or a number`},
		{`{}`, `1:1: the model has no rules`},
		{`{'rules': []}`, `1:1: the model has no rules`},
		{`{'rules': 3}`, `1:11: rules are a number, want a list of rules or the path of a rule file`},
		{`{'rules': [3]}`, `1:12: a rule is a number, want a text`},
		{`{'rules': ['# nothing']}`, `1:12: the text holds no rule`},
		{`{'rules': [{'rule': '!P(A)', 'wieght': 3}]}`, `1:30: a rule has no "wieght" (did you mean weight?)`},
		{`{'rules': [{'weight': 3}]}`, `1:12: the object has no "rule"`},
		{`{'rules': [{'rule': 3}]}`, `1:21: rule is a number, want a text`},
		{`{'rules': [{'rule': '!P(A)', 'weight': -1}]}`, `1:40: the weight "-1" is not a finite number ≥ 0`},
		{`{'rules': [{'rule': '!P(A)', 'weight': 'inf'}]}`, `1:40: the weight "inf" is not a finite number ≥ 0`},
		{`{'rules': [{'rule': 'P(A) = 1', 'squared': true}]}`, `1:44: a hard rule has no exponent`},
		{`{'rules': [{'rule': 'P(A) = 1', 'weight': 1, 'squared': 'yes'}]}`, `1:57: squared is a text, want true or false`},
		{`{'rules': [{'rule': "P(A) = 1\n1: !P(A)", 'weight': 1}]}`, `1:21: the object holds 2 rules, want one`},
		{`{'rules': ['1: !P(A)']}`, `1:1: the model has no predicates`},
		{`{'rules': ['1: !P(A)'], 'predicates': []}`, `1:39: predicates is a list, want an object`},
		{`{'rules': ['1: !P(A)'], 'predicates': {'P/1': []}}`, `1:47: the predicate P/1 is a list, want an object`},
		{`{'rules': ['1: !P(A)'], 'predicates': {'P/one': {}}}`, `1:40: "P/one" is not Name/arity`},
		{`{'rules': ['1: !P(A)'], 'predicates': {'P/1/2': {}}}`, `1:40: "P/1/2" is not Name/arity`},
		{`{'rules': ['1: !P(A)'], 'predicates': {'../P/1': {}}}`, `1:40: "../P/1" is not Name/arity`},
		{`{'rules': ['1: !P(A)'], 'predicates': {'a b/1': {}}}`, `1:40: "a b" is no name for a predicate: letters, digits, _ and $ make one`},
		{`{'rules': ['1: !P(A)'], 'predicates': {'P': {}}}`, `1:40: the arity of P is missing (write P/2 for two arguments)`},
		{`{'rules': ['1: !P(A)'], 'predicates': {'P/0': {}}}`, `1:40: P has 0 arguments, possible are 1 to 63`},
		{`{'rules': ['1: !P(A)'], 'predicates': {'P/1': {}, 'p/2': {}}}`, `1:51: the predicate p is declared twice`},
		{wrap(`'arity': 2`), `2:33: P has 1 argument by its name or arity, 2 by its arity`},
		{wrap(`'arity': 'two'`), `2:33: the arity "two" is not an integer`},
		{wrap(`'types': ['String', 'Long']`), `2:33: P has 1 argument by its name or arity, 2 by its types`},
		{wrap(`'types': ['UniqueIntId']`), `2:34: there is no type "UniqueIntId" (did you mean UniqueIntID?)`},
		{wrap(`'observation': []`), `2:24: a predicate has no "observation" (did you mean observations?)`},
		{wrap(`'function': 'org.example.Similarity'`), `2:36: P is a function: Java classes cannot be called (compute its values and list them as observations)`},
		{wrap(`'type': 'DeepPredicate'`), `2:32: P is a DeepPredicate: Python networks cannot be called` + deepHint},
		{wrap(`'type': 'DeepPredicate', 'options': {'model-path': 'net.py::Net', 'class-size': 3}`),
			`2:75: P is a DeepPredicate: Python networks cannot be called` + deepHint},
		{wrap(`'type': 'DeepPredicate', 'network': {}`), `2:60: P is a DeepPredicate: its description stands in the place of the model-path`},
		{wrap(`'type': 'Imaginary'`), `2:32: there is no type of predicates "Imaginary"`},
		{wrap(`'targets': 3`), `2:35: targets of P is a number, want a list or an object of lists by partition`},
		{wrap(`'targets': {'eval': []}`), `2:36: targets has no "eval" (possible are all, learn, validation, infer)`},
		{wrap(`'targets': {'infer': 'x.txt'}`), `2:45: targets of P is a text, want a list`},
		{wrap(`'targets': [3]`), `2:36: data of P are a number, want the path of a file, a row as a list, or a source such as {"csv": "ratings.csv"}`},
		{wrap(`'evaluations': 'AUCEvaluator'`), `2:39: evaluations is a text, want a list`},
		{wrap(`'evaluations': ['AUCEvaluater']`), `2:40: there is no evaluator "AUCEvaluater" (did you mean AUCEvaluator?)`},
		{wrap(`'evaluations': [{'options': {}}]`), `2:40: the evaluation has no "evaluator"`},
		{wrap(`'evaluations': [{'evaluator': 'AUCEvaluator', 'prime': true}]`), `2:70: an evaluation has no "prime" (possible are evaluator, options, primary)`},
		{wrap(`'evaluations': [{'evaluator': 'AUCEvaluator', 'primary': true}, {'evaluator': 'AUCEvaluator', 'primary': true}]`),
			`2:129: there are two primary evaluations, the other one on line 2`},
		{wrap(`'evaluations': [{'evaluator': 'AUCEvaluator', 'options': {'aucevaluator.threshold': 2}}]`), `2:108: the option aucevaluator.threshold is "2", want a number in [0, 1]`},
		{wrap(`'evaluations': [{'evaluator': 'CategoricalEvaluator', 'options': {'categoricalevaluator.categoryindexes': 1}}]`),
			`2:40: Categorical: no argument 1 in a predicate of arity 1`},
		{wrap(`'evaluations': [{'evaluator': 'CategoricalEvaluator', 'options': {'categoricalevaluator.categoryindexes': '0,1'}}]`),
			`2:130: the option categoricalevaluator.categoryindexes is "0,1", want integers separated by colons`},
		{withOptions(`'duallcqp.regularizationparameter': 0`), `2:49: the option duallcqp.regularizationparameter is "0", want a number > 0`},
		{withOptions(`'parallel.numthreads': 1.5`), `2:36: the option parallel.numthreads is "1.5", want an integer > 0`},
		{withOptions(`'runtime.learn.method': 'Enrgy'`), `2:37: there is no learning method "Enrgy"; there are BinaryCrossEntropy, Energy, SquaredError, StructuredPerceptron (did you mean Energy?)`},
		{withOptions(`'gradientdescent.stepsize': 0`), `2:41: the option gradientdescent.stepsize is "0", want a number > 0`},
		{withOptions(`'random.seed': 'x'`), `2:28: the option random.seed is "x", want an integer`},
		{withOptions(`'runtime.inference.method': 'org.linqs.psl.application.inference.online.SGDInference'`), `2:41: the inference method SGDInference is not here (write DualBCDInference, which goes to the optimum)`},
		{withOptions(`'runtime.inference.method': 'DualBDCInference'`), `2:41: there is no inference method "DualBDCInference" (did you mean DualBCDInference?)`},
	} {
		_, err := parsed(test.src)
		if err == nil || err.Error() != "m.json:"+test.want || !errors.As(err, new(*Error)) {
			t.Errorf("%s\n got %v\nwant m.json:%s", test.src, err, test.want)
		}
	}
}

// Mistakes in rules have the place in the model file.
func TestRuleErrors(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"m.json", "{\n 'rules': ['1: !P(A)',\n   '2: P(A) & -> Q(A)']}", "m.json:3:15: "},
		{"m.json", "{'rules': [{'rule': 'P(A) ->', 'weight': 3}]}", "m.json:1:29: "},
		{"m.json", "{'rules': [{'rule': 'P(A) & -> Q(A)', 'weight': 3}]}", "m.json:1:29: "},
		{"m.json", `{'rules': ['1: !P(A)\n\n2: P(A) &']}`, "m.json:1:12: "},
		{"m.yaml", "rules:\n  - '2: P(A) & -> Q(A)'", "m.yaml:2:16: "},
		{"m.yaml", "rules:\n  - |\n    1: !P(A)\n    2: P(A) & -> Q(A)", "m.yaml:4:"},
		{"m.yaml", "rules:\n  - 2.5: P(A) -> Q(A)", "m.yaml:2:5: a rule is an object (put the rule in quotes"},
		{"m.psl", "1: P(A) -> Q(A)", `m.psl:1:2: there is something after the end of the model: ':' (rules and data of the reference before version 2.4 go into one file of JSON or YAML: {"rules": `},
		{"m.data", "predicates:\n  P/1: closed", "m.data:1:1: 'p' begins no value; texts stand in quotes (rules and data of the reference before version 2.4 go into one file"},
	} {
		_, err := parse(test.name, []byte(test.src), LoadOptions{Partition: Infer})
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s\n got %v\nwant %s", test.src, err, test.want)
		}
	}
}

// Exit codes depend on the types of errors.
func TestErrorTypes(t *testing.T) {
	for src, want := range map[string]error{
		`{`: new(Error), `{'rules': ['P(']}`: new(psl.Error),
		wrap(`'targets': ['nowhere.txt']`): new(facts.Error), wrap(`'targets': [[1, 2, 3]]`): new(facts.Error),
	} {
		_, err := parsed(src)
		assert.IsTypef(t, want, err, "%s", src)
	}
}

// TestOtherFile: a file that by its name need not be JSON is told what a model file is.
func TestOtherFile(t *testing.T) {
	const hint = " (a model file is JSON, or YAML where its name ends in .yaml or .yml)"
	for name, want := range map[string]string{"train.txt": hint, "m": hint, "m.json": "", "m.JSON": ""} {
		_, err := parse(name, []byte("predicates:\n  P/1: open\n"), LoadOptions{})
		assert.EqualError(t, err, name+":1:1: 'p' begins no value; texts stand in quotes"+want)
	}
}
