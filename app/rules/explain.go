package rules

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"hinge/app/cli"
	"hinge/symbolic/rulemining"
)

// explain prints the best answers to a query such as isa(alga, ?), or what speaks for a fact.
func (r *run) explain(stdout io.Writer) error {
	t, err := r.links.parseFact(r.explained)
	if err != nil {
		return err
	}
	kept := r.record.Models[t.Relation]
	if kept == nil {
		return cli.Usage("-explain: the run in %s has no weights for %s yet; -resume with -ask entity learns them", r.out, r.links.names.Relations[t.Relation])
	}
	m, f := r.model(t.Relation, kept), rulemining.NewFirer(r.graph)
	out := bufio.NewWriter(stdout)
	if t.Head >= 0 && t.Tail >= 0 {
		for side := range 2 {
			r.why(out, f, m, side, t)
		}
		return out.Flush()
	}
	side := 0
	if t.Head < 0 {
		side = 1
	}
	given, _ := t.Ends(side)
	scores, list := best(f, m, side, given, nil)
	for _, e := range list {
		note, t := "", rulemining.Atom(rulemining.Forward(t.Relation)^rulemining.Step(side), given, e)
		if r.graph.Has(t.Head, rulemining.Forward(t.Relation), t.Tail) {
			note = "  a known fact"
		}
		fmt.Fprintf(out, "%8.3f  %s%s\n", scores[e], r.links.names.Atoms("", t), note)
	}
	return out.Flush()
}

// ends names what queries of a side ask for.
var ends = [2]string{"tail", "head"}

// why prints the evidence for a fact as an answer to a query of a side, the heaviest first.
func (r *run) why(out io.Writer, f *rulemining.Firer, m *rulemining.Model, side int, t rulemining.Triple) {
	cumulative, names := rulemining.Cumulative(m.Weights[side]), &r.links.names
	list := f.Evidence(m, side, t)
	slices.SortFunc(list, func(a, b rulemining.Evidence) int {
		return cmp.Or(cmp.Compare(b.Weight(cumulative), a.Weight(cumulative)), cmp.Compare(a.Cluster, b.Cluster))
	})
	total := 0.0
	for i := range list {
		total += list[i].Weight(cumulative)
	}
	fmt.Fprintf(out, "%s, the %s asked: score %.3f, noisy or %.3f", names.Atoms("", t), ends[side], total, -math.Expm1(-total))
	if r.graph.Has(t.Head, rulemining.Forward(t.Relation), t.Tail) {
		fmt.Fprint(out, "; a known fact, which its own rules leave out")
	}
	fmt.Fprintln(out)
	for i := range list {
		e := &list[i]
		weight := e.Weight(cumulative)
		if weight == 0 {
			continue
		}
		fmt.Fprintf(out, "%8.3f  %s\n", weight, names.Rule(e))
		if e.Known > 0 {
			fmt.Fprintf(out, "          right for %d of %d\n", e.Support, e.Known)
		}
		if facts := r.graph.Example(e, t); len(facts) > 0 {
			fmt.Fprintf(out, "          here: %s\n", names.Atoms(", ", facts...))
		}
	}
}

// parseFact reads relation(head, tail), with ? for an end that is asked for, which is −1.
func (l *links) parseFact(text string) (t rulemining.Triple, err error) {
	name, rest, ok := strings.Cut(text, "(")
	for i, c := range text { // names may hold brackets themselves: the longest one that is known is the right one
		if _, known := l.relation[strings.TrimSpace(text[:i])]; known && c == '(' {
			name, rest = text[:i], text[i+1:]
		}
	}
	inner, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
	if !ok || !closed {
		return t, cli.Usage("-explain %q is not a fact such as 'isa(alga, entity)' or a query such as 'isa(alga, ?)'", text)
	}
	name = strings.TrimSpace(name)
	if t.Relation, ok = l.relation[name]; !ok {
		return t, cli.Usage("-explain: no fact has the relation %q%s", name, cli.DidYouMean(name, "", l.names.Relations))
	}
	end := func(text string) (int32, bool) {
		if text == "?" {
			return -1, true
		}
		e, ok := l.entity[text]
		return e, ok
	}
	// Names may hold commas themselves: the first comma at which both parts are names is the right one.
	unknown := ""
	for i, c := range inner {
		if c != ',' {
			continue
		}
		first, second := strings.TrimSpace(inner[:i]), strings.TrimSpace(inner[i+1:])
		var knownHead, knownTail bool
		t.Head, knownHead = end(first)
		t.Tail, knownTail = end(second)
		switch {
		case knownHead && knownTail && (t.Head >= 0 || t.Tail >= 0):
			return t, nil
		case !knownHead:
			unknown = first
		case !knownTail:
			unknown = second
		}
	}
	if unknown != "" {
		return t, cli.Usage("-explain: no fact has the entity %q%s", unknown, cli.DidYouMean(unknown, "", l.names.Entities))
	}
	return t, cli.Usage("-explain %q needs two arguments, at most one of them ?", text)
}
