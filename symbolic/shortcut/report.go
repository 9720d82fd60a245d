package shortcut

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"hinge/symbolic/psl"
)

// shown is the number of maps of a group that a report shows.
const shown = 5

// Write writes the result in words. soft may be nil.
func (r *Result) Write(w io.Writer, soft *Relaxed) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", r.Summary())
	if r.From != "" {
		line("examples: those of %s", r.From)
	}
	if r.Left > 0 {
		line("left out: %s, as the true classes of their entities are not known", psl.Count(r.Left, "example"))
	}
	if r.Contrary > 0 {
		line("left out: %s (each sort once) whose true classes contradict a hard rule", psl.Count(r.Contrary, "example"))
	}
	for _, rule := range r.Ignored {
		line("not asked to hold, as the true classes break it: %s: %s", rule.Source, rule.Text)
	}
	if r.Evidence {
		line("what these rules say on the average is not counted: there may be fewer maps that fit the data as well as the truth")
	}
	for i := range r.Groups {
		r.writeGroup(line, &r.Groups[i])
	}
	r.writeIdentified(line)
	switch labels := r.Settle(); {
	case len(labels) == 0:
	case r.Complete:
		line("labels that would leave the true map alone, the fewest found: %s", r.names(labels))
	default:
		line("labels that would rule out the maps that were found: %s", r.names(labels))
	}
	if soft != nil {
		r.writeSoft(line, soft)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary is one sentence about the number of maps.
func (r *Result) Summary() string {
	switch n := r.Number(); {
	case len(r.Exemplars) == 0:
		return "nothing to count: no example has an entity whose true class is known"
	case r.Unique():
		return "1 map of the concepts explains all labels: the true one"
	case !r.Complete:
		return fmt.Sprintf("at least %s of the concepts explain all labels, of which the true one is one; the count is not whole (%s)", maps(n), r.Ended)
	default:
		return fmt.Sprintf("%s of the concepts explain all labels, of which the true one is one", maps(n))
	}
}

// Warning is one line for the start of a run, "" where the true map is the only one: how
// many maps there are, the first of the others, and what would settle it. It is "" also where
// there is Evidence that was not counted.
func (r *Result) Warning() string {
	if r.Evidence || r.Number().Cmp(big.NewInt(1)) == 0 {
		return ""
	}
	text := r.Summary()
	for i := range r.Groups {
		if g := &r.Groups[i]; len(g.Maps) > 1 {
			text += "; " + r.words(g, 1) + ": no label tells"
			break
		}
	}
	if labels := r.Settle(); r.Complete && len(labels) > 0 {
		text += "; labels of " + r.names(labels) + " would"
	}
	return text
}

// writeGroup writes the maps of a group.
func (r *Result) writeGroup(line func(string, ...any), g *Group) {
	if len(g.Maps) < 2 {
		return
	}
	line("%s of %s:", maps(big.NewInt(int64(len(g.Maps)))), r.names(g.Exemplars))
	for n := range g.Maps {
		if n > shown {
			line("    and %d more", len(g.Maps)-n)
			break
		}
		var values []string
		for k, e := range g.Exemplars {
			values = append(values, r.Concepts[r.Exemplars[e].Concept].value(g.Maps[n][k]))
		}
		text := "the truth"
		if n > 0 {
			text = r.words(g, n)
		}
		line("    %s: %s", strings.Join(values, " "), text)
	}
}

// words describes the exemplars that map n of a group reads wrongly.
func (r *Result) words(g *Group, n int) string {
	var parts []string
	done := map[int]bool{}
	last := -1
	for k, e := range g.Exemplars {
		if !r.moved(g, n, k) || done[k] {
			continue
		}
		x := &r.Exemplars[e]
		c := &r.Concepts[x.Concept]
		from, to := c.value(x.On), c.value(g.Maps[n][k])
		if x.Concept != last {
			from, last = c.Name+" "+from, x.Concept
		}
		// The exemplar of the same concept that is exchanged with this one, if there is one.
		back := slices.IndexFunc(g.Exemplars, func(o int) bool {
			return r.Exemplars[o].Concept == x.Concept && slices.Equal(r.Exemplars[o].On, g.Maps[n][k])
		})
		if back > k && slices.Equal(g.Maps[n][back], x.On) {
			done[back] = true
			parts = append(parts, fmt.Sprintf("%s and %s may be swapped", from, to))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s may be read as %s", from, to))
	}
	return strings.Join(parts, ", ")
}

func (r *Result) writeIdentified(line func(string, ...any)) {
	if r.Unique() {
		return
	}
	var same []int
	for e, is := range r.Identified() {
		if is {
			same = append(same, e)
		}
	}
	what := "identified by every map"
	if !r.Complete {
		what = "not moved by any map that was found"
	}
	if len(same) > 0 {
		line("%s: %s", what, r.names(same))
	} else {
		line("%s: none", what)
	}
}

func (r *Result) writeSoft(line func(string, ...any), soft *Relaxed) {
	most := ""
	if !soft.Complete {
		most = "at most "
	}
	line("with outputs between 0 and 1, %s%s can be answered without breaking a rule", most, maps(soft.Number))
	if soft.Silent {
		line("outputs that are all alike break no rule: a loss of plain outputs may teach nothing")
	}
}

// names joins the names of exemplars, the predicate with the value, grouped by predicate.
func (r *Result) names(list []int) string {
	var parts []string
	last := -1
	for _, e := range list {
		x := &r.Exemplars[e]
		c := &r.Concepts[x.Concept]
		value := c.value(x.On)
		if x.Concept != last {
			value = c.Name + " " + value
		}
		last = x.Concept
		parts = append(parts, value)
	}
	return strings.Join(parts, ", ")
}

// maps is a number of maps: beyond 15 digits as a power of ten.
func maps(n *big.Int) string {
	text := n.String()
	switch {
	case text == "1":
		return "1 map"
	case len(text) > 15:
		text = "about " + strings.Replace(new(big.Float).SetInt(n).Text('e', 1), "e+", "e", 1)
	}
	return text + " maps"
}
