package rules

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hinge/app/cli"
	"hinge/symbolic/psl"
	"hinge/symbolic/rulemining"
)

// The written model has the facts under the names of their relations and four predicates more:
//
//	Asked(R, X, Y)  the model asks whether R(X, Y) holds, R with the end that is asked for; observed
//	Counted(B, X, Y)  the body B holds for the pair with so many entities for one of its variables; observed
//	Fires(K, X, Y)  a rule of cluster K holds for the pair; a target that hard rules push to 1
//	Found(R, X, Y)  how strongly R(X, Y) follows; a target
//
// A rule is Asked(R, X, Y) & body → Fires(K, X, Y), a weight w: Fires(K, X, Y) → Found(R, X, Y), and
// W: !Found(R, X, Y) ^2 draws to 0. With 2W above every sum of weights, the most probable Found(R, X, Y) is
// the score Σ w·φ divided by 2W: inference ranks as the command does.

// other is what the names of predicates do not have.
var other = regexp.MustCompile("[^a-zA-Z0-9]")

// predicates returns a name for each relation that the rule language takes, each another.
func predicates(relations []string) []string {
	used := map[string]bool{"ASKED": true, "COUNTED": true, "FIRES": true, "FOUND": true}
	out := make([]string, len(relations))
	for i, r := range relations {
		name := strings.Trim(other.ReplaceAllString(r, "_"), "_")
		if name == "" || name[0] >= '0' && name[0] <= '9' {
			name = "r" + name
		}
		base := name
		for n := 2; used[strings.ToUpper(name)]; n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		used[strings.ToUpper(name)], out[i] = true, name
	}
	return out
}

// sections are the parts of rules.psl, by their headings.
var sections = [3]string{
	"Rules found in facts. A cluster K holds rules that conclude the same for the same reason.",
	"A rule of a higher level of a cluster is one of a lower level, too. The clusters 1 to 5 hold the best rules of all.",
	"What the clusters are worth.",
}

// writer writes the model.
type writer struct {
	*run
	names  rulemining.Names    // in the rule language
	rules  [3][]string         // by section
	tables map[string][]string // by the names of their files
	facts  []string            // the tables of relations
	fields []string            // entities in the tables, in quotes where quoted is true
	quoted bool                // a name, as CSV files and databases have it, holds a tab or a line end
	seen   map[string]bool
	high   float64 // the highest score
	// reached are the levels of the rules.
	reached map[reached]bool
}

type reached struct {
	relation, cluster int32
	level             int8
}

// add adds a rule once.
func (w *writer) add(section int, text string) {
	if !w.seen[text] {
		w.seen[text] = true
		w.rules[section] = append(w.rules[section], text)
	}
}

// writeModel writes rules.psl, model.json and the data of both, of as many queries as one file of rules can have
// the rules of: those asked for, or a half, a quarter and so on.
func (r *run) writeModel(ctx context.Context) error {
	for asked := r.asked; ; asked /= 2 {
		w, held, err := r.modelOf(ctx, asked)
		if err != nil {
			return err
		}
		size, rules := 0, w.text()
		for _, line := range rules {
			size += len(line) + 1
		}
		switch fits := size <= r.room && len(rules) <= psl.MaxRules; {
		case !fits && asked > 1:
			continue
		case !fits:
			r.show.Note("the model is written, but cmd/infer does not take it: one query alone has more rules than a file may have")
		case asked < r.asked:
			r.show.Note(fmt.Sprintf("the model has the first %d queries of each held-out file, not %d: a file of rules has no room for those of more", 2*held, r.asked))
		}
		return w.files(rules)
	}
}

// modelOf makes the model of the first queries of both held-out files, and returns how many facts ask them at most.
func (r *run) modelOf(ctx context.Context, asked int) (*writer, int, error) {
	w := &writer{run: r, names: rulemining.Names{Relations: predicates(r.links.names.Relations)}, tables: map[string][]string{},
		seen: map[string]bool{}, reached: map[reached]bool{}}
	for _, m := range r.models {
		for cluster, level := range m.Reached {
			w.reached[reached{m.Relation, cluster, level}] = true
		}
	}
	w.quoted = slices.ContainsFunc(r.links.names.Entities, func(e string) bool { return strings.ContainsAny(e, "\t\n\r") })
	for _, e := range r.links.names.Entities {
		w.names.Entities = append(w.names.Entities, psl.Quote(e))
		if w.quoted {
			e = `"` + strings.ReplaceAll(e, `"`, `""`) + `"`
		}
		w.fields = append(w.fields, e)
	}
	for _, list := range [2][]rulemining.Triple{r.links.train, r.links.extra} {
		for _, f := range list {
			name := w.names.Relations[f.Relation]
			w.tables[name] = append(w.tables[name], w.row(f))
		}
	}
	w.facts = slices.Collect(maps.Keys(w.tables))
	most := 0
	held := map[string][]rulemining.Triple{"learn": r.links.valid, "infer": r.links.test}
	if r.noTest {
		held["infer"] = r.links.valid
	}
	for _, name := range []string{"learn", "infer"} {
		w.tables["asked-"+name], w.tables["counted-"+name], w.tables["fires-"+name], w.tables["truth-"+name] = nil, nil, nil, nil // empty ones have files, too
		n := min(len(held[name]), (asked+1)/2)
		if err := w.part(ctx, name, held[name][:n]); err != nil {
			return nil, 0, err
		}
		most = max(most, n)
	}
	return w, most, nil
}

