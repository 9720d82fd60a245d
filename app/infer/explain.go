package infer

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hinge/app/cli"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
)

// explanation says why a target has its value. At the optimum the forces of its
// ground rules, that of its bound and that of the regularisation, -2ε·value, add
// up to 0.
type explanation struct {
	Atom  string  `json:"atom"`
	Value float64 `json:"value"`
	// Up and Down are the sums of the forces, Bound is that of the bound 0 (> 0) or
	// 1 (< 0) that holds it.
	Up    float64 `json:"up"`
	Down  float64 `json:"down"`
	Bound float64 `json:"bound"`
	// Held tells that the atom is integer: with the other integer atoms as they are, the
	// forces and Bound push, and the other value was found to be no better.
	Held bool `json:"held,omitempty"`
	// Idle counts the ground rules with the atom that are satisfied and push
	// nowhere, Forces are the others, the strongest first.
	Idle   int     `json:"idle"`
	Forces []force `json:"forces"`
	// Rules says what the atom would be without the rules that push in its
	// component.
	Rules []dropped `json:"rules"`
}

// force is what a ground rule does to an atom: -μ·a with the dual μ of its row and
// the atom's coefficient a.
type force struct {
	Force float64 `json:"force"`
	// Without says what the atom would be without the ground rule.
	Without span `json:"without"`
	groundRule
}

// groundRule is a row of the ground program at the solution.
type groundRule struct {
	Place string `json:"place"`
	Rule  string `json:"rule"`
	// Weight is null for hard rules.
	Weight *float64 `json:"weight"`
	// Ground is the row, Distance by how much it is broken and Energy what that
	// costs.
	Ground   string  `json:"ground"`
	Distance float64 `json:"distance"`
	Energy   float64 `json:"energy"`
}

// explainAll explains the atoms of -explain.
func (j *job) explainAll() error {
	var drop *lcqp.Drop
	for _, at := range j.asked {
		if drop == nil {
			drop = lcqp.NewDrop(j.instance, &j.result.Solution)
		}
		e, rows := j.explainTarget(at)
		if err := j.whatIf(&e, drop, at, rows); err != nil {
			return err
		}
		j.explained = append(j.explained, e)
	}
	if j.top > 0 {
		j.worst = j.mostBroken(j.top)
	}
	return nil
}

// findAsked finds the atoms of -explain: a slip shows before the solve.
func (j *job) findAsked() error {
	for _, text := range j.explain {
		at, err := j.atom(text)
		if err != nil {
			return err
		}
		j.asked = append(j.asked, at)
	}
	return nil
}

// atom finds the target that a text such as Trusts(bob, 'ann') names.
func (j *job) atom(text string) (int, error) {
	name, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	inner, closed := strings.CutSuffix(rest, ")")
	if !ok || !closed {
		return 0, cli.Usage("-explain %q is no atom such as Trusts(bob, ann)", text)
	}
	args := strings.Split(inner, ",")
	for i, a := range args {
		a = strings.TrimSpace(a)
		if n := len(a); n > 1 && (a[0] == '\'' || a[0] == '"') && a[n-1] == a[0] {
			a = a[1 : n-1]
		}
		args[i] = a
	}
	name = strings.TrimSpace(name)
	if i, ok := j.m.Data.TargetIndex(name, args...); ok {
		return i, nil
	}
	if v, ok := j.m.Data.Observation(name, args...); ok {
		return 0, cli.Usage("-explain: %s is observed as %v, not inferred", text, v)
	}
	hint := ""
	if near := psl.Nearest(name+"("+strings.Join(args, ",")+")", j.program.Targets[:min(len(j.program.Targets), 1e5)]); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return 0, cli.Usage("-explain: %s is no target%s", text, hint)
}

// explainTarget collects the forces on a target, and the rows that they are of.
func (j *job) explainTarget(target int) (explanation, []int32) {
	in := j.instance
	b := lcqp.Forces(in, &j.result.Solution, target)
	e := explanation{Atom: j.program.Targets[target], Value: j.result.Y[target],
		Up: b.Up, Down: b.Down, Bound: b.Bound, Idle: b.Idle, Forces: []force{}, Rules: []dropped{}}
	e.Held = j.found != nil && in.Lower[target] == in.Upper[target]
	rows := make([]int32, len(b.Forces))
	for i, f := range b.Forces {
		rows[i] = f.Row
		e.Forces = append(e.Forces, force{Force: f.Force, groundRule: j.groundRule(int(f.Row))})
	}
	return e, rows
}

// groundRule describes a row.
func (j *job) groundRule(k int) groundRule {
	if q := j.instance.Constraints; k >= q {
		return j.potential(k - q)
	}
	return j.constraint(k)
}

// constraint describes a ground hard rule.
func (j *job) constraint(k int) groundRule {
	p := j.program
	rule := p.HardRules[p.ConstraintRule[k]]
	d := p.Constraints.At(k, j.result.Y, j.outputs)
	if p.Relations[k] == hlmrf.Equal {
		d = math.Abs(d)
	}
	return groundRule{Place: rule.Source, Rule: rule.Text, Ground: j.row(k), Distance: max(d, 0)}
}

