package model

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// doubts looks for what is probably a slip in the predicates and their data.
func (l *loader) doubts(predicates *node) {
	used := map[string]bool{}
	for _, r := range l.m.Rules.Rules {
		for _, a := range r.Atoms() {
			used[strings.ToUpper(a.Predicate)] = true
		}
	}
	for i, p := range l.m.Data.Predicates() {
		key := &predicates.keys[i]
		if !used[strings.ToUpper(p.Name)] {
			l.warn(key, "remove it, or write a rule with it", "%s is in no rule", p.Name)
		} else if p.Observations+p.Targets+p.Deep == 0 {
			l.doubt(key, "give it observations or targets; all its atoms count as false", "%s has no data in the partition %s", p.Name, l.m.Partition)
		}
		if n, first := l.m.Data.StrayTruths(p.Name); n > 0 {
			l.doubt(key, "add them to the targets, or remove them", "%d of the true values of %s are of atoms that are not targets, the first is %s(%s)",
				n, p.Name, p.Name, strings.Join(first, ", "))
		}
		l.doubtValues(key, p)
	}
	for i := range l.m.Evaluations {
		l.doubtEvaluation(&l.m.Evaluations[i], predicates)
	}
}

// doubtValues finds observations that all have one value, which is not 1.
func (l *loader) doubtValues(key *node, p ground.PredicateInfo) {
	if p.Observations < 2 {
		return
	}
	value, n := 0.0, 0
	for a := range l.m.Data.Atoms(p.Name) {
		if a.Kind != ground.Observed {
			continue
		}
		if n++; n > 1 && a.Value != value {
			return
		}
		value = a.Value
	}
	if value != 1 {
		l.doubt(key, "check the column of values", "all %d observations of %s have the value %v", n, p.Name, value)
	}
}

// doubtEvaluation finds evaluators that say nothing, or that say something else
// in the reference.
func (l *loader) doubtEvaluation(e *Evaluation, predicates *node) {
	key := &predicates.keys[slices.IndexFunc(l.m.Predicates, func(p Predicate) bool { return p.Name == e.Predicate })]
	s := l.m.Sample(e.Predicate, make([]float64, l.m.Data.Targets()), make([]float64, l.m.Data.DeepAtoms()))
	switch e := e.Evaluator.(type) {
	case *evaluate.Categorical:
		// The reference looks for the truth of observed atoms among the targets.
		n := 0
		for _, a := range s.Observed {
			if a.Truth >= 1 {
				n++
			}
		}
		if n > 0 && !e.IncludeObserved {
			l.doubt(key, "remove them from the truth, or set eval.includeobs true",
				"%d true atoms of %s are observed: they are left out of the accuracy, which the reference lowers by them as misses", n, s.Predicate)
		}
	case *evaluate.AUC:
		same := len(s.Labelled) > 1
		for _, a := range s.Labelled {
			same = same && (a.Truth >= e.Threshold) == (s.Labelled[0].Truth >= e.Threshold)
		}
		if same {
			l.doubt(key, "check the truth", "the true values of %s are all on one side of the threshold: there is no ranking to evaluate", s.Predicate)
		}
	}
}

// headers are words that name columns.
var headers = []string{"id", "id1", "id2", "name", "entity", "person", "user", "item", "node", "source", "target", "from", "to", "value", "truth",
	"label", "category", "class", "weight", "score", "subject", "object", "arg1", "arg2", "x", "y"}

// doubtFile finds a file that adds nothing, and a first line that names columns.
func (l *loader) doubtFile(p *Predicate, path string, added int) {
	warn := func(line int, hint, msg string) {
		w := Warning{Warning: psl.Warning{Pos: psl.Pos{File: path, Line: line}, Msg: msg, Hint: hint}, Data: true}
		if line > 0 {
			w.Pos.Col = 1
		}
		l.m.Warnings = append(l.m.Warnings, w)
	}
	first, err := firstLine(path)
	switch {
	case err != nil:
		return // it was read a moment ago
	case added == 0 && first == "":
		warn(0, "remove it from the model, or fill it", "the data file of "+p.Name+" is empty")
		return
	case added == 0:
		warn(0, "remove it from the model", "the data file adds no atom of "+p.Name+": others have them all")
	}
	fields := strings.Split(first, "\t")
	for _, f := range fields[:min(len(fields), p.Arity)] {
		if !slices.Contains(headers, strings.ToLower(strings.TrimSpace(f))) && !strings.EqualFold(strings.TrimSpace(f), p.Name) {
			return
		}
	}
	if len(fields) > 1 || len(strings.TrimSpace(first)) > 1 {
		warn(1, "remove it if it is", fmt.Sprintf("%q looks like a header, and is read as an atom of %s", first, p.Name))
	}
}

// firstLine returns the first line of a file that is not blank, "" if there is
// none.
func firstLine(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return "", err
		}
	}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if line := strings.TrimSpace(strings.TrimPrefix(in.Text(), "\uFEFF")); line != "" {
			return line, nil
		}
	}
	return "", in.Err()
}
