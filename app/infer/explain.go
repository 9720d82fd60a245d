package infer

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
)

// explanation lists the forces on a target. At the optimum three parts add up to 0: the forces
// of its ground rules, the force of its bound, and the force of the regularisation, -2ε·value.
type explanation struct {
	Atom  string  `json:"atom"`
	Value float64 `json:"value"`
	// Up and Down are the sums of the forces. Bound is the force of the bound that holds the
	// atom: above 0 for the bound 0, below 0 for the bound 1.
	Up    float64 `json:"up"`
	Down  float64 `json:"down"`
	Bound float64 `json:"bound"`
	// Held means that the atom is integer, and that the search has found its other value to
	// be no better. The forces and Bound hold for the values of the other integer atoms.
	Held bool `json:"held,omitempty"`
	// Idle counts the ground rules with the atom that exert no force: they are satisfied, or weigh nothing.
	// Forces are the other ground rules, the strongest first.
	Idle   int     `json:"idle"`
	Forces []force `json:"forces"`
	// Rules are the atom's values without each of the rules that push in its component.
	Rules []dropped `json:"rules"`
}

// force is the force of a ground rule on an atom: -μ·a with the dual μ of its row and the
// atom's coefficient a.
type force struct {
	Force float64 `json:"force"`
	// Without is the atom's value without the ground rule; null for weak forces, and where the
	// component is too large to infer it again so often, or a signal came.
	Without *float64 `json:"without"`
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

// explained is the result of the stage explain: the answers to -explain and -top.
type explained struct {
	atoms []explanation
	top   []groundRule
}

// explain explains the given targets, and lists the soft ground rules that cost most. What is not
// yet inferred again when ctx ends stays unknown.
func (s *solution) explain(ctx context.Context, targets []int, top int) (e explained, err error) {
	for _, target := range targets {
		a, rows := s.explainTarget(target)
		if err := s.whatIf(ctx, &a, target, rows); err != nil {
			return e, err
		}
		e.atoms = append(e.atoms, a)
	}
	if top > 0 {
		e.top = s.mostBroken(top)
	}
	return e, nil
}

// findTargets finds the atoms of -explain: a slip shows before the solve.
func findTargets(p *problem.Problem, atoms []string) (targets []int, err error) {
	for _, text := range atoms {
		at, err := findTarget(p, text)
		if err != nil {
			return nil, err
		}
		targets = append(targets, at)
	}
	return targets, nil
}

// findTarget finds the target that a text such as Trusts(bob, 'ann') names.
func findTarget(p *problem.Problem, text string) (int, error) {
	name, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	inner, closed := strings.CutSuffix(rest, ")")
	if !ok || !closed {
		return 0, cli.Usage("-explain %q is no atom such as Trusts(bob, ann)", text)
	}
	args := arguments(inner)
	name = strings.TrimSpace(name)
	if i, ok := p.Data.TargetIndex(name, args...); ok {
		return i, nil
	}
	if v, ok := p.Data.Observation(name, args...); ok {
		return 0, cli.Usage("-explain: %s is observed as %v, not inferred", text, v)
	}
	var known []string
	for _, q := range p.Predicates {
		for a := range p.Data.Atoms(q.Name, ground.Target) {
			if len(known) == 1e5 {
				break
			}
			known = append(known, written(q.Name, a.Args))
		}
	}
	return 0, cli.Usage("-explain: %s is no target%s", text, cli.DidYouMean(written(name, args), "", known))
}

// written is an atom as findTarget reads it: constants with commas, quotes or spaces around them are quoted.
func written(name string, args []string) string {
	args = slices.Clone(args)
	for i, a := range args {
		quote := "'"
		if strings.Contains(a, quote) {
			quote = `"`
		}
		if read := arguments(a); len(read) != 1 || read[0] != a {
			args[i] = quote + a + quote
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// arguments divides a text at the commas outside quotes, and takes quotes away. A quote that does not begin an
// argument is part of the constant.
func arguments(text string) (args []string) {
	start, quote := 0, byte(0)
	for i := range len(text) + 1 {
		switch {
		case i == len(text) || quote == 0 && text[i] == ',':
			a := strings.TrimSpace(text[start:i])
			if n := len(a); n > 1 && (a[0] == '\'' || a[0] == '"') && a[n-1] == a[0] {
				a = a[1 : n-1]
			}
			args, start = append(args, a), i+1
		case quote == 0 && (text[i] == '\'' || text[i] == '"') && strings.TrimSpace(text[start:i]) == "":
			quote = text[i]
		case quote == text[i]:
			quote = 0
		}
	}
	return args
}

// explainTarget collects the forces on a target, and the rows that exert them.
func (s *solution) explainTarget(target int) (explanation, []int32) {
	b := lcqp.Forces(s.Instance, &s.Solution, target)
	e := explanation{Atom: s.Program.Targets[target], Value: evaluate.Value(s.Y[target]),
		Up: b.Up, Down: b.Down, Bound: b.Bound, Idle: b.Idle, Forces: []force{}, Rules: []dropped{}}
	e.Held = s.integer != nil && s.Instance.Lower[target] == s.Instance.Upper[target]
	rows := make([]int32, len(b.Forces))
	for i, f := range b.Forces {
		rows[i] = f.Row
		e.Forces = append(e.Forces, force{Force: f.Force, groundRule: s.groundRule(int(f.Row))})
	}
	return e, rows
}

// groundRule describes a row.
func (s *solution) groundRule(k int) groundRule {
	rule, rows, at := s.Program.RowAt(k)
	g := groundRule{Place: rule.Source, Rule: rule.Text}
	if k < s.Instance.Constraints {
		g.Ground, g.Distance = s.ConstraintText(k), max(s.Program.Excess(k, s.Y, s.Outputs), 0)
		return g
	}
	w := s.Instance.Weights[s.Program.PotentialRule[at]]
	g.Weight, g.Distance, g.Ground = &w, max(rows.At(at, s.Y, s.Outputs), 0), "max(0, "+s.RowText(rows, at, rows.Const[at])+")"
	g.Energy = w * g.Distance
	if rule.Squared {
		g.Energy *= g.Distance
		g.Ground += "²"
	}
	return g
}

// mostBroken lists the n soft ground rules that cost most.
func (s *solution) mostBroken(n int) []groundRule {
	type cost struct {
		k      int
		energy float64
	}
	var costs []cost
	for k, rule := range s.Program.PotentialRule {
		d := s.Program.Potentials.At(k, s.Y, s.Outputs)
		if d <= 1e-9 {
			continue
		}
		e := s.Instance.Weights[rule] * d
		if s.Program.Rules[rule].Squared {
			e *= d
		}
		costs = append(costs, cost{s.Instance.Constraints + k, e})
	}
	slices.SortStableFunc(costs, func(a, b cost) int { return cmp.Compare(b.energy, a.energy) })
	list := []groundRule{}
	for _, c := range costs[:min(n, len(costs))] {
		list = append(list, s.groundRule(c.k))
	}
	return list
}

// mostForces is the number of forces that the summary shows.
const mostForces = 10

// write prints the explanations for people.
func (x *explained) write(w io.Writer) {
	for _, e := range x.atoms {
		fmt.Fprintf(w, "explain    %s = %.6f: pushed up by %.4g, down by %.4g", e.Atom, e.Value, e.Up, 0-e.Down)
		switch {
		case e.Held:
			fmt.Fprintln(w, "; it has to be 0 or 1, and the search has chosen")
		case e.Bound > 1e-9:
			fmt.Fprintf(w, "; it stays at 0 while the push up grows by less than %.4g\n", e.Bound)
		case e.Bound < -1e-9:
			fmt.Fprintf(w, "; it stays at 1 while the push down grows by less than %.4g\n", -e.Bound)
		case len(e.Forces) == 0:
			fmt.Fprintln(w, "; no rule pushes it")
		default:
			fmt.Fprintln(w, "; the two balance")
		}
		for _, f := range e.Forces[:min(len(e.Forces), mostForces)] {
			fmt.Fprintf(w, "%+11.4g   %s (%s): %s", f.Force, f.Rule, f.Place, f.Ground)
			if f.Without != nil {
				fmt.Fprintf(w, "; without it %.4f", *f.Without)
			}
			fmt.Fprintln(w)
		}
		if n := len(e.Forces) - mostForces; n > 0 {
			fmt.Fprintf(w, "              and %d weaker\n", n)
		}
		if e.Idle > 0 {
			fmt.Fprintf(w, "              %s without a force on it\n", psl.Count(e.Idle, "ground rule"))
		}
		e.writeWithout(w)
	}
	if x.top != nil {
		fmt.Fprintf(w, "top        the soft ground rules that cost most\n")
		for _, g := range x.top {
			fmt.Fprintf(w, "%11.4g   %s (%s): %v · %s\n", g.Energy, g.Rule, g.Place, *g.Weight, g.Ground)
		}
	}
}

// groundRow is a ground rule for programs. It asks for the sum of Coefficients times Atoms to
// stand in the relation Operator to Constant; observed atoms and outputs of networks are part of
// Constant.
type groundRow struct {
	groundRule
	Operator     string      `json:"operator"`
	Constant     float64     `json:"constant"`
	Atoms        []atomValue `json:"atoms"`
	Coefficients []float64   `json:"coefficients"`
}

// groundRow describes a row with its numbers.
func (s *solution) groundRow(k int) groundRow {
	g := groundRow{groundRule: s.groundRule(k), Operator: hlmrf.LessEqual.String(), Atoms: []atomValue{}, Coefficients: []float64{}}
	if k < s.Instance.Constraints {
		g.Operator = s.Program.Relations[k].String()
	}
	_, rows, at := s.Program.RowAt(k)
	col, val := rows.Row(at)
	deep, deepVal := rows.DeepRow(at)
	g.Constant = 0 - rows.Const[at]
	for i, c := range deep {
		g.Constant -= deepVal[i] * s.Outputs[c]
	}
	for i, c := range col {
		name, args := s.Data.TargetAtom(int(c))
		g.Atoms, g.Coefficients = append(g.Atoms, atomValue{name, args, evaluate.Value(s.Y[c])}), append(g.Coefficients, val[i])
	}
	return g
}

// writeGroundRules writes all ground rules, a line each: weight or "hard", row, distance and
// place, separated by tabs, or JSON where the name of the file ends in .jsonl.
func (s *solution) writeGroundRules(path string) error {
	if path == "" {
		return nil
	}
	err := facts.WriteFile(filepath.Clean(path), func(w *bufio.Writer) error {
		lines := json.NewEncoder(w)
		lines.SetEscapeHTML(false)
		for k := range s.Instance.Rows() {
			if filepath.Ext(path) == ".jsonl" {
				if err := lines.Encode(s.groundRow(k)); err != nil {
					return err
				}
				continue
			}
			g, weight := s.groundRule(k), "hard"
			if g.Weight != nil {
				weight = fmt.Sprint(*g.Weight)
			}
			if _, err := fmt.Fprintf(w, "%s\t%s\t%.6g\t%s\n", weight, cli.OneField.Replace(g.Ground), g.Distance, g.Place); err != nil {
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

// atomValue is an inferred value.
type atomValue struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     float64  `json:"value"`
}
