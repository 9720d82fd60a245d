package infer

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/psl"
)

// searchNames are the ends of a search in JSON.
var searchNames = map[integer.Status]string{
	integer.Optimal: "optimal", integer.GapReached: "gap_reached", integer.Unresolved: "unresolved",
	integer.TimeLimit: "time_limit", integer.Interrupted: "interrupted", integer.Infeasible: "infeasible",
}

// integerTargets returns the targets of the predicates that are integer, by the model or
// by -integer.
func (j *job) integerTargets() ([]int, error) {
	var names, all []string
	for _, p := range j.m.Predicates {
		all = append(all, p.Name)
		if p.Integer {
			names = append(names, p.Name)
		}
	}
	for _, name := range j.integers {
		at := slices.IndexFunc(all, func(p string) bool { return strings.EqualFold(p, name) })
		if at < 0 {
			hint := ""
			if near := psl.Nearest(name, all); near != "" {
				hint = "; did you mean " + near + "?"
			}
			return nil, cli.Usage("-integer: the model has no predicate %s%s", name, hint)
		}
		if !slices.Contains(names, all[at]) {
			names = append(names, all[at])
		}
	}
	var targets []int
	for _, name := range names {
		before := len(targets)
		for a := range j.m.Data.Atoms(name) {
			if a.Kind == ground.Target {
				targets = append(targets, a.Index)
			}
		}
		if len(targets) == before {
			j.warn("the integer predicate %s has no targets", name)
		}
	}
	return targets, nil
}

// search finds the best point at which the given targets are 0 or 1. Of what is asked
// about afterwards, the judge and -explain see the program with these targets fixed.
func (j *job) search(targets []int, s infer.Settings) error {
	if !isExact(j.name) {
		exact := infer.DefaultMethod().Name()
		j.warn("integer predicates are inferred by branch and bound with the method %s; %s is not used", exact, j.name)
		j.name, s = exact, infer.Settings{Workers: j.threads}
	}
	settings := integer.Settings{Solver: s, MaxTime: j.timeout, Proof: j.check,
		GapAbsolute: j.gap * float64(len(j.instance.Components))}
	var state atomic.Pointer[string]
	settings.Progress = func(nodes int, value, bound float64) {
		text := fmt.Sprintf("%s, component between %.6g and %.6g; Ctrl-C ends with the best values so far", count(nodes, "relaxation"), bound, value)
		state.Store(&text)
	}
	j.progress.start(fmt.Sprintf("searching values of %s", count(len(targets), "integer target")), func() string {
		if text := state.Load(); text != nil {
			return *text
		}
		return "at the first relaxation"
	})
	begin := time.Now()
	j.stop.hold()
	j.found = new(integer.Result)
	err := integer.Solve(j.stop.ctx, j.instance, targets, settings, j.found)
	j.times.solve = time.Since(begin)
	if err != nil {
		return err
	}
	r := j.found
	if r.Err() != nil && r.Search == integer.Interrupted {
		return context.Canceled
	}
	j.result = r.Result
	if r.Err() != nil {
		return nil // the verdict will say it
	}
	free := *j.instance // with bounds of its own
	free.Lower, free.Upper = slices.Clone(free.Lower), slices.Clone(free.Upper)
	j.result.PrimalValue, j.result.DualValue, j.result.TotalGap = r.Value, r.Bound, r.Gap()
	for _, i := range targets {
		if err := j.instance.Fix(i, r.Y[i]); err != nil {
			return err
		}
	}
	if !j.check {
		return nil
	}
	for c, leaves := range r.Proof {
		if leaves == nil {
			continue
		}
		if _, err := integer.Check(&free, targets, c, leaves); err != nil {
			return &unsolvedError{"-check: " + err.Error()}
		}
	}
	return nil
}

// searchVerdict says what the outcome of a search means, as verdict does.
func (j *job) searchVerdict() error {
	r := j.found
	switch {
	case r.Search == integer.Infeasible && j.result.Status == infer.Infeasible:
		return j.infeasible(j.result.Certificate)
	case r.Search == integer.Infeasible:
		j.result.Status = infer.Infeasible
		return &infeasibleError{"the model is infeasible: values between 0 and 1 satisfy the hard rules, but no values 0 and 1 of the integer predicates do\n" +
			"    hint: give a hard rule a weight, or make all of them soft with -D inference.relax=true"}
	case r.Err() != nil:
		return &unsolvedError{fmt.Sprintf("no values of the integer predicates were found that satisfy the hard rules: %s", r.Search)}
	case r.Search == integer.Optimal || r.Search == integer.GapReached:
		if j.check {
			if problem := j.judge(); problem != "" {
				return &unsolvedError{"-check: " + problem}
			}
		}
		return nil
	case r.Search == integer.Interrupted:
		return &interruptedError{fmt.Sprintf("after %.0f s of search: the values are the best so far, within %.2g of the optimum", j.times.solve.Seconds(), r.Gap())}
	}
	problem := fmt.Sprintf("%s: the best values are within %s of the optimum", r.Search, magnitude(r.Gap()))
	if j.check {
		return &unsolvedError{"-check: " + problem}
	}
	j.warn("%s", problem)
	return nil
}

// writeSearch prints the line of the summary about the search.
func (j *job) writeSearch(w io.Writer) {
	r := j.found
	fmt.Fprintf(w, "integer    %s: value %.6f, bound %.6f, gap %s, %s\n", r.Search, r.Value, r.Bound,
		magnitude(math.Max(r.Gap(), 0)), count(r.Nodes, "relaxation"))
}

// warnOfIntegers says that learning takes integer predicates for continuous ones.
func (j *job) warnOfIntegers() {
	for _, p := range j.m.Predicates {
		if p.Integer {
			j.warn("learning takes values of %s between 0 and 1, though the predicate is integer: inference does not", p.Name)
		}
	}
}