// files writes the model with its rules.
func (w *writer) files(rules []string) error {
	observed := map[string]any{}
	source := func(table string) []any {
		path := "data/" + table + ".txt"
		if w.quoted {
			return []any{map[string]any{"csv": path, "separator": "\t", "header": false}}
		}
		return []any{path}
	}
	for _, name := range w.facts {
		observed[name+"/2"] = map[string]any{"observations": source(name)}
	}
	files := func(table string) map[string][]any {
		return map[string][]any{"learn": source(table + "-learn"), "infer": source(table + "-infer")}
	}
	observed["Asked/3"] = map[string]any{"observations": files("asked")}
	observed["Counted/3"] = map[string]any{"observations": files("counted")}
	observed["Fires/3"] = map[string]any{"targets": files("fires")}
	observed["Found/3"] = map[string]any{"targets": files("asked"), "truth": files("truth"), "evaluations": []string{"AUCEvaluator"}}
	for name, rows := range w.tables {
		if err := w.lines("data/"+name+".txt", rows); err != nil {
			return err
		}
	}
	if err := w.lines("rules.psl", rules); err != nil {
		return err
	}
	return w.write("model.json", func(to *bufio.Writer) error {
		return cli.PrintJSON(to, map[string]any{"rules": "rules.psl", "predicates": observed})
	})
}

// lines writes a file.
func (w *writer) lines(name string, rows []string) error {
	return w.write(name, func(to *bufio.Writer) error {
		for _, row := range rows {
			fmt.Fprintln(to, row)
		}
		return nil
	})
}

// row writes the ends of a fact for a table.
func (w *writer) row(t rulemining.Triple) string { return w.fields[t.Head] + "\t" + w.fields[t.Tail] }

// part asks for both ends of facts, for the partition of a name.
func (w *writer) part(ctx context.Context, name string, facts []rulemining.Triple) error {
	f, seen := rulemining.NewFirer(w.graph), [2]map[rulemining.Triple]bool{{}, {}}
	for _, fact := range facts {
		m := w.models[fact.Relation]
		for side := range 2 {
			if err := ctx.Err(); err != nil {
				return err
			}
			given, answer := fact.Ends(side)
			step := rulemining.Forward(fact.Relation) ^ rulemining.Step(side)
			others := w.known.Near(given, step)
			_, list := best(f, m, side, given, slices.DeleteFunc(slices.Clone(others), func(e int32) bool { return e == answer }))
			if !slices.Contains(list, answer) {
				list = append(list, answer)
			}
			for _, e := range list {
				t := rulemining.Atom(step, given, e)
				if seen[side][t] || w.graph.Has(given, step, e) {
					continue
				}
				seen[side][t] = true
				value := "0"
				if slices.Contains(others, e) {
					value = "1"
				}
				atom := w.query(t.Relation, side) + "\t" + w.row(t)
				w.tables["asked-"+name] = append(w.tables["asked-"+name], atom)
				w.tables["truth-"+name] = append(w.tables["truth-"+name], atom+"\t"+value)
				w.high = max(w.high, w.pair(f, m, side, t, name))
			}
		}
	}
	return nil
}

