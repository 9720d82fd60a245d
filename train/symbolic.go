package train

import (
	"context"
	"os"

	"hinge/optim"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
)

// ParseRules parses the rules of a task: those of a file (Config.Rules), or without
// one the task's own text, which errors call name. An error is a UsageError with
// file:line:col.
func ParseRules(file, name string, text []byte) (*psl.Program, error) {
	if file != "" {
		var err error
		if text, err = os.ReadFile(file); err != nil {
			return nil, usage("rules", "%v", err)
		}
		name = file
	}
	rules, err := psl.Parse(name, text)
	if err != nil {
		return nil, usage("rules", "%v", err)
	}
	return rules, nil
}

// CompileRules grounds rules over the atoms of an example and compiles the program.
// That rules and atoms do not fit is a UsageError.
func CompileRules(rules *psl.Program, db *ground.Database) (*lcqp.Template, error) {
	program, err := ground.Ground(context.Background(), rules, db, ground.Options{})
	if err != nil {
		return nil, usage("rules", "%v", err)
	}
	return lcqp.Compile(program)
}

// StartWeights returns the weights of the rules as they are written, scaled to the
// unit simplex, where learning starts.
func StartWeights(t *lcqp.Template) ([]float64, error) {
	w := t.Program().Weights()
	if err := optim.ToSimplex(w); err != nil {
		return nil, usage("rules", "%v", err)
	}
	return w, nil
}
