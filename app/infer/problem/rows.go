package problem

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hinge/app/cli"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/psl"
	"hinge/train/exit"
)

// Infeasible names the rules of a certificate that contradict each other (infer.Irreducible) after checking it.
func (p *Problem) Infeasible(c *infer.Certificate) error {
	if c == nil || !(c.Margin(p.Instance) > 0) {
		return fmt.Errorf("the solver calls the model infeasible, but its proof is wrong")
	}
	var rules []string
	rows := infer.Irreducible(p.Instance, c)
	for _, row := range rows {
		rule := p.RuleOf(row)
		text := rule.Source + ": " + rule.Text
		if !slices.Contains(rules, text) {
			rules = append(rules, text)
		}
	}
	return cli.WithCode(exit.Infeasible, fmt.Sprintf("the model is infeasible: no values satisfy %s of the hard rules\n    %s\n    one of them: %s\n"+
		"    hint: give one of them a weight, or make all hard rules soft with -D inference.relax=true",
		psl.Count(len(rows), "grounding"), strings.Join(rules, "\n    "), p.ConstraintText(int(rows[0]))))
}

// RuleOf is the rule of a row.
func (p *Problem) RuleOf(k int32) *hlmrf.Rule {
	rule, _, _ := p.Program.RowAt(int(k))
	return rule
}

// ConstraintText prints a ground constraint with the names of its atoms.
func (p *Problem) ConstraintText(k int) string {
	rows := &p.Program.Constraints
	return fmt.Sprintf("%s %s %v", p.RowText(rows, k, 0), p.Program.Relations[k], 0-rows.Const[k])
}

// RowText prints a constant and a row with the names of its atoms. Atoms of networks have
// their values beside them.
func (p *Problem) RowText(rows *hlmrf.Rows, k int, constant float64) string {
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
	col, val := rows.Row(k)
	deep, deepVal := rows.DeepRow(k)
	if constant != 0 || len(col)+len(deep) == 0 {
		term(constant, strconv.FormatFloat(math.Abs(constant), 'g', 6, 64))
	}
	for i, c := range deep {
		term(deepVal[i], fmt.Sprintf("%s%s[%.4g]", coefficient(deepVal[i]), p.Program.Deep[c], p.Outputs[c]))
	}
	for i, c := range col {
		term(val[i], coefficient(val[i])+p.Program.Targets[c])
	}
	return b.String()
}

// coefficient prints the size of a factor.
func coefficient(v float64) string {
	if v = math.Abs(v); v == 1 {
		return ""
	}
	return fmt.Sprintf("%v·", v)
}
