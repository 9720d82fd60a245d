package infer

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"hinge/train/weights"
)

// learnedSummary is what -learn -json prints.
type learnedSummary struct {
	Loss        string  `json:"loss"`
	Partition   string  `json:"partition"`
	Epsilon     float64 `json:"epsilon"`
	Terms       int     `json:"terms"`
	Constraints int     `json:"constraints"`
	Targets     int     `json:"targets"`
	// Labelled counts the targets with a true value.
	Labelled int    `json:"labelled"`
	Epochs   int    `json:"epochs"`
	Stopped  string `json:"stopped"`
	// BestScore is null without an evaluation.
	BestScore *float64 `json:"best_score"`
	BestEpoch int      `json:"best_epoch"`
	// KeptEpoch is the number of steps that led to the weights that are written.
	KeptEpoch int           `json:"kept_epoch"`
	Solves    int           `json:"solves"`
	Unsolved  int           `json:"unsolved"`
	GroundS   float64       `json:"ground_s"`
	LearnS    float64       `json:"learn_s"`
	SolverS   float64       `json:"solver_s"`
	Rules     []learnedRule `json:"rules"`
	Before    metrics       `json:"metrics_before"`
	After     metrics       `json:"metrics"`
	Warnings  []doubt       `json:"warnings"`
}

// learnedRule is a weighted rule. Incompatibility is the sum of its unweighted
// potentials at the labels.
type learnedRule struct {
	Rule            string  `json:"rule"`
	Start           float64 `json:"start"`
	Weight          float64 `json:"weight"`
	Incompatibility float64 `json:"incompatibility"`
}

func (j *job) summariseLearned(l *learned) *learnedSummary {
	s := &learnedSummary{
		Loss: j.loss, Partition: j.partition, Warnings: j.listed(), Epsilon: j.epsilon, Terms: j.instance.Rows(), Constraints: j.instance.Constraints, Targets: j.instance.Targets,
		Epochs: l.Epochs, Stopped: string(l.Stopped), BestEpoch: l.BestEpoch, KeptEpoch: l.Kept, Solves: l.Solves, Unsolved: l.Unsolved,
		GroundS: j.times.ground.Seconds(), LearnS: l.WallS, SolverS: l.SolverS,
		Before: byName(l.before), After: byName(l.after),
	}
	for i := range j.instance.Targets {
		if _, ok := j.m.Data.TruthValue(i); ok {
			s.Labelled++
		}
	}
	if !math.IsNaN(l.BestScore) {
		s.BestScore = &l.BestScore
	}
	s.Rules = l.list()
	return s
}

// list lists the rules.
func (l *learned) list() []learnedRule {
	list := make([]learnedRule, len(l.rules))
	for i, r := range l.rules {
		_, text, _ := strings.Cut(r.String(), ": ")
		list[i] = learnedRule{Rule: text, Start: l.start[i], Weight: l.Weights[i]}
		if l.Incompatibility != nil {
			list[i].Incompatibility = l.Incompatibility[i]
		}
	}
	return list
}

func (j *job) writeLearnedJSON(l *learned) error {
	e := json.NewEncoder(j.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(j.summariseLearned(l))
}

// mostRules is the number of rules up to which the summary shows them all;
// beyond it shows those with the largest weights.
const mostRules = 30

// writeLearned prints the summary of -learn for people.
func (j *job) writeLearned(l *learned) error {
	s := j.summariseLearned(l)
	w := bufio.NewWriter(j.stdout)
	fmt.Fprintf(w, "model      %s: %s, %s, %d with a true value, read in %.3f s\n", j.m, count(len(j.m.Rules.Rules), "rule"),
		count(s.Targets, "target"), s.Labelled, j.times.load.Seconds())
	fmt.Fprintf(w, "ground     %s, %s in %.3f s\n", count(s.Terms-s.Constraints, "potential"), count(s.Constraints, "constraint"), s.GroundS)
	fmt.Fprintf(w, "learn      %s: %s in %.3f s, %s; ε = %v\n", j.loss, l.steps(l.Epochs), l.WallS, endings[string(l.Stopped)], j.epsilon)
	if l.Kept < l.Epochs {
		what := "those after " + l.steps(l.Kept)
		if l.Kept == 0 {
			what = "those that it began with"
		}
		if j.Config.Keep == weights.KeepBest {
			what += "; -keep last takes the last"
		}
		fmt.Fprintf(w, "kept       the weights that were rated best, %s\n", what)
	}
	for i, m := range l.after { // none after an interrupt
		fmt.Fprintf(w, "evaluation %s, %s:", m.Predicate, m.Name())
		if m.Count == 0 {
			fmt.Fprint(w, " no atom with a true value")
		}
		for k, metric := range m.Metrics {
			fmt.Fprintf(w, " %s %.4f → %.4f", metric.Name, l.before[i].Metrics[k].Value, metric.Value)
		}
		fmt.Fprintln(w)
	}
	order := make([]int, len(l.rules))
	for i := range order {
		order[i] = i
	}
	rest := 0.0
	if len(order) > mostRules {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.Weights[b], l.Weights[a]) })
		for _, i := range order[mostRules:] {
			rest += l.Weights[i]
		}
		order = order[:mostRules]
	}
	for _, i := range order {
		_, text, _ := strings.Cut(l.rules[i].String(), ": ")
		fmt.Fprintf(w, "%8.4f   %s\n", l.Weights[i], text)
	}
	if n := len(l.rules) - len(order); n > 0 {
		fmt.Fprintf(w, "%8.4f   the other %s together\n", rest, count(n, "rule"))
	}
	if l.file != "" {
		fmt.Fprintf(w, "rules      in %s: infer with -rules and the same -epsilon\n", l.file)
	}
	return w.Flush()
}

// endings say why learning ended.
var endings = map[string]string{
	"movement": "as the weights hardly move", "timeout": "as its time is over", "interrupted": "as it was interrupted", "search": "all that the search wanted",
	"epochs": "all that were asked for", "patience": "as the evaluation has not improved", "gap": "as M − V is small",
}
