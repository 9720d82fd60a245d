package infer

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/app/watch"
	"hinge/symbolic/facts"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/record"
)

// learnedSummary is the output of -learn -json.
type learnedSummary struct {
	firstLearned
	Partition   string `json:"partition"`
	Terms       int    `json:"terms"`
	Constraints int    `json:"constraints"`
	Targets     int    `json:"targets"`
	// Labelled counts the targets with a true value.
	Labelled int `json:"labelled"`
	// BestScore is the score of the weights that are written, null without an evaluation, and
	// KeptEpoch the number of steps that led to them.
	BestScore *float64          `json:"best_score"`
	KeptEpoch int               `json:"kept_epoch"`
	Solves    int               `json:"solves"`
	Unsolved  int               `json:"unsolved"`
	GroundS   float64           `json:"ground_s"`
	SolverS   float64           `json:"solver_s"`
	Before    metrics           `json:"metrics_before"`
	After     metrics           `json:"metrics"`
	Warnings  []problem.Warning `json:"warnings"`
	// Thresholds are left out without -threshold.
	Thresholds model.Thresholds `json:"thresholds,omitempty"`
}

// learnedRule is a weighted rule. Satisfaction is 1 minus the mean of its potentials at the
// labels: 1 is never broken.
type learnedRule struct {
	Rule         string  `json:"rule"`
	Start        float64 `json:"start"`
	Weight       float64 `json:"weight"`
	Satisfaction float64 `json:"satisfaction"`
}

func (l *learned) summarise(warnings []problem.Warning) *learnedSummary {
	r := &l.result
	s := &learnedSummary{
		firstLearned: *l.summary(), Partition: string(l.Partition), Warnings: warnings,
		Terms: l.Instance.Rows(), Constraints: l.Instance.Constraints, Targets: l.Instance.Targets,
		KeptEpoch: r.BestStep, Solves: r.Solves + r.EvaluationSolves, Unsolved: r.Unsolved,
		GroundS: l.GroundTime.Seconds(), SolverS: r.SolverS,
		Before: byName(l.before), After: byName(l.after), Thresholds: l.Decided(),
	}
	for i := range l.Instance.Targets {
		if _, ok := l.Data.TruthValue(i); ok {
			s.Labelled++
		}
	}
	if l.Primary() >= 0 && !l.interrupted {
		s.BestScore = &r.ValidAccuracy
	}
	return s
}

// list lists the rules.
func (l *learned) list() []learnedRule {
	list := make([]learnedRule, len(l.rules))
	for i, r := range l.rules {
		_, text, _ := strings.Cut(r.String(), ": ")
		list[i] = learnedRule{Rule: text, Start: l.start[i], Weight: l.weights[i]}
		if l.result.Rules != nil {
			list[i].Satisfaction = l.result.Rules[i].Satisfaction
		}
	}
	return list
}

// report writes the learned rules and prints what was learned.
func (l *learned) report(c *command, m learning.Model) error {
	c.Stop.Write()
	c.Progress.Close()
	err := l.writeRules(c.Stop, m)
	if err != nil {
		return err
	}
	if s := l.summarise(c.Listed()); c.JSON {
		err = cli.PrintJSON(c.Stdout, s)
	} else {
		err = l.write(c, s)
	}
	switch {
	case l.interrupted:
		where := "printed"
		if l.file != "" {
			where = "in " + l.file
		}
		err = errors.Join(err, &interruptedError{fmt.Sprintf("after %s of learning: the %s weights so far are %s", psl.Count(l.result.Steps, "step"), l.which, where)})
	case c.Check && l.result.Unsolved > 0:
		err = errors.Join(err, cli.WithCode(exit.Unsolved, fmt.Sprintf("-check: %d of %s stopped before their tolerance", l.result.Unsolved, psl.Count(l.result.Solves+l.result.EvaluationSolves, "inference"))))
	}
	return err
}

// ruleFile is a file for the learned rules, and the flag that asks for it.
type ruleFile struct{ flag, path string }

