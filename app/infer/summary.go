package infer

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/modelfile"
)

// searchNames are the ends of a search in JSON.
var searchNames = map[integer.Status]string{
	integer.Optimal: "optimal", integer.GapReached: "gap_reached", integer.Unresolved: "unresolved",
	integer.TimeLimit: "time_limit", integer.Interrupted: "interrupted", integer.Infeasible: "infeasible",
}

// summary is the output of -json. Numbers that do not exist are null, as for an infeasible
// model.
type summary struct {
	Model        string   `json:"model"`
	Partition    string   `json:"partition"`
	Method       string   `json:"method"`
	Epsilon      float64  `json:"epsilon"`
	Ties         string   `json:"ties,omitempty"` // which of many optima, see ties; none of several ranks, and of a search, which takes any
	Terms        int      `json:"terms"`
	Constraints  int      `json:"constraints"`
	Targets      int      `json:"targets"`
	Components   int      `json:"components"`
	Iterations   int      `json:"iterations"`
	Objective    *float64 `json:"objective"`
	Primal       *float64 `json:"primal"`
	Dual         *float64 `json:"dual"`
	Gap          *float64 `json:"gap"`
	MaxViolation *float64 `json:"max_violation"`
	Status       string   `json:"status"`
	// Ranks is 0 for one process. Shared counts the targets that several ranks have.
	Ranks  int `json:"ranks,omitempty"`
	Shared int `json:"shared_targets,omitempty"`
	// Relaxations is 0 where no predicate is integer.
	Relaxations int     `json:"relaxations,omitempty"`
	GroundS     float64 `json:"ground_s"`
	SolveS      float64 `json:"solve_s"`
	// Begun is left out with other methods than auto.
	Begun []begun `json:"begun,omitempty"`
	// NetworksS is the time for the outputs of the networks, Weights the run that
	// they and the rule weights come from; left out without networks.
	NetworksS float64 `json:"networks_s,omitempty"`
	Weights   string  `json:"weights,omitempty"`
	Metrics   metrics `json:"metrics"`
	// Curves are left out without a threshold of -threshold or one that was kept.
	Curves map[string][]evaluate.Point `json:"curves,omitempty"`
	// Learned is null unless the weights were learned first.
	Learned  *firstLearned     `json:"learned"`
	Warnings []problem.Warning `json:"warnings"`
	// Ablation is left out without -ablate.
	Ablation []ablated `json:"ablation,omitempty"`
	// Explained and Top are null without -explain and -top.
	Explained []explanation `json:"explain,omitempty"`
	Top       []groundRule  `json:"top,omitempty"`
	// Atoms are the inferred values, unless they are in files.
	Atoms []atomValue `json:"atoms,omitempty"`
}

// firstLearned describes learning before inference.
type firstLearned struct {
	Loss    string        `json:"loss"`
	Epsilon float64       `json:"epsilon"`
	Epochs  int           `json:"epochs"`
	Stopped string        `json:"stopped"`
	LearnS  float64       `json:"learn_s"`
	Rules   []learnedRule `json:"rules"`
}

// metrics are values by predicate, evaluator and metric.
type metrics map[string]map[string]map[string]float64

// byName sorts evaluations by name; a second evaluator of the same name gets a
// number.
func byName(results []model.Result) metrics {
	all := metrics{}
	for _, m := range results {
		of := all[m.Predicate]
		if of == nil {
			of = map[string]map[string]float64{}
			all[m.Predicate] = of
		}
		name := m.Name()
		for n := 2; of[name] != nil; n++ {
			name = m.Name() + "#" + strconv.Itoa(n)
		}
		of[name] = map[string]float64{}
		for _, metric := range m.Metrics {
			of[name][metric.Name] = metric.Value
		}
	}
	return all
}