// potential describes a ground soft rule.
func (j *job) potential(k int) groundRule {
	p := j.program
	rule := &p.Rules[p.PotentialRule[k]]
	w := j.instance.Weights[p.PotentialRule[k]]
	d := max(p.Potentials.At(k, j.result.Y, j.outputs), 0)
	energy, power := w*d, ""
	if rule.Squared {
		energy, power = w*d*d, "²"
	}
	return groundRule{Place: rule.Source, Rule: rule.Text, Weight: &w, Distance: d, Energy: energy,
		Ground: "max(0, " + j.linear(&p.Potentials, k) + ")" + power}
}

// mostBroken lists the n soft ground rules that cost most.
func (j *job) mostBroken(n int) []groundRule {
	type cost struct {
		k      int
		energy float64
	}
	var costs []cost
	p := j.program
	for k, rule := range p.PotentialRule {
		d := p.Potentials.At(k, j.result.Y, j.outputs)
		if d <= 1e-9 {
			continue
		}
		e := j.instance.Weights[rule] * d
		if p.Rules[rule].Squared {
			e *= d
		}
		costs = append(costs, cost{k, e})
	}
	slices.SortStableFunc(costs, func(a, b cost) int { return cmp.Compare(b.energy, a.energy) })
	list := []groundRule{}
	for _, c := range costs[:min(n, len(costs))] {
		list = append(list, j.potential(c.k))
	}
	return list
}

// linear prints a row with the names of its atoms, and the values of those that
// networks give.
func (j *job) linear(rows *hlmrf.Rows, k int) string {
	col, val := rows.Row(k)
	var b strings.Builder
	term := func(v float64, text string) {
		switch {
		case b.Len() > 0 && v < 0:
			b.WriteString(" - ")
		case b.Len() > 0:
			b.WriteString(" + ")
		case v < 0:
			b.WriteString("-")
		}
		b.WriteString(text)
	}
	deep, deepVal := rows.DeepRow(k)
	if c := rows.Const[k]; c != 0 || len(col)+len(deep) == 0 {
		term(c, strconv.FormatFloat(math.Abs(c), 'g', 6, 64))
	}
	for i, c := range deep {
		term(deepVal[i], fmt.Sprintf("%s%s[%.4g]", coefficient(math.Abs(deepVal[i])), j.program.Deep[c], j.outputs[c]))
	}
	for i, c := range col {
		term(val[i], coefficient(math.Abs(val[i]))+j.program.Targets[c])
	}
	return b.String()
}

// mostForces is the number of forces that the summary shows.
const mostForces = 10

// writeExplained prints the explanations for people.
func (j *job) writeExplained(w io.Writer) {
	for _, e := range j.explained {
		fmt.Fprintf(w, "explain    %s = %.4f: pushed up by %.4g, down by %.4g", e.Atom, e.Value, e.Up, 0-e.Down)
		switch {
		case e.Held:
			fmt.Fprintln(w, "; it has to be 0 or 1, and the search has chosen")
		case e.Bound > 1e-9:
			fmt.Fprintf(w, "; it stays at 0 until the push up grows by %.4g\n", e.Bound)
		case e.Bound < -1e-9:
			fmt.Fprintf(w, "; it stays at 1 until the push down grows by %.4g\n", -e.Bound)
		case len(e.Forces) == 0:
			fmt.Fprintln(w, "; no rule pushes it, all are satisfied")
		default:
			fmt.Fprintln(w, "; the two balance: every change of a weight or of an atom below moves it")
		}
		for _, f := range e.Forces[:min(len(e.Forces), mostForces)] {
			fmt.Fprintf(w, "%+11.4g   %s: %s", f.Force, f.Place, f.Ground)
			if text := f.Without.String(); text != "" {
				fmt.Fprintf(w, "; without it %s", text)
			}
			fmt.Fprintln(w)
		}
		if n := len(e.Forces) - mostForces; n > 0 {
			fmt.Fprintf(w, "              and %d weaker\n", n)
		}
		if e.Idle > 0 {
			fmt.Fprintf(w, "              %s satisfied with room to spare\n", count(e.Idle, "ground rule"))
		}
		e.writeWithout(w)
	}
	if j.top > 0 {
		fmt.Fprintf(w, "top        the soft ground rules that cost most\n")
		for _, g := range j.worst {
			fmt.Fprintf(w, "%11.4g   %s: %v · %s\n", g.Energy, g.Place, *g.Weight, g.Ground)
		}
	}
}

// writeGroundRules writes all ground rules, a line each: weight or "hard", row,
// distance, place, separated by tabs.
func (j *job) writeGroundRules() error {
	if j.groundRules == "" {
		return nil
	}
	err := writeFile(filepath.Clean(j.groundRules), func(w *bufio.Writer) error {
		for k := range j.instance.Rows() {
			g, weight := j.groundRule(k), "hard"
			if g.Weight != nil {
				weight = fmt.Sprint(*g.Weight)
			}
			if _, err := fmt.Fprintf(w, "%s\t%s\t%.6g\t%s\n", weight, g.Ground, g.Distance, g.Place); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return cli.Usage("-groundrules: %v", err)
	}
	return nil
}
