package rulemining

import (
	"strings"
)

// MaxLength is the largest number of atoms in a rule's body.
const MaxLength = 5

// PathRule is a rule without constants for a relation r:
//
//	r(X, Y) ← s₁(X, A), s₂(A, B), s₃(B, Y)
//
// Variables stand for different entities; in bodies of four or five atoms this is so for X and any
// other variable, for Y and A, and for variables at most two steps apart; that Y is not A is not seen where
// paths with different A meet before Y, which makes counts a little high. Steps that are not used are −1. Support and Known
// are counts of the sample of entities X that have a fact of r: Known is the number of pairs
// (X, Y) for which the body holds, Support the number of those that are facts of r.
type PathRule struct {
	Body           [MaxLength]Step
	Support, Known int32
}

var noSteps = [MaxLength]Step{-1, -1, -1, -1, -1}

// Len returns the number of atoms of the body.
func (p *PathRule) Len() int {
	n := 0
	for n < MaxLength && p.Body[n] >= 0 {
		n++
	}
	return n
}

// ConstantRule is a rule that names an entity in the head:
//
//	r(X, Constant) ← Property(X)      in RuleSet.Tails
//	r(Constant, Y) ← Property(Y)      in RuleSet.Heads
//
// Known is the number of entities that have the property and some fact of r on the side of the
// variable; Support is the number of those that have the fact of the head.
type ConstantRule struct {
	Constant       int32
	Property       Property
	Support, Known int32
}

// RuleSet holds the rules found for one relation.
type RuleSet struct {
	Paths        []PathRule
	Tails, Heads []ConstantRule
}

// Confidence estimates the probability that a rule is right where its body holds:
// support/(known + penalty). Entities that have no fact of the relation do not count as known
// (open world), and the penalty keeps rules with few examples low (pessimism).
func Confidence(support, known int32, penalty float64) float64 {
	return float64(support) / (float64(known) + penalty)
}

var variables = [...]string{"X", "A", "B", "C", "D", "Y"}

// Names gives numbers their texts.
type Names struct{ Entities, Relations []string }

// atom writes the fact by step s between two terms, in the order of the relation's arguments.
func (n *Names) atom(s Step, from, to string) string {
	r, inverse := s.Relation()
	if inverse {
		from, to = to, from
	}
	return n.Relations[r] + "(" + from + ", " + to + ")"
}

// Path writes a rule of a relation.
func (n *Names) Path(relation int32, p *PathRule) string {
	var body []string
	length := p.Len()
	for i := range length {
		to := variables[i+1]
		if i == length-1 {
			to = "Y"
		}
		body = append(body, n.atom(p.Body[i], variables[i], to))
	}
	return n.atom(Forward(relation), "X", "Y") + " ← " + strings.Join(body, ", ")
}

// Tail writes a rule of RuleSet.Tails, Head one of RuleSet.Heads.
func (n *Names) Tail(g *Graph, relation int32, c *ConstantRule) string {
	return n.atom(Forward(relation), "X", n.Entities[c.Constant]) + " ← " + n.Property(g, c.Property, "X")
}

// Head writes a rule of RuleSet.Heads.
func (n *Names) Head(g *Graph, relation int32, c *ConstantRule) string {
	return n.atom(Forward(relation), n.Entities[c.Constant], "Y") + " ← " + n.Property(g, c.Property, "Y")
}

// Property writes a property of a term.
func (n *Names) Property(g *Graph, p Property, term string) string {
	s, with := g.Of(p)
	if with < 0 {
		return n.atom(s, term, "A")
	}
	return n.atom(s, term, n.Entities[with])
}