// best returns the scores of all answers to a query, and the ten answers of highest score without some.
func best(f *rulemining.Firer, m *rulemining.Model, side int, given int32, without []int32) (scores []float64, list []int32) {
	scores = make([]float64, f.Graph().Entities)
	f.Fire(m, rulemining.Query{Side: side, Given: given, Own: -1})
	f.Scores(m, side, rulemining.Cumulative(m.Weights[side]), scores)
	for e := range int32(len(scores)) {
		if scores[e] > 0 && !slices.Contains(without, e) {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	return scores, list[:min(10, len(list))]
}

// pair adds the rules that hold for a pair, and the targets Fires and the counts of it to the tables of a partition. It returns the score.
func (w *writer) pair(f *rulemining.Firer, m *rulemining.Model, side int, t rulemining.Triple, name string) float64 {
	query, body := w.query(m.Relation, side), ""
	evidence := f.Evidence(m, side, t)
	var best [rulemining.Places]string
	for _, e := range evidence {
		// A rule that is not the best of its cluster counts where the better ones hold, too.
		if m.Clusters[e.Cluster].Slot > 0 {
			body += " & " + w.names.Atoms(" & ", e.Body...)
		} else {
			body = w.body(&e)
		}
		if e.From > 0 {
			key := w.links.names.Body(&e)
			body += " & Counted(" + psl.Quote(key) + ", X, Y)"
			if row := key + "\t" + w.row(t); !w.seen[row+name] {
				w.seen[row+name] = true
				w.tables["counted-"+name] = append(w.tables["counted-"+name], row)
			}
		}
		fires := w.levels(m, side, t, e.Cluster, e.Level, "fires-"+name)
		if fires != "" {
			w.add(0, "Asked("+psl.Quote(query)+", X, Y) & "+body+" -> "+fires+" .")
		}
		if e.Place > 0 {
			best[e.Place-1] = fires
		}
	}
	score, cumulative := 0.0, rulemining.Cumulative(m.Weights[side])
	for _, e := range evidence {
		score += e.Weight(cumulative)
		if e.Place > 0 {
			if fires := w.levels(m, side, t, int32(e.Place), e.Level, "fires-"+name); fires != "" {
				w.add(1, strings.Join(best[:e.Place], " & ")+" -> "+fires+" .")
			}
		}
	}
	return score
}

// worthless is below every weight that learning leaves for a reason: what is not 0 there is rounding.
const worthless = 1e-9

// levels adds what a cluster is worth up to a level for a pair, and returns the atom of the highest level that is worth
// something by itself or for the best rules, or "".
func (w *writer) levels(m *rulemining.Model, side int, t rulemining.Triple, cluster int32, level int8, table string) string {
	query, fires := w.query(m.Relation, side), ""
	base := cluster - int32(m.Clusters[cluster].Slot)
	for l := range int(level) + 1 {
		weight := m.Weights[side][int(cluster)*len(rulemining.Levels)+l]
		if weight < worthless {
			weight = 0
		}
		if weight == 0 && !w.reached[reached{m.Relation, base, int8(l)}] {
			continue
		}
		key, below := fmt.Sprintf("%s %d.%d", query, cluster, l), fires
		fires = "Fires(" + psl.Quote(key) + ", X, Y)"
		if below != "" {
			w.add(1, fires+" -> "+below+" .")
		}
		if weight > 0 {
			w.add(2, strconv.FormatFloat(weight, 'g', -1, 64)+": "+fires+" -> Found("+psl.Quote(query)+", X, Y)")
		}
		w.tables[table] = append(w.tables[table], key+"\t"+w.row(t))
	}
	return fires
}

// query names a relation with the end that is asked for.
func (w *writer) query(relation int32, side int) string {
	return w.links.names.Relations[relation] + " " + ends[side]
}

// body writes the body of a rule about the pair (X, Y).
func (w *writer) body(e *rulemining.Evidence) string {
	var parts []string
	for _, end := range [2][2]int32{{rulemining.X, e.Head.Head}, {rulemining.Y, e.Head.Tail}} {
		if end[1] >= 0 {
			parts = append(parts, "("+w.names.Term(end[0])+" == "+w.names.Term(end[1])+")")
		}
	}
	for _, a := range e.Body {
		parts = append(parts, w.names.Atoms("", a))
	}
	if e.Kind == rulemining.Path {
		n := len(e.Body)
		terms := []int32{rulemining.X, rulemining.Y - 1, rulemining.Y - 2, rulemining.Y - 3, rulemining.Y - 4, rulemining.Y}
		terms[n] = rulemining.Y
		if n == 0 {
			parts = append(parts, "(X == Y)")
		}
		for i := range n + 1 {
			for j := range i {
				if given := n * e.Side; i-j > 2 && i != given && j != given {
					continue // paths may meet again (rulemining.PathRule), and Counted has the pairs that paths connect
				}
				parts = append(parts, "("+w.names.Term(terms[j])+" != "+w.names.Term(terms[i])+")")
			}
		}
	}
	return strings.Join(parts, " & ")
}

// text returns rules.psl: the rules that hold for a pair that is asked, and their weights. With -functional it has a
// hard rule for each relation of which no entity has two tails, or two heads, in the facts, if at least 20 entities have one.
func (w *writer) text() (list []string) {
	for i, heading := range sections {
		list = append(append(list, "# "+heading), w.rules[i]...)
	}
	list = append(list, "# Without evidence a fact is not true. The weight keeps every sum of evidence below 1.",
		strconv.FormatFloat(max(1, w.high), 'g', -1, 64)+": !Found(R, X, Y) ^2")
	if !w.functional {
		return list
	}
	list = append(list, "# Relations with at most one tail or head for each entity in the facts.")
	for r := range int32(w.graph.Relations) {
		for side, rule := range [2]string{"Found(%s, X, +Y) <= 1 .", "Found(%s, +X, Y) <= 1 ."} {
			if w.graph.Functional(rulemining.Forward(r)^rulemining.Step(side), 20) {
				list = append(list, fmt.Sprintf(rule, psl.Quote(w.query(r, side))))
			}
		}
	}
	return list
}
