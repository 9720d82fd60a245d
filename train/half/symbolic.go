package half

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"hinge/optim"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
	"hinge/train/config"
)

// CompileRules compiles the program of an example: the rules of a file (Config.Rules),
// or without one the task's own text, which errors call name, grounded over the atoms
// of b. Faults of the rules are a UsageError with file:line:col.
func CompileRules(file, name string, text []byte, b *ground.Builder) (*lcqp.Template, error) {
	if b.Err != nil {
		return nil, b.Err
	}
	if file != "" {
		var err error
		if text, err = os.ReadFile(file); err != nil {
			return nil, config.Usage("rules", "%v", err)
		}
		name = file
	}
	rules, err := psl.Parse(name, text)
	if err != nil {
		return nil, config.Usage("rules", "%v", err)
	}
	// empty is about the first rule that would teach nothing: it has no row in the program of a task
	// because its atoms are all observed or outputs of networks, or, in a person's own file, for any
	// reason.
	var empty error
	grounded := func(s ground.RuleStats) {
		if s.Empty != "" && empty == nil && (file != "" || s.NoTarget > 0) {
			empty = fmt.Errorf("%s: the rule has no grounding: %s (%s)", s.Pos, s.Empty, s.Hint)
		}
	}
	program, err := ground.Ground(context.Background(), rules, b.DB, ground.Options{Grounded: grounded})
	err = cmp.Or(err, empty)
	if err != nil {
		return nil, config.Usage("rules", "%v", err)
	}
	return lcqp.Compile(program)
}

// StartWeights returns the weights of the rules as they are written, scaled so that those of the
// rules with ground rules in any of the templates are on the unit simplex, where learning starts.
func StartWeights(t *lcqp.Template, more ...*lcqp.Template) ([]float64, error) {
	w := t.Program().Weights()
	rules := lcqp.Grounded(t, more...)
	if err := optim.ToSimplex(w, rules...); err != nil {
		if !slices.ContainsFunc(rules, func(r int) bool { return w[r] > 0 }) {
			return nil, config.Usage("rules", "no rule has a weight above 0 and a ground rule, and learning goes through them: write one, such as 1: before a rule")
		}
		return nil, config.Usage("rules", "%v", err)
	}
	return w, nil
}
