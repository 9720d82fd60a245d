package rulemining

import "strings"

// MaxLength is the largest number of atoms in a rule's body.
const MaxLength = 5

// PathRule is a rule without constants for a relation r:
//
//	r(X, Y) ← s₁(X, A), s₂(A, B), s₃(B, Y)
//
// Variables stand for different entities; in bodies of four or five atoms this is so for X and any
// other variable, for Y and A, and for variables at most two steps apart; that Y is not A is not seen where
// paths with different A meet before Y, which makes counts a little high. Where heads are asked for, the same is so from Y. Steps that are not used are −1. Support and Known
// are counts of the sample of entities X that have a fact of r: Known is the number of pairs
// (X, Y) for which the body holds, Support the number of those that are facts of r. A body of no steps holds where
// X and Y are the same.
type PathRule struct {
	Body           [MaxLength]Step
	Support, Known int32
	// Graded are the counts of the grades for tails asked and for heads asked, or nil (see Grade).
	Graded [2][]Counts
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
//	r(X, Constant) ← Property(X)      in RuleSet.Constants[0]
//	r(Constant, Y) ← Property(Y)      in RuleSet.Constants[1]
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
	Paths     []PathRule
	Constants [2][]ConstantRule // with a constant as tail and as head
}

// penalty is added to the number of known pairs in confidences, which keeps rules with few examples low.
const penalty = 5

// Confidence estimates the probability that a rule is right where its body holds:
// support/(known + 5). Entities that have no fact of the relation do not count as known (open world).
func Confidence(support, known int32) float64 {
	return float64(support) / (float64(known) + penalty)
}

// The variables of a rule's head stand in its atoms for entities. Those of the body follow downwards.
const (
	X int32 = -1
	Y int32 = -2
)

// Atom returns the fact, or the atom of a rule, that a step leads along between two entities or variables.
func Atom(s Step, from, to int32) Triple {
	r, inverse := s.Relation()
	if inverse {
		from, to = to, from
	}
	return Triple{from, r, to}
}

// atoms returns the body of a path rule.
func (p *PathRule) atoms() []Triple {
	body, at := make([]Triple, p.Len()), X
	for i := range body {
		next := Y - 1 - int32(i)
		if i == len(body)-1 {
			next = Y
		}
		body[i] = Atom(p.Body[i], at, next)
		at = next
	}
	return body
}

// Names gives numbers their texts.
type Names struct{ Entities, Relations []string }

// Term writes an entity or a variable.
func (n *Names) Term(t int32) string {
	if t < 0 {
		return "XYABCD"[-1-t : -t]
	}
	return n.Entities[t]
}

// Atoms writes facts, or atoms of a rule, with a text between them.
func (n *Names) Atoms(between string, list ...Triple) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = n.Relations[a.Relation] + "(" + n.Term(a.Head) + ", " + n.Term(a.Tail) + ")"
	}
	return strings.Join(texts, between)
}
