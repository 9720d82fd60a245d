package infer

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawnAtom is an atom over variables (A, B, C) or constants ('a' …).
type drawnAtom struct {
	pred string
	args []string
}

func (a drawnAtom) String() string { return a.pred + "(" + strings.Join(a.args, ", ") + ")" }

// drawnLiteral is an atom of a clause, or with a coefficient a term of a sum.
type drawnLiteral struct {
	drawnAtom
	negated bool
	coef    float64
}

// drawnRule is a clause body → head or a sum rel bound.
type drawnRule struct {
	weight     float64 // of a soft rule
	hard       bool
	squared    bool
	body, head []drawnLiteral
	sum        []drawnLiteral
	rel        string
	bound      float64
	differ     bool // A != B
}

func (r *drawnRule) String() string {
	var b strings.Builder
	if !r.hard {
		fmt.Fprintf(&b, "%v: ", r.weight)
	}
	literals := func(ls []drawnLiteral, by string) {
		for i, l := range ls {
			if i > 0 {
				b.WriteString(by)
			}
			if l.negated {
				b.WriteByte('!')
			}
			b.WriteString(l.String())
		}
	}
	if r.sum != nil {
		for i, l := range r.sum {
			if i > 0 {
				b.WriteString(" + ")
			}
			fmt.Fprintf(&b, "%v * %s", l.coef, l)
		}
		fmt.Fprintf(&b, " %s %v", r.rel, r.bound)
	} else {
		literals(r.body, " & ")
		if r.differ {
			b.WriteString(" & A != B")
		}
		if len(r.body) > 0 {
			b.WriteString(" -> ")
		}
		literals(r.head, " | ")
	}
	switch {
	case r.hard:
		b.WriteString(" .")
	case r.squared:
		b.WriteString(" ^2")
	}
	return b.String()
}

// drawn is a model with its data.
type drawn struct {
	rules     []*drawnRule
	constants []string
	observed  map[string]float64 // by the text of the ground atom
	targets   []string
}

// drawModel draws a model. Of the predicates P/1 and F/2 are observed, T/1 and U/2
// open: all their atoms are there.
func drawModel(rng *rand.Rand) *drawn {
	d := &drawn{constants: []string{"a", "b", "c"}[:2+rng.IntN(2)], observed: map[string]float64{}}
	value := func() float64 { return []float64{0, 1, 1, 0.25, 0.75, 0.5}[rng.IntN(6)] }
	for _, x := range d.constants {
		if rng.IntN(4) > 0 {
			d.observed["P("+x+")"] = value()
		}
		d.openAtom(rng, "T("+x+")", value)
		for _, y := range d.constants {
			if rng.IntN(2) == 0 {
				d.observed["F("+x+", "+y+")"] = value()
			}
			if len(d.constants) == 2 {
				d.openAtom(rng, "U("+x+", "+y+")", value)
			}
		}
	}
	if len(d.targets) == 0 {
		delete(d.observed, "T(a)")
		d.targets = append(d.targets, "T(a)")
	}
	for range 1 + rng.IntN(4) {
		r := d.drawRule(rng)
		if n := len(d.rules); n > 0 && r.hard && r.sum != nil && r.sum[0].coef < 0 && !d.rules[n-1].hard && !d.rules[n-1].squared {
			r.sum[0].coef = 1 // in a file a minus would go on with the rule before
		}
		d.rules = append(d.rules, r)
	}
	return d
}

func (d *drawn) openAtom(rng *rand.Rand, atom string, value func() float64) {
	if rng.IntN(4) == 0 {
		d.observed[atom] = value()
	} else {
		d.targets = append(d.targets, atom)
	}
}

func (d *drawn) drawAtom(rng *rand.Rand, vars []string, preds ...string) drawnAtom {
	if len(d.constants) == 3 {
		preds = slices.DeleteFunc(slices.Clone(preds), func(p string) bool { return p == "U" })
	}
	a := drawnAtom{pred: preds[rng.IntN(len(preds))]}
	for range map[string]int{"P": 1, "T": 1, "F": 2, "U": 2}[a.pred] {
		arg := vars[rng.IntN(len(vars))]
		if rng.IntN(12) == 0 {
			arg = "'" + d.constants[rng.IntN(len(d.constants))] + "'"
		}
		a.args = append(a.args, arg)
	}
	return a
}

