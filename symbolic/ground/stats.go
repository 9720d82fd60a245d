package ground

import "hinge/symbolic/psl"

// ManyGroundings is the estimate from which a plan carries a warning.
const ManyGroundings = 2e7

// RulePlan describes a rule before it is grounded.
type RulePlan struct {
	// Source is the rule's place, Text the rule.
	Source, Text string
	// Groundings estimates the number of matches of the join: by random walks
	// through it where the rule could be large, else from the sizes of the tables and
	// the number of different constants in their columns.
	Groundings float64
	// Warning is not empty if the rule looks as if it would explode; Hint then names the
	// literal to add.
	Warning, Hint string
}

// RuleStats counts what became of the groundings of a rule.
type RuleStats struct {
	// Rule is the number of the rule, from 0; a rule whose filters hold disjunctions
	// counts once for each combination of them. Rows is the number of rows it gave,
	// Matches the number of matches of its join.
	Rule, Rows, Matches int
	// Dropped groundings: satisfied by an observed atom; without a target;
	// true for all values of their only atom (weighted equalities count each
	// direction); with an atom of opposite signs; with an unspecified atom.
	Satisfied, NoTarget, Trivial, Opposed, Missing int
	// Outputs counts those without a target that have outputs of networks: those of hard rules.
	Outputs int
	// Undefined counts the rows in which a coefficient divides by a number of values |B| that is
	// 0, of a sum that has no atom there: the sum counts as 0.
	Undefined int
	// Pos is the rule's place. Empty explains why the rule has no row, and Hint what to do
	// about it; "" if it has some, or more than MostEmpty rules before it have none.
	Pos         psl.Pos
	Empty, Hint string

	depth int // the most steps of the join that were matched, where none was
}

// add adds the counts of a part of the same rule.
func (s *RuleStats) add(t *RuleStats) {
	s.Rows += t.Rows
	s.Matches += t.Matches
	s.Satisfied += t.Satisfied
	s.NoTarget += t.NoTarget
	s.Outputs += t.Outputs
	s.Trivial += t.Trivial
	s.Opposed += t.Opposed
	s.Missing += t.Missing
	s.Undefined += t.Undefined
	s.depth = max(s.depth, t.depth)
}

func (p *plan) report(db *Database) RulePlan {
	src := p.rule.src
	r := RulePlan{Source: src.Pos.String(), Text: src.String(), Groundings: p.groundings}
	if p.groundings >= ManyGroundings {
		r.Hint = p.advice(db)
		r.Warning = src.ErrorAt(src.Pos, "the rule has very many groundings", "").Error()
		for k, s := range p.steps {
			if k > 0 && len(s.key) == 0 && s.fanout > 1 {
				r.Warning += "; " + p.rule.join[s.atom].text + " shares no variable with the atoms before it"
				break
			}
		}
	}
	return r
}
