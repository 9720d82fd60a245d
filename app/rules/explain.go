package rules

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"hinge/app/cli"
	"hinge/symbolic/psl"
	"hinge/symbolic/rulemining"
)

// explain prints the best answers to a query such as isa(alga, ?), or what speaks for a fact.
func (r *run) explain(stdout io.Writer, text string) error {
	relation, head, tail, err := r.links.parseFact(text)
	if err != nil {
		return err
	}
	if err := r.loadSearch(); err != nil {
		return err
	}
	if err := r.loadWeights(); err != nil {
		return err
	}
	if r.learned == nil || r.learned.Models[relation] == nil {
		return cli.Usage("-explain: the run in %s has no weights for %s yet; -resume learns them", r.out, r.links.names.Relations[relation])
	}
	f := rulemining.NewFirer(r.graph)
	m, _, err := r.relation(context.Background(), f, relation, nil, r.learned.Models[relation], r.learned.Options)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(stdout)
	if head >= 0 && tail >= 0 {
		for side := range 2 {
			r.why(out, f, m, side, rulemining.Triple{Head: head, Relation: relation, Tail: tail})
		}
		return out.Flush()
	}
	side, given := 0, head
	if head < 0 {
		side, given = 1, tail
	}
	scores := make([]float64, r.graph.Entities)
	f.Score(m, rulemining.Query{Side: side, Given: given, Own: -1}, m.Cumulative(side), scores, new(rulemining.Fired))
	list := best(scores, 10, func(int32) bool { return true }, given)
	for _, e := range list[:min(10, len(list))] {
		t := rulemining.Triple{Head: given, Relation: relation, Tail: e}
		if side == 1 {
			t.Head, t.Tail = e, given
		}
		note := ""
		if r.graph.Has(t.Head, rulemining.Forward(relation), t.Tail) {
			note = "  a known fact"
		}
		fmt.Fprintf(out, "%8.3f  %s%s\n", scores[e], r.links.fact(t), note)
	}
	return out.Flush()
}

// ends names what queries of a side ask for.
var ends = [2]string{"tail", "head"}

// why prints the evidence for a fact as an answer to a query of a side, the heaviest first.
func (r *run) why(out io.Writer, f *rulemining.Firer, m *rulemining.Model, side int, t rulemining.Triple) {
	cumulative := m.Cumulative(side)
	list := f.Best(m, t)
	total := 0.0
	weight := func(e *rulemining.Evidence) float64 {
		return cumulative[int(e.Cluster)*len(rulemining.Levels)+int(e.Level)]
	}
	slices.SortFunc(list, func(a, b rulemining.Evidence) int {
		return cmp.Or(cmp.Compare(weight(&b), weight(&a)), cmp.Compare(a.Cluster, b.Cluster))
	})
	for i := range list {
		total += weight(&list[i])
	}
	fmt.Fprintf(out, "%s, the %s asked: score %.3f, noisy or %.3f", r.links.fact(t), ends[side], total, -math.Expm1(-total))
	if r.graph.Has(t.Head, rulemining.Forward(t.Relation), t.Tail) {
		fmt.Fprint(out, "; a known fact, which its own rules leave out")
	}
	fmt.Fprintln(out)
	for i := range list {
		e := &list[i]
		if weight(e) == 0 {
			continue
		}
		rule, support, known := r.rule(m, e)
		fmt.Fprintf(out, "%8.3f  %s\n", weight(e), rule)
		if known > 0 {
			fmt.Fprintf(out, "          right for %d of %d\n", support, known)
		}
		if facts := r.body(f, e, t); facts != "" {
			fmt.Fprintf(out, "          here: %s\n", facts)
		}
	}
}

// rule writes the rule of some evidence.
func (r *run) rule(m *rulemining.Model, e *rulemining.Evidence) (text string, support, known int32) {
	names := &r.links.names
	switch e.Kind {
	case rulemining.Path:
		return names.Path(m.Relation, e.Path), e.Path.Support, e.Path.Known
	case rulemining.Tail:
		return names.Tail(r.graph, m.Relation, e.Rule), e.Rule.Support, e.Rule.Known
	case rulemining.Head:
		return names.Head(r.graph, m.Relation, e.Rule), e.Rule.Support, e.Rule.Known
	case rulemining.PopularTail:
		return fmt.Sprintf("%s(X, %s) is often true", names.Relations[m.Relation], names.Entities[e.Popular]), 0, 0
	}
	return fmt.Sprintf("%s(%s, Y) is often true", names.Relations[m.Relation], names.Entities[e.Popular]), 0, 0
}

// body writes facts for which the body of a rule holds.
func (r *run) body(f *rulemining.Firer, e *rulemining.Evidence, t rulemining.Triple) string {
	var facts []string
	atom := func(s rulemining.Step, from, to int32) {
		relation, inverse := s.Relation()
		if inverse {
			from, to = to, from
		}
		facts = append(facts, r.links.fact(rulemining.Triple{Head: from, Relation: relation, Tail: to}))
	}
	switch e.Kind {
	case rulemining.Path:
		at := t.Head
		for i, next := range r.graph.Example(e.Path, t.Head, t.Tail) {
			atom(e.Path.Body[i], at, next)
			at = next
		}
	case rulemining.Tail, rulemining.Head:
		about := t.Head
		if e.Kind == rulemining.Head {
			about = t.Tail
		}
		s, with := r.graph.Of(e.Rule.Property)
		if with < 0 {
			with = r.graph.Near(about, s)[0]
		}
		atom(s, about, with)
	}
	return strings.Join(facts, ", ")
}

// fact writes a fact.
func (l *links) fact(t rulemining.Triple) string {
	return l.names.Relations[t.Relation] + "(" + l.names.Entities[t.Head] + ", " + l.names.Entities[t.Tail] + ")"
}

// parseFact reads relation(head, tail), with ? for an end that is asked for, which is −1.
func (l *links) parseFact(text string) (relation, head, tail int32, err error) {
	name, rest, ok := strings.Cut(text, "(")
	inner, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
	if !ok || !closed {
		return 0, 0, 0, cli.Usage("-explain %q is not a fact such as 'isa(alga, entity)' or a query such as 'isa(alga, ?)'", text)
	}
	relation, ok = l.relation[strings.TrimSpace(name)]
	if !ok {
		return 0, 0, 0, cli.Usage("-explain: no fact has the relation %q%s", name, didYouMean(name, l.names.Relations))
	}
	// Names may hold commas themselves: the first comma at which both parts are names is the right one.
	var first, second string
	for i, c := range inner {
		if c != ',' {
			continue
		}
		first, second = strings.TrimSpace(inner[:i]), strings.TrimSpace(inner[i+1:])
		h, knownHead := l.end(first)
		t, knownTail := l.end(second)
		if knownHead && knownTail && (h >= 0 || t >= 0) {
			return relation, h, t, nil
		}
	}
	for _, word := range []string{first, second} {
		if _, known := l.end(word); !known {
			return 0, 0, 0, cli.Usage("-explain: no fact has the entity %q%s", word, didYouMean(word, l.names.Entities))
		}
	}
	return 0, 0, 0, cli.Usage("-explain %q needs two arguments, at most one of them ?", text)
}

func (l *links) end(text string) (int32, bool) {
	if text == "?" {
		return -1, true
	}
	e, ok := l.entity[text]
	return e, ok
}

func didYouMean(word string, known []string) string {
	if near := psl.Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
