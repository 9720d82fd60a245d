package infer

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hinge/app/cli"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
)

// statusNames are the statuses in JSON.
var statusNames = map[infer.Status]string{
	infer.NotRun: "not_run", infer.Solved: "solved", infer.AlmostSolved: "almost_solved",
	infer.OwnRule: "own_rule", infer.IterationLimit: "iteration_limit", infer.TimeLimit: "time_limit",
	infer.NoProgress: "no_progress", infer.TooLarge: "too_large", infer.Infeasible: "infeasible",
}

// writeValues writes a file for each predicate with targets or neural atoms. A file is complete
// or not there.
func (j *job) writeValues() error {
	if j.out == "" {
		return nil
	}
	for _, p := range j.m.Data.Predicates() {
		if !j.printed(&p) {
			continue
		}
		path := filepath.Join(j.out, strings.ToUpper(p.Name)+".txt")
		if err := writeFile(path, func(w *bufio.Writer) error { return j.values(w, p.Name) }); err != nil {
			return cli.Usage("-out: %v", err)
		}
	}
	return nil
}

// values writes the atoms of a predicate in the order of the data.
func (j *job) values(w *bufio.Writer, predicate string) error {
	var line []byte
	for a := range j.results(predicate) {
		line = line[:0]
		for _, arg := range a.Args {
			line = append(append(line, arg...), '\t')
		}
		line = append(strconv.AppendFloat(line, a.Value, 'g', -1, 64), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// results yields the targets and neural atoms of a predicate in the order of the data,
// with the values inferred and those of networks, and the observed atoms if the model
// asks for them.
func (j *job) results(predicate string) iter.Seq[ground.Atom] {
	return func(yield func(ground.Atom) bool) {
		for a := range j.m.Data.Atoms(predicate) {
			switch {
			case a.Kind == ground.Target:
				a.Value = j.result.Y[a.Index]
			case a.Kind == ground.Deep:
				a.Value = j.outputs[a.Index]
			case !j.m.Options.AllAtoms:
				continue
			}
			if !yield(a) {
				return
			}
		}
	}
}

// printed tells whether a predicate has results.
func (j *job) printed(p *ground.PredicateInfo) bool {
	return p.Targets+p.Deep > 0 || j.m.Options.AllAtoms && p.Observations > 0
}

// writeFile writes a file under another name and then renames it.
func writeFile(path string, write func(*bufio.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".infer-*")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what remains is only untidy
	}
	return err
}

// summary is what -json prints. Numbers that do not exist, those of an
// infeasible model, are null.
type summary struct {
	Model        string   `json:"model"`
	Partition    string   `json:"partition"`
	Method       string   `json:"method"`
	Epsilon      float64  `json:"epsilon"`
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
	// NetworksS is the time for the outputs of the networks, Weights the run that
	// they and the rule weights come from; left out without networks.
	NetworksS float64 `json:"networks_s,omitempty"`
	Weights   string  `json:"weights,omitempty"`
	Metrics   metrics `json:"metrics"`
	// Learned is null unless the weights were learned first.
	Learned  *firstLearned `json:"learned"`
	Warnings []doubt       `json:"warnings"`
	// Explained and Top are null unless asked for.
	Explained []explanation `json:"explain,omitempty"`
	Top       []groundRule  `json:"top,omitempty"`
	// Atoms are the inferred values, unless they are in files.
	Atoms []atomValue `json:"atoms,omitempty"`
}

// firstLearned is what was learned before inference.
type firstLearned struct {
	Loss    string        `json:"loss"`
	Epsilon float64       `json:"epsilon"`
	Epochs  int           `json:"epochs"`
	Stopped string        `json:"stopped"`
	LearnS  float64       `json:"learn_s"`
	Rules   []learnedRule `json:"rules"`
}

// atomValue is an inferred value.
type atomValue struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     float64  `json:"value"`
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
func (j *job) summarise() *summary {
	r := &j.result
	number := func(v float64) *float64 {
		if r.Status == infer.Infeasible || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	s := &summary{
		Model: j.m.File, Partition: j.partition, Method: j.name, Epsilon: j.epsilon, Warnings: j.listed(), Learned: j.first.summary(),
		Explained: j.explained, Top: j.worst,
		Objective: number(r.Energy), Primal: number(r.PrimalValue), Dual: number(r.DualValue), Gap: number(r.TotalGap),
		MaxViolation: number(r.MaxViolation), Status: statusNames[r.Status],
		GroundS: j.times.ground.Seconds(), SolveS: j.times.solve.Seconds(),
		Metrics: byName(j.metrics), Weights: j.weights, NetworksS: j.times.networks.Seconds(),
	}
	switch {
	case j.interrupted:
		s.Status = "interrupted"
	case j.m.Options.Skip && r.Status == infer.NotRun:
		s.Status = "skipped"
	}
	if j.found != nil {
		s.Status, s.Relaxations = searchNames[j.found.Search], j.found.Nodes
	}
	if w := j.whole; w != nil {
		s.Ranks, s.Shared = j.ranks, w.Shared
		s.Terms, s.Constraints, s.Targets, s.Components = w.Rows, w.Constraints, j.m.Data.Targets(), w.Components
		s.Iterations = w.Iterations
		return s
	}
	s.Terms, s.Constraints, s.Targets = j.instance.Rows(), j.instance.Constraints, j.instance.Targets
	for c := range r.Components {
		s.Iterations = max(s.Iterations, r.Components[c].Stats.Iterations)
		// Constant rows and targets in no row are no part of the problem.
		if part := &j.instance.Components[c]; len(part.Targets) > 0 && len(part.Rows) > 0 {
			s.Components++
		}
	}
	return s
}

func (j *job) writeJSON() error {
	e := json.NewEncoder(j.stdout)
	e.SetIndent("", "  ")
	s := j.summarise()
	if j.out == "" && j.result.Status != infer.Infeasible {
		for _, p := range j.m.Data.Predicates() {
			for a := range j.results(p.Name) {
				s.Atoms = append(s.Atoms, atomValue{p.Name, a.Args, a.Value})
			}
		}
	}
	return e.Encode(s)
}

// manyValues is the number of values from which a hint names -out.
const manyValues = 1000

// writeSummary prints the summary for people.
func (j *job) writeSummary() error {
	s, r := j.summarise(), &j.result
	w := bufio.NewWriter(j.stdout)
	fmt.Fprintf(w, "model      %s: %s, %s, %s, read in %.3f s\n", j.m, count(len(j.m.Rules.Rules), "rule"),
		count(len(j.m.Predicates), "predicate"), count(s.Targets, "target"), j.times.load.Seconds())
	if l := j.first; l != nil {
		fmt.Fprintf(w, "learn      %s: %s in %.3f s, %s; ε = %v; -learn=none infers with the weights as written\n",
			l.loss, l.steps(l.Epochs), l.WallS, endings[string(l.Stopped)], l.epsilon)
	}
	fmt.Fprintf(w, "ground     %s, %s, %s in %.3f s\n", count(s.Terms-s.Constraints, "potential"),
		count(s.Constraints, "constraint"), count(s.Components, "component"), s.GroundS)
	if j.whole != nil {
		fmt.Fprintf(w, "ranks      %d by %s: %s in common, %s in components of one rank, %s\n", s.Ranks, j.split,
			count(s.Shared, "target"), count(s.Terms-j.whole.SharedRows, "term"), count(s.Iterations, "iteration"))
	}
	if j.trained != nil {
		fmt.Fprintf(w, "networks   %s in %.3f s, with the weights of %s\n", count(len(j.outputs), "output"), s.NetworksS, j.weights)
	}
	status := r.Status.String()
	if j.interrupted || j.m.Options.Skip {
		status = s.Status
	}
	fmt.Fprintf(w, "solve      %s: %s in %.3f s\n", j.name, status, s.SolveS)
	if j.found != nil {
		j.writeSearch(w)
	}
	if math.IsNaN(r.PrimalValue) { // nothing was solved
		fmt.Fprintf(w, "objective  %.6f (violation %s)\n", r.Energy, magnitude(r.MaxViolation))
	} else {
		fmt.Fprintf(w, "objective  %.6f, regularised %.6f with ε = %v (gap %s, violation %s)\n",
			r.Energy, r.PrimalValue, j.epsilon, magnitude(r.TotalGap), magnitude(r.MaxViolation))
	}
	for _, m := range j.metrics {
		fmt.Fprintf(w, "evaluation %s, %s:", m.Predicate, m.Name())
		if m.Count == 0 {
			fmt.Fprint(w, " no atom with a true value")
		}
		for _, metric := range m.Metrics {
			fmt.Fprintf(w, " %s %.4f", metric.Name, metric.Value)
		}
		fmt.Fprintln(w)
	}
	j.writeExplained(w)
	if n := len(j.doubts.list); n > 0 {
		fmt.Fprintf(w, "warnings   %d\n", n)
	}
	if j.out != "" {
		fmt.Fprintf(w, "values     in %s\n", j.out)
		return w.Flush()
	}
	if s.Targets >= manyValues && !j.quiet {
		j.progress.note(fmt.Sprintf("infer: printing %d values; -out FOLDER writes them to files", s.Targets))
	}
	for _, p := range j.m.Data.Predicates() {
		j.show(w, p.Name)
	}
	return w.Flush()
}

// show prints the values of a predicate.
func (j *job) show(w io.Writer, predicate string) {
	for a := range j.results(predicate) {
		fmt.Fprintf(w, "%8.4f   %s(%s)\n", a.Value, predicate, strings.Join(a.Args, ", "))
	}
}

// count prints a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// magnitude prints a residual: numbers below 1e-12 are noise of the last bits.
func magnitude(v float64) string {
	if v < 1e-12 {
		return "0"
	}
	return fmt.Sprintf("%.0e", v)
}
