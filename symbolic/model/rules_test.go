package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func ruleModel(rules, options string) string {
	return `{"rules": ` + rules + `, "predicates": {"P/1": {"targets": [["a"]]}, "Q/1": {"targets": [["a"]]}}, "options": {` + options + `}}`
}

func TestRuleFileErrors(t *testing.T) {
	_, err := load(t, map[string]string{"model.json": ruleModel(`"rules.psl"`, ""), "rules.psl": "# one\n1: P(A) -> \n"}, LoadOptions{})
	assert.ErrorContains(t, err, "rules.psl:2:")
	_, err = load(t, map[string]string{"model.json": ruleModel(`"rule.psl"`, "")}, LoadOptions{})
	assert.ErrorContains(t, err, "model.json:1:11: the rule file cannot be read: ", "a missing rule file")
}

// Relaxation comes after normalisation, as in the reference.
func TestRelax(t *testing.T) {
	rules := `["4: P(A)  = 1", "2: !Q(A)", "P(A) + Q(A) <= 1 ."]`
	for _, test := range []struct{ options, want string }{
		{`"inference.relax": true`, "1: P(A) = 1\n0.5: !Q(A)\n100: P(A) + Q(A) <= 1\n"},
		{`"inference.relax": true, "inference.normalize": false`, "4: P(A) = 1\n2: !Q(A)\n400: P(A) + Q(A) <= 1\n"},
		{`"inference.relax": true, "inference.relax.multiplier": 0.5, "inference.relax.squared": true`, "1: P(A) = 1\n0.5: !Q(A)\n1: P(A) + Q(A) <= 1 ^2\n"},
		{`"inference.relax.multiplier": 7`, "4: P(A) = 1\n2: !Q(A)\nP(A) + Q(A) <= 1 .\n"},
	} {
		m := mustLoad(t, map[string]string{"model.json": ruleModel(rules, test.options)}, LoadOptions{})
		assert.Equalf(t, test.want, m.Rules.String(), "%s", test.options)
		if n := m.GroundOptions().NormalizeWeights; n == m.Options.Relax {
			t.Errorf("%s: grounding normalises: %v", test.options, n)
		}
	}
	// Weights that are all 0 count as 1, with relaxation too.
	m := mustLoad(t, map[string]string{"model.json": ruleModel(`["0: P(A) = 1 ^2", "P(A) <= 0.25 ."]`, `"inference.relax": true`)}, LoadOptions{})
	assert.Equal(t, "1: P(A) = 1 ^2\n100: P(A) <= 0.25\n", m.Rules.String())
}
