package problem

import (
	"sync"

	"hinge/symbolic/lcqp"
)

// Reduction says how far presolve goes.
type Reduction uint8

const (
	ReduceFixed  Reduction = iota // only targets with Lower = Upper go
	ReduceChains                  // hard equalities fix targets, idle rows go
	ReduceMerged                  // hard equalities merge pairs of targets
)

// Layout is what presolve knows of a component from its pattern and the set of
// its fixed targets: which targets hard equalities fix or merge, and the
// distinct left-hand sides of the rows over what is left. It serves all
// components and instances with that pattern, whatever their values are, and
// does not change once made.
//
// Targets and rows are numbered within the component. A target is
//
//	y_t = scale_t · x_place(t) + shift_t
//
// with x the targets that are left; shift depends on values. Fixed targets have
// place −1 and their value as shift.
type Layout struct {
	level Reduction
	fixed []bool

	place []int32
	scale []float64
	Free  int // targets left
	// chain are the rows that fixed a target, in order; tree those that merged
	// one, parents first.
	chain []link
	tree  []link
	// Entries of targets that are fixed or merged, by row; movedPtr has rows + 1
	// entries, or none where there are none to count.
	moved        []movedEntry
	movedPtr     []int32
	movedTargets []int32 // that are fixed or merged or have another merged with them
	Forms        *Forms
	// Members: the rows left, first the rows of a single target, target by target, then the
	// rows of each form. MemberPtr has Free + forms + 1 entries.
	MemberPtr, memberRow []int32
	memberCoef           []float64
	MemberKind           []lcqp.Kind
	closed               []int32 // rows without targets
	implied              []implication

	once    sync.Once
	derived any
	bounds  boundsCache
}

// movedOf returns the entries of a row at targets that are fixed or merged.
func (l *Layout) movedOf(row int32) []movedEntry {
	if len(l.moved) == 0 {
		return nil
	}
	return l.moved[l.movedPtr[row]:l.movedPtr[row+1]]
}

// Derive returns what make, always the same function, made of l on first use.
func (l *Layout) Derive(make func(*Layout) any) any {
	l.once.Do(func() { l.derived = make(l) })
	return l.derived
}

// implication tightens the bound of a hard inequality over the box: of its terms
// amount·(y_i − y_j), at most 0 by another one, y_i ≤ y_j, row by.
type implication struct {
	member, by, i, j int32
	amount           float64
}

// link is a hard equality that fixes or merges a target: child is the target,
// parent the one it follows, −1 when it is fixed.
type link struct {
	row, child, parent int32
	a, b               float64 // coefficients of child and parent
}

// movedEntry is an entry of A at a target that is fixed or merged.
type movedEntry struct {
	target int32
	val    float64
}