// ruleFiles lists where the learned rules go: to rules.psl in the folder of -out,
// and to the file that the model names.
func (l *learned) ruleFiles() (files []ruleFile, err error) {
	if l.Out != "" {
		files = append(files, ruleFile{"-out", filepath.Join(l.Out, "rules.psl")})
	}
	if path := l.Options.Learning.OutputModel; path != "" {
		files = append(files, ruleFile{"runtime.learn.output.model.path", path})
	}
	for _, f := range files {
		if err := l.Spare(f.flag, f.path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// writeRules writes the learned rules, as train -export does.
func (l *learned) writeRules(stop *watch.Stopper, m learning.Model) error {
	files, err := l.ruleFiles()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := facts.WriteFile(f.path, func(w *bufio.Writer) error { return m.Rulebook().WriteRules(w) }); err != nil {
			return cli.Usage("%s: %v", f.flag, err)
		}
		l.file = f.path
		stop.Wrote(f.path)
	}
	return nil
}

// mostRules is the number of rules up to which the summary shows them all;
// beyond it shows those with the largest weights.
const mostRules = 30

// write prints the summary of learning for people.
func (l *learned) write(c *command, s *learnedSummary) error {
	w := bufio.NewWriter(c.Stdout)
	fmt.Fprintf(w, "model      %s: %s, %s, %d with a true value, read in %.3f s\n", l.Model, psl.Count(len(l.Rules.Rules), "rule"),
		psl.Count(s.Targets, "target"), s.Labelled, l.ReadTime.Seconds())
	fmt.Fprintf(w, "ground     %s, %s in %.3f s\n", psl.Count(s.Terms-s.Constraints, "potential"), psl.Count(s.Constraints, "constraint"), s.GroundS)
	l.writeLearned(w, "")
	if r := &l.result; !l.config.Training.LastWeights && !r.Unjudged && r.BestStep < r.Steps {
		what := "those after " + psl.Count(r.BestStep, "step")
		if r.BestStep == 0 {
			what = "those that it began with"
		}
		fmt.Fprintf(w, "kept       the weights that were rated best, %s; -set training.last-weights=true takes the last\n", what)
	}
	writeMetrics(w, l.before, l.after) // none after an interrupt
	c.writeThresholds(w, l.Decided())
	order := make([]int, len(l.rules))
	for i := range order {
		order[i] = i
	}
	rest := 0.0
	if len(order) > mostRules {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.weights[b], l.weights[a]) })
		for _, i := range order[mostRules:] {
			rest += l.weights[i]
		}
		order = order[:mostRules]
	}
	for _, i := range order {
		_, text, _ := strings.Cut(l.rules[i].String(), ": ")
		fmt.Fprintf(w, "%8.4f   %s\n", l.weights[i], text)
	}
	if n := len(l.rules) - len(order); n > 0 {
		fmt.Fprintf(w, "%8.4f   the other %s together\n", rest, psl.Count(n, "rule"))
	}
	if l.file != "" {
		fmt.Fprintf(w, "rules      in %s: infer with -rules, which takes their ε too\n", l.file)
	}
	return w.Flush()
}

// stoppedInterrupt is why learning has ended with a signal.
const stoppedInterrupt = "interrupted"

// writeLearned says how the weights were learned, and what our own learner does otherwise where
// the reference's was asked for.
func (l *learned) writeLearned(w io.Writer, more string) {
	fmt.Fprintf(w, "learn      %s: %s in %.3f s, %s; ε = %v%s\n", l.config.Loss, psl.Count(l.result.Steps, "step"), l.result.WallS, cmp.Or(record.Endings[l.result.Stopped], "as it was interrupted"), l.Epsilon, more)
	if l.reference {
		kept := "the last weights"
		if l.Primary() >= 0 {
			kept = "the weights that are rated best"
		}
		fmt.Fprintf(w, "           with the steps of the reference; -learn %s takes ours and keeps %s: infer with those by -rules\n", l.config.Loss, kept)
	}
}
