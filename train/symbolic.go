package train

import (
	"context"
	"os"

	"hinge/optim"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
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
			return nil, Usage("rules", "%v", err)
		}
		name = file
	}
	rules, err := psl.Parse(name, text)
	if err != nil {
		return nil, Usage("rules", "%v", err)
	}
	program, err := ground.Ground(context.Background(), rules, b.DB, ground.Options{})
	if err != nil {
		return nil, Usage("rules", "%v", err)
	}
	return lcqp.Compile(program)
}

// StartWeights returns the weights of the rules as they are written, scaled to the
// unit simplex, where learning starts.
func StartWeights(t *lcqp.Template) ([]float64, error) {
	w := t.Program().Weights()
	if err := optim.ToSimplex(w); err != nil {
		return nil, Usage("rules", "%v", err)
	}
	return w, nil
}
