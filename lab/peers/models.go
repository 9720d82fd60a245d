package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hinge/symbolic/familytest"
)

// models are PSL models, from files to answers.
var models = question{
	name: "models", title: "PSL models, whole processes",
	about: "A program of Python reads rules and data of a generated model from files, infers and writes the truth of all targets: with `pslpython`, and with Hinge's Python package after changing the import; and `infer` reads the same files. " +
		"Whole processes, from start to end. The columns are the energy of the answer by the rules, without regularisation, less that of the best of all, relative to it, and the largest violation of a hard rule. An answer counts if that is at most .05.",
	behind:  "No peer is ahead in time. On citation pslpython's energy is lower, by 3·10⁻⁵ of itself, of an answer that breaks hard rules by 4·10⁻³.",
	unequal: "pslpython starts a virtual machine of Java, whose start counts; its ADMM stops by its own default test, Hinge at its default gap of 10⁻⁸.",
	groups: func(quick bool) []group {
		size, families := 100_000, []string{"citation", "chain", "picture", "knn-regression", "knn-labels"}
		if quick {
			size = 1_000
		}
		var list []group
		for _, f := range families {
			g := group{name: fmt.Sprintf("%s, 10%s terms", f, exponent(size)), threads: 2, cases: []ask{{"inference", ""}},
				prepare: func(ctx context.Context, dir string) (judge, error) { return prepareModel(ctx, dir, f, size) }}
			g.sides = []side{
				{name: "Hinge, infer", args: []string{"DIR/infer", "-model", "DIR/model.json", "-quiet", "-out", "DIR/infer-out"}, whole: true, program: true},
				{name: "Hinge, Python", env: "psl", args: []string{"models.py", "hinge", "DIR"}, whole: true, own: true},
				{name: "pslpython", env: "psl", args: []string{"models.py", "pslpython", "DIR"}, whole: true},
			}
			list = append(list, g)
		}
		return list
	},
}

// prepareModel writes a model and what both programs of Python need.
func prepareModel(ctx context.Context, dir, family string, size int) (judge, error) {
	f, err := familytest.Find(family)
	if err != nil {
		return nil, err
	}
	m, err := f.Model(size, 1)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(m.Write(dir), pythonPackage(ctx, dir, map[string]any{})); err != nil {
		return nil, err
	}
	p, err := m.Ground(ctx)
	if err != nil {
		return nil, err
	}
	best := math.Inf(1)
	return func(name string, _ ask, a *answer) (string, error) {
		y, err := readTruths(filepath.Join(dir, answerFolders[name]), p.Targets)
		if err != nil {
			return "", err
		}
		energy := p.Energy(y, m.Outputs, p.Weights())
		best = min(best, energy)
		far := (energy - best) / (1 + math.Abs(best))
		a.Figures = map[string]float64{"energy above the best": far, "violation": p.Violation(y, m.Outputs)}
		if !(far <= energyTolerance) {
			return fmt.Sprintf("the energy is %.1e above the best", far), nil
		}
		return "", nil
	}, nil
}

// energyTolerance is how far an answer's energy may be above the best, relative to it.
const energyTolerance = .05

// answerFolders are the folders of the answers.
var answerFolders = map[string]string{"Hinge, infer": "infer-out", "Hinge, Python": "hinge-out", "pslpython": "pslpython-out"}

// readTruths reads the truths of the targets from a folder of files PREDICATE.txt, whose lines are
// the arguments of an atom and its truth.
func readTruths(dir string, targets []string) ([]float64, error) {
	at := make(map[string]int, len(targets))
	for i, name := range targets {
		at[strings.ToUpper(name)] = i
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	y, found := make([]float64, len(targets)), 0
	for _, file := range files {
		predicate := strings.TrimSuffix(filepath.Base(file), ".txt")
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
			last := len(fields) - 1
			i, ok := at[strings.ToUpper(predicate+"("+strings.Join(fields[:last], ",")+")")]
			if !ok {
				continue // an atom that no rule has
			}
			if y[i], err = strconv.ParseFloat(fields[last], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			found++
		}
	}
	if found != len(targets) {
		return nil, fmt.Errorf("%s: truths of %d targets, want %d", dir, found, len(targets))
	}
	return y, nil
}
