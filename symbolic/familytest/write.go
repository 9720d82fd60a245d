package familytest

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"hinge/symbolic/ground"
)

// Write writes the model as a model file, model.json, with a data file for the observations
// and one for the targets of each predicate, to a folder that exists. Neural outputs become
// observations. The options say that weights are as written.
func (m *Model) Write(dir string) error {
	type predicate struct {
		Observations []string `json:"observations,omitempty"`
		Targets      []string `json:"targets,omitempty"`
	}
	var rules []string
	for _, r := range m.Rules.Rules {
		rules = append(rules, r.String())
	}
	predicates := map[string]predicate{}
	for _, p := range m.Data.Predicates() {
		var of predicate
		observed, targets := p.Name+"-observed.txt", p.Name+"-targets.txt"
		if p.Observations+p.Deep > 0 {
			of.Observations = []string{observed}
		}
		if p.Targets > 0 {
			of.Targets = []string{targets}
		}
		err := errors.Join(
			m.writeAtoms(filepath.Join(dir, observed), p.Name, false), m.writeAtoms(filepath.Join(dir, targets), p.Name, true))
		if err != nil {
			return err
		}
		predicates[p.Name+"/"+strconv.Itoa(p.Arity)] = of
	}
	text, err := json.MarshalIndent(map[string]any{
		"rules": rules, "predicates": predicates, "options": map[string]any{"inference.normalize": false},
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "model.json"), text, 0o644)
}

// writeAtoms writes the targets of a predicate, or all else with its values.
func (m *Model) writeAtoms(path, pred string, targets bool) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	var line []byte
	for a := range m.Data.Atoms(pred) {
		if targets != (a.Kind == ground.Target) {
			continue
		}
		line = line[:0]
		for _, arg := range a.Args {
			line = append(append(line, arg...), '\t')
		}
		switch a.Kind {
		case ground.Target:
			line = line[:len(line)-1]
		case ground.Deep:
			line = strconv.AppendFloat(line, m.Outputs[a.Index], 'g', -1, 64)
		default:
			line = strconv.AppendFloat(line, a.Value, 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(w.Flush(), f.Close())
}