// summarise collects the summary.
func (r *report) summarise(c *command) *summary {
	number := func(v float64) *float64 {
		if r.Status == infer.Infeasible || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	s := &summary{
		Model: r.File, Partition: string(r.Partition), Method: r.solver, Epsilon: r.Epsilon, Ties: c.Ties, Warnings: c.Listed(), Learned: r.learned.summary(),
		Explained: r.atoms, Top: r.top, Ablation: ablatedOf(r.ablations),
		Objective: number(r.Energy), Primal: number(r.PrimalValue), Dual: number(r.DualValue), Gap: number(r.TotalGap),
		MaxViolation: number(r.MaxViolation), Status: r.Status.Name(),
		GroundS: r.GroundTime.Seconds(), SolveS: r.solveTime.Seconds(),
		Metrics: byName(r.metrics), Curves: r.curve, Weights: c.Weights, NetworksS: r.NetworksTime.Seconds(),
	}
	switch {
	case r.integer != nil:
		s.Status, s.Relaxations, s.Ties = searchNames[r.integer.Search], r.integer.Nodes, ""
	case r.interrupted:
		s.Status = "interrupted"
	case r.Options.Skip && r.Status == infer.NotRun:
		s.Status = "skipped"
	}
	if d := r.distributed; d != nil {
		s.Ranks, s.Shared, s.Ties = r.Ranks, d.Shared, ""
		s.Terms, s.Constraints, s.Targets, s.Components = d.Rows, d.Constraints, r.Data.Targets(), d.Components
		s.Iterations = d.Iterations
		return s
	}
	s.Begun = r.begun()
	s.Terms, s.Constraints, s.Targets = r.Instance.Rows(), r.Instance.Constraints, r.Instance.Targets
	for i := range r.Components {
		s.Iterations = max(s.Iterations, r.Components[i].Stats.Iterations)
		// Constant rows and targets in no row are no part of the problem.
		if part := &r.Instance.Components[i]; len(part.Targets) > 0 && len(part.Rows) > 0 {
			s.Components++
		}
	}
	return s
}

// summary returns l as part of the output of -json, nil if nothing was learned.
func (l *learned) summary() *firstLearned {
	if l == nil {
		return nil
	}
	return &firstLearned{Loss: l.config.Loss, Epsilon: l.Epsilon, Epochs: l.result.Steps, Stopped: l.result.Stopped, LearnS: l.result.WallS, Rules: l.list()}
}

func (r *report) writeJSON(c *command) error {
	s := r.summarise(c)
	if r.Destination() == "" && r.Status != infer.Infeasible {
		for _, p := range r.Data.Predicates() {
			for a := range r.results(p.Name) {
				s.Atoms = append(s.Atoms, atomValue{p.Name, a.Args, a.Value})
			}
		}
	}
	return cli.PrintJSON(c.Stdout, s)
}

// manyValues is the number of values from which a hint names -out.
const manyValues = 1000

// writeSummary prints the summary for people.
func (r *report) writeSummary(c *command) error {
	s := r.summarise(c)
	w := bufio.NewWriter(c.Stdout)
	fmt.Fprintf(w, "model      %s: %s, %s, %s, read in %.3f s\n", r.Model, psl.Count(len(r.Rules.Rules), "rule"),
		psl.Count(len(r.Predicates), "predicate"), psl.Count(s.Targets, "target"), r.ReadTime.Seconds())
	if l := r.learned; l != nil {
		l.writeLearned(w, "; -learn=none infers with the weights as written")
	}
	fmt.Fprintf(w, "ground     %s, %s, %s in %.3f s\n", psl.Count(s.Terms-s.Constraints, "potential"),
		psl.Count(s.Constraints, "constraint"), psl.Count(s.Components, "component"), s.GroundS)
	if d := r.distributed; d != nil {
		fmt.Fprintf(w, "ranks      %d by %s: %s in common, %s in components of one rank, %s\n", s.Ranks, c.Split,
			psl.Count(s.Shared, "target"), psl.Count(s.Terms-d.SharedRows, "term"), psl.Count(s.Iterations, "iteration"))
	}
	if r.Trained != nil {
		fmt.Fprintf(w, "networks   %s in %.3f s, with the weights of %s\n", psl.Count(len(r.Outputs), "output"), s.NetworksS, c.Weights)
	}
	status := r.Status.String()
	if r.interrupted || r.Options.Skip {
		status = s.Status
	}
	if r.integer != nil { // r.Status is that of one relaxation; the line integer has the search's
		status = psl.Count(r.integer.Nodes, "relaxation")
	}
	fmt.Fprintf(w, "solve      %s: %s in %.3f s\n", r.solver, status, s.SolveS)
	if c.Verbose {
		writeBegun(w, s.Begun)
	}
	if i := r.integer; i != nil {
		fmt.Fprintf(w, "integer    %s: value %.6f, bound %.6f, gap %s\n", i.Search, i.Value, i.Bound,
			cli.Magnitude(math.Max(i.Gap(), 0)))
	}
	if math.IsNaN(r.PrimalValue) { // nothing was solved
		fmt.Fprintf(w, "objective  %.6f (violation %s)\n", r.Energy, cli.Magnitude(r.MaxViolation))
	} else {
		fmt.Fprintf(w, "objective  %.6f, regularised %.6f with ε = %v (gap %s, violation %s)\n",
			r.Energy, r.PrimalValue, r.Epsilon, cli.Magnitude(r.TotalGap), cli.Magnitude(r.MaxViolation))
	}
	c.writeThresholds(w, r.Decided())
	writeMetrics(w, nil, r.metrics)
	if r.ablations != nil {
		modelfile.WriteAblations(w, r.metrics, r.ablations)
	}
	r.explained.write(w)
	if n := len(c.List); n > 0 {
		fmt.Fprintf(w, "warnings   %d\n", n)
	}
	if place := r.Destination(); place != "" {
		fmt.Fprintf(w, "values     in %s\n", place)
		return w.Flush()
	}
	if s.Targets >= manyValues && !c.Quiet {
		c.Progress.Note(fmt.Sprintf("infer: printing %s; -out writes them to files or to a table", psl.Count(s.Targets, "value")))
	}
	for _, p := range r.Data.Predicates() {
		for a := range r.results(p.Name) {
			fmt.Fprintf(w, "%10.6f   %s(%s)\n", a.Value, p.Name, strings.Join(a.Args, ", "))
		}
	}
	return w.Flush()
}

// writeMetrics prints a line for each evaluation, with the value before if that is known.
func writeMetrics(w io.Writer, before, metrics []model.Result) {
	for i, m := range metrics {
		fmt.Fprintf(w, "evaluation %s, %s:", m.Predicate, m.Name())
		switch {
		case m.Count > 0:
		case m.Name() == "Categorical":
			fmt.Fprint(w, " no atom with the true value 1")
		default:
			fmt.Fprint(w, " no atom with a true value")
		}
		for k, metric := range m.Metrics {
			fmt.Fprintf(w, " %s ", metric.Name)
			if before != nil {
				fmt.Fprintf(w, "%.4f → ", before[i].Metrics[k].Value)
			}
			fmt.Fprintf(w, "%.4f", metric.Value)
		}
		fmt.Fprintln(w)
	}
}

// report holds the results of the stages, to be written.
type report struct {
	*solution
	// learned is the result of learning before inference, or nil.
	learned *learned
	metrics []model.Result
	curve   map[string][]evaluate.Point
	// ablations are nil without -ablate.
	ablations []modelfile.Ablation
	explained
}

// begun counts the components on which auto has begun with a method. If that did not end,
// another approach has followed.
type begun struct {
	Approach   infer.Approach `json:"approach"`
	Components int            `json:"components"`
	// PredictedS are the seconds that the table of costs predicts for all of them on one thread
	// of the machine that it was measured on; left out where nothing is predicted.
	PredictedS float64 `json:"predicted_s,omitempty"`
}

// begun returns what was begun with, in the order of the approaches; nil for other methods.
func (r *report) begun() (list []begun) {
	for a := range infer.Approaches {
		b := begun{Approach: a}
		for i := range r.Components {
			if c := &r.Components[i].Choice; c.Approach == a && a != infer.ByCost {
				b.Components++
				b.PredictedS += c.Seconds
			}
		}
		if b.Components > 0 {
			list = append(list, b)
		}
	}
	return list
}

// writeBegun prints it for people.
func writeBegun(w io.Writer, list []begun) {
	for _, b := range list {
		fmt.Fprintf(w, "begun      %s: %s", b.Approach, psl.Count(b.Components, "component"))
		if b.PredictedS > 0 {
			fmt.Fprintf(w, ", predicted %s of one thread", cli.Seconds(b.PredictedS))
		}
		fmt.Fprintln(w)
	}
}
