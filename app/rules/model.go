package rules

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hinge/symbolic/rulemining"
)

// The written model has the facts under the names of their relations and three predicates more:
//
//	Asked(R, X, Y)  the model asks whether R(X, Y) holds, R with the end that is asked for; observed
//	Fires(K, X, Y)  a rule of cluster K holds for the pair; a target that hard rules push to 1
//	Found(R, X, Y)  how strongly R(X, Y) follows; a target
//
// A rule is Asked(R, X, Y) & body → Fires(K, X, Y), a weight w: Fires(K, X, Y) → Found(R, X, Y), and
// W: !Found(R, X, Y) ^2 draws to 0. With 2W above every sum of weights, the most probable Found(R, X, Y) is
// the score Σ w·φ divided by 2W: inference ranks as the command does.

// lines are the texts of rules.psl, without repetition and in order of their first appearance.
type lines struct {
	list []string
	seen map[string]bool
}

func (l *lines) add(text string) {
	if !l.seen[text] {
		l.seen[text] = true
		l.list = append(l.list, text)
	}
}

// predicates returns a name for each relation that the rule language takes, each another.
func predicates(relations []string) []string {
	used := map[string]bool{"ASKED": true, "FIRES": true, "FOUND": true}
	out := make([]string, len(relations))
	for i, r := range relations {
		name := strings.Map(func(c rune) rune {
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
				return c
			}
			return '_'
		}, r)
		name = strings.Trim(name, "_")
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

// constant writes a constant of the rule language.
func constant(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + "'"
}

// part is one partition of the written model: pairs that are asked, with what fires for them.
type part struct {
	asked, fires, truth []string
}

// writer writes the model.
type writer struct {
	*run
	predicate []string
	rules     lines
	features  map[int32]map[int32]bool // of each relation and side, 2·relation + side: those that fire
	high      float64
}

// writeModel writes rules.psl, model.json and the data of both.
func (r *run) writeModel(ctx context.Context) error {
	w := &writer{run: r, predicate: predicates(r.links.names.Relations), rules: lines{seen: map[string]bool{}}, features: map[int32]map[int32]bool{}}
	known := r.known
	parts := map[string]*part{}
	test := r.links.test
	if r.noTest {
		test = r.links.valid
	}
	for _, ask := range []struct {
		name  string
		facts []rulemining.Triple
	}{{"learn", r.links.valid}, {"infer", test}} {
		p, err := w.part(ctx, ask.facts[:min(len(ask.facts), (r.asked+1)/2)], known)
		if err != nil {
			return err
		}
		parts[ask.name] = p
	}
	if err := w.writeData(parts); err != nil {
		return err
	}
	return w.writeRules()
}

// candidates is how many of the best answers to a query the written model asks about.
const candidates = 10

// part asks for both ends of facts.
func (w *writer) part(ctx context.Context, facts []rulemining.Triple, k known) (*part, error) {
	f := rulemining.NewFirer(w.graph)
	scores := make([]float64, w.graph.Entities)
	var fired rulemining.Fired
	p := new(part)
	fires := map[string]bool{}
	seen := [2]map[rulemining.Triple]bool{{}, {}}
	for _, fact := range facts {
		m := w.models[fact.Relation]
		for side, given := range [2]int32{fact.Head, fact.Tail} {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			answer := fact.Tail
			if side == 1 {
				answer = fact.Head
			}
			f.Score(m, rulemining.Query{Side: side, Given: given, Own: -1}, m.Cumulative(side), scores, &fired)
			true_ := k[knownKey{fact.Relation, side, given}]
			for _, e := range best(scores, candidates, func(e int32) bool { return e == answer || !slices.Contains(true_, e) }, answer) {
				t := rulemining.Triple{Head: given, Relation: fact.Relation, Tail: e}
				if side == 1 {
					t.Head, t.Tail = e, given
				}
				if seen[side][t] || w.graph.Has(t.Head, rulemining.Forward(t.Relation), t.Tail) {
					continue
				}
				seen[side][t] = true
				value := 0
				if slices.Contains(true_, e) {
					value = 1
				}
				atom := w.query(t.Relation, side) + "\t" + w.links.names.Entities[t.Head] + "\t" + w.links.names.Entities[t.Tail]
				p.asked = append(p.asked, atom)
				p.truth = append(p.truth, atom+"\t"+strconv.Itoa(value))
				w.high = max(w.high, w.pair(f, m, side, t, p, fires))
			}
		}
	}
	return p, nil
}

// best returns the n entities of highest score among those wanted, and always one more.
func best(scores []float64, n int, wanted func(int32) bool, always int32) []int32 {
	var list []int32
	for e := range int32(len(scores)) {
		if scores[e] > 0 && wanted(e) {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	list = list[:min(n, len(list))]
	if !slices.Contains(list, always) {
		list = append(list, always)
	}
	return list
}

// pair writes the rules that hold for a pair, and the targets Fires of it. It returns the score.
func (w *writer) pair(f *rulemining.Firer, m *rulemining.Model, side int, t rulemining.Triple, p *part, fires map[string]bool) float64 {
	query := w.query(m.Relation, side)
	on := w.features[2*m.Relation+int32(side)]
	if on == nil {
		on = map[int32]bool{}
		w.features[2*m.Relation+int32(side)] = on
	}
	score := 0.0
	body := ""
	for _, e := range f.Best(m, t) {
		// A rule that is not the best of its cluster counts where the better ones hold, too.
		if text := w.body(m, &e); m.Clusters[e.Cluster].Slot == 0 {
			body = text
		} else {
			_, property, _ := strings.Cut(text, " & ")
			body += " & " + property
		}
		levels := m.Positive(side, e.Cluster)
		top := -1
		for _, l := range levels {
			if l <= int(e.Level) {
				top = l
			}
		}
		if top < 0 {
			continue
		}
		w.rules.add("Asked(" + constant(query) + ", X, Y) & " + body + " -> Fires(" + constant(w.key(m, side, e.Cluster, top)) + ", X, Y) .")
		for _, l := range levels {
			if l > top {
				break
			}
			score += m.Weights[side][int(e.Cluster)*len(rulemining.Levels)+l]
			feature := e.Cluster*int32(len(rulemining.Levels)) + int32(l)
			on[feature] = true
			key := w.key(m, side, e.Cluster, l) + "\t" + w.links.names.Entities[t.Head] + "\t" + w.links.names.Entities[t.Tail]
			if !fires[key] {
				fires[key] = true
				p.fires = append(p.fires, key)
			}
		}
	}
	return score
}

// query names a relation with the end that is asked for.
func (w *writer) query(relation int32, side int) string {
	return w.links.names.Relations[relation] + " " + ends[side]
}

// key names a level of a cluster.
func (w *writer) key(m *rulemining.Model, side int, cluster int32, level int) string {
	return fmt.Sprintf("%s %d.%d", w.query(m.Relation, side), cluster, level)
}

// body writes the body of a rule about the pair (X, Y).
func (w *writer) body(m *rulemining.Model, e *rulemining.Evidence) string {
	atom := func(s rulemining.Step, from, to string) string {
		r, inverse := s.Relation()
		if inverse {
			from, to = to, from
		}
		return w.predicate[r] + "(" + from + ", " + to + ")"
	}
	property := func(term, other, c string, p rulemining.Property) string {
		s, with := w.graph.Of(p)
		to := "A"
		if with >= 0 {
			to = constant(w.links.names.Entities[with])
		}
		return "(" + other + " == " + c + ") & " + atom(s, term, to)
	}
	name := func(e int32) string { return constant(w.links.names.Entities[e]) }
	switch {
	case e.Path != nil:
		terms := []string{"X", "A", "B", "C", "D", "Y"}
		n := e.Path.Len()
		terms[n] = "Y"
		var parts []string
		for i := range n {
			parts = append(parts, atom(e.Path.Body[i], terms[i], terms[i+1]))
		}
		for i := range n + 1 {
			for j := range i {
				if n > 3 && i-j > 2 && j > 0 && (i < n || j > 1) {
					continue // see rulemining.PathRule
				}
				parts = append(parts, "("+terms[j]+" != "+terms[i]+")")
			}
		}
		return strings.Join(parts, " & ")
	case e.Kind == rulemining.Tail:
		return property("X", "Y", name(e.Rule.Constant), e.Rule.Property)
	case e.Kind == rulemining.Head:
		return property("Y", "X", name(e.Rule.Constant), e.Rule.Property)
	case e.Kind == rulemining.PopularTail:
		return "(Y == " + name(e.Popular) + ")"
	}
	return "(X == " + name(e.Popular) + ")"
}

// writeData writes the tables of the facts and of the parts.
func (w *writer) writeData(parts map[string]*part) error {
	facts := make([][]string, len(w.predicate))
	for _, list := range [2][]rulemining.Triple{w.links.train, w.links.extra} {
		for _, f := range list {
			facts[f.Relation] = append(facts[f.Relation], w.links.names.Entities[f.Head]+"\t"+w.links.names.Entities[f.Tail])
		}
	}
	for i, list := range facts {
		if err := w.table("data/"+w.predicate[i]+".txt", list); err != nil {
			return err
		}
	}
	for name, p := range parts {
		for table, list := range map[string][]string{"asked": p.asked, "fires": p.fires, "truth": p.truth} {
			if err := w.table("data/"+table+"_"+name+".txt", list); err != nil {
				return err
			}
		}
	}
	return w.write("model.json", func(to io.Writer) error {
		out := bufio.NewWriter(to)
		fmt.Fprintln(out, "# Rules found in facts, with their weights: cmd/rules writes this file.")
		fmt.Fprintln(out, "{\n    \"rules\": \"rules.psl\",\n    \"predicates\": {")
		for i, p := range w.predicate {
			if len(facts[i]) > 0 {
				fmt.Fprintf(out, "        %s: {\"observations\": [%s]},\n", jsonText(p+"/2"), jsonText("data/"+p+".txt"))
			}
		}
		files := func(table string) string {
			return fmt.Sprintf(`{"learn": ["data/%s_learn.txt"], "infer": ["data/%s_infer.txt"]}`, table, table)
		}
		fmt.Fprintf(out, "        \"Asked/3\": {\"observations\": %s},\n", files("asked"))
		fmt.Fprintf(out, "        \"Fires/3\": {\"targets\": %s},\n", files("fires"))
		fmt.Fprintf(out, "        \"Found/3\": {\"targets\": %s, \"truth\": %s, \"evaluations\": [\"AUCEvaluator\"]}\n    },\n", files("asked"), files("truth"))
		fmt.Fprintln(out, "    \"options\": {\"duallcqp.regularizationparameter\": 0.001}\n}")
		return out.Flush()
	})
}

// table writes rows, one a line.
func (w *writer) table(name string, rows []string) error {
	return w.write(name, func(to io.Writer) error {
		for _, row := range rows {
			if _, err := io.WriteString(to, row+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeRules writes rules.psl: the rules that hold for a pair that is asked, and their weights.
func (w *writer) writeRules() error {
	return w.write("rules.psl", func(to io.Writer) error {
		out := bufio.NewWriter(to)
		fmt.Fprintln(out, "# Rules found in facts. A cluster K holds rules that conclude the same for the same reason.")
		for _, text := range w.rules.list {
			fmt.Fprintln(out, text)
		}
		fmt.Fprintln(out, "# The levels of a cluster: a rule of a higher level is one of a lower level, too.")
		for _, r := range slices.Sorted(maps.Keys(w.features)) {
			m, side := w.models[r/2], int(r%2)
			for _, x := range slices.Sorted(maps.Keys(w.features[r])) {
				cluster, level := x/int32(len(rulemining.Levels)), int(x)%len(rulemining.Levels)
				positive := m.Positive(side, cluster)
				if i := slices.Index(positive, level); i > 0 {
					fmt.Fprintf(out, "Fires(%s, X, Y) -> Fires(%s, X, Y) .\n", constant(w.key(m, side, cluster, level)), constant(w.key(m, side, cluster, positive[i-1])))
				}
			}
		}
		fmt.Fprintln(out, "# What the clusters are worth.")
		for _, r := range slices.Sorted(maps.Keys(w.features)) {
			m, side := w.models[r/2], int(r%2)
			for _, x := range slices.Sorted(maps.Keys(w.features[r])) {
				cluster, level := x/int32(len(rulemining.Levels)), int(x)%len(rulemining.Levels)
				fmt.Fprintf(out, "%s: Fires(%s, X, Y) -> Found(%s, X, Y)\n", strconv.FormatFloat(m.Weights[side][x], 'g', -1, 64),
					constant(w.key(m, side, cluster, level)), constant(w.query(r/2, side)))
			}
		}
		fmt.Fprintln(out, "# Without evidence a fact is not true. The weight keeps every sum of evidence below 1.")
		fmt.Fprintf(out, "%s: !Found(R, X, Y) ^2\n", strconv.FormatFloat(max(1, w.high), 'g', -1, 64))
		if w.functional {
			w.writeFunctional(out)
		}
		return out.Flush()
	})
}

// writeFunctional writes a hard rule for each relation of which no entity has two tails, or two heads, in the
// facts, if at least 20 entities have one.
func (w *writer) writeFunctional(out io.Writer) {
	fmt.Fprintln(out, "# Relations with at most one tail or head for each entity in all facts.")
	for r := range int32(w.graph.Relations) {
		for side, rule := range [2]string{"Found(%s, X, +Y) <= 1 .\n", "Found(%s, +X, Y) <= 1 .\n"} {
			if w.graph.Functional(rulemining.Forward(r)^rulemining.Step(side), 20) {
				fmt.Fprintf(out, rule, constant(w.query(r, side)))
			}
		}
	}
}