func (d *drawn) drawRule(rng *rand.Rand) *drawnRule {
	r := &drawnRule{weight: []float64{0.5, 1, 2, 3, 0.1}[rng.IntN(5)], squared: rng.IntN(2) == 0, hard: rng.IntN(6) == 0}
	if r.hard {
		r.squared = false
	}
	vars := []string{"A", "B", "C"}[:1+rng.IntN(3)]
	if rng.IntN(3) == 0 {
		r.rel = []string{"<=", ">=", "="}[rng.IntN(3)]
		r.bound = []float64{0, 0.5, 1, 0.75, -0.25}[rng.IntN(5)]
		for range 1 + rng.IntN(3) {
			r.sum = append(r.sum, drawnLiteral{drawnAtom: d.drawAtom(rng, vars, "T", "U", "T", "P", "F"), coef: []float64{1, -1, 2, 0.5, 0}[rng.IntN(5)]})
		}
		return r
	}
	for range rng.IntN(3) {
		r.body = append(r.body, drawnLiteral{drawnAtom: d.drawAtom(rng, vars, "P", "F", "T", "U"), negated: rng.IntN(5) == 0})
	}
	for range 1 + rng.IntN(2) {
		r.head = append(r.head, drawnLiteral{drawnAtom: d.drawAtom(rng, vars, "T", "U", "T"), negated: rng.IntN(3) == 0})
	}
	r.differ = len(r.body) > 0 && len(vars) > 1 && rng.IntN(3) == 0
	// Every variable stands in an atom that finds groundings.
	var free []string
	if r.differ {
		free = []string{"A", "B"}
	}
	for i, l := range append(slices.Clone(r.body), r.head...) {
		for _, v := range l.args {
			if v[0] != '\'' && l.negated == (i < len(r.body)) {
				free = append(free, v)
			}
		}
	}
	for i, l := range append(slices.Clone(r.body), r.head...) {
		if l.negated != (i < len(r.body)) {
			free = slices.DeleteFunc(free, func(v string) bool { return slices.Contains(l.args, v) })
		}
	}
	slices.Sort(free)
	for _, v := range slices.Compact(free) {
		r.body = append(r.body, drawnLiteral{drawnAtom: drawnAtom{"P", []string{v}}})
	}
	return r
}

// write writes the model: rules and data in it, or in files of their own.
func (d *drawn) write(t testing.TB, dir string, rng *rand.Rand) string {
	t.Helper()
	if old, _ := os.ReadDir(dir); len(old) > 1 {
		for _, f := range old {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
	file := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	var rules []string
	for _, r := range d.rules {
		rules = append(rules, r.String())
	}
	source := `["` + strings.Join(rules, "\",\n\"") + `"]`
	if rng.IntN(2) == 0 {
		file("rules.psl", strings.Join(rules, "\n")+"\n")
		source = `"rules.psl"`
	}
	var predicates []string
	inline := rng.IntN(5) > 0
	for _, p := range []string{"P/1", "F/2", "T/1", "U/2"} {
		var observed, targets []string
		row := func(atom string) string {
			inner := atom[2 : len(atom)-1]
			return strings.ReplaceAll(inner, ", ", "\t")
		}
		for atom, v := range d.observed {
			if atom[0] == p[0] {
				observed = append(observed, row(atom)+"\t"+strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		slices.Sort(observed)
		for _, atom := range d.targets {
			if atom[0] == p[0] {
				targets = append(targets, row(atom))
			}
		}
		if inline {
			rows := func(list []string) string {
				for i, r := range list {
					list[i] = `["` + strings.ReplaceAll(r, "\t", `", "`) + `"]`
				}
				return "[" + strings.Join(list, ", ") + "]"
			}
			predicates = append(predicates, fmt.Sprintf(`"%s": {"observations": %s, "targets": %s}`, p, rows(observed), rows(targets)))
			continue
		}
		file(p[:1]+"o.txt", strings.Join(observed, "\n"))
		file(p[:1]+"t.txt", strings.Join(targets, "\n"))
		predicates = append(predicates, fmt.Sprintf(`"%s": {"observations": ["%[2]so.txt"], "targets": ["%[2]st.txt"]}`, p, p[:1]))
	}
	file("model.json", `{"rules": `+source+`, "predicates": {`+strings.Join(predicates, ", ")+`}, "options": {"inference.normalize": false}}`)
	return filepath.Join(dir, "model.json")
}
