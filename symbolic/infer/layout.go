package infer

import (
	"sync"

	"hinge/symbolic/lcqp"
)

// reduction says how far presolve goes.
type reduction uint8

const (
	reduceFixed  reduction = iota // only targets with Lower = Upper go
	reduceChains                  // hard equalities fix targets, idle rows go
	reduceMerged                  // hard equalities merge pairs of targets
)

// layout is what presolve knows of a component from its pattern and the set of
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
type layout struct {
	level reduction
	fixed []bool

	place []int32
	scale []float64
	free  int // targets left
	// chain are the rows that fixed a target, in order; tree those that merged
	// one, parents first.
	chain []link
	tree  []link
	// Entries of targets that are fixed or merged, by row; movedPtr has rows + 1
	// entries.
	moved        []movedEntry
	movedPtr     []int32
	movedTargets []int32 // that have some, increasing
	// single tells of each row that is left whether it has one target only.
	forms *forms
	// Members: the rows left, first those of one target each, target by target,
	// then those of each form. memberPtr has free + forms + 1 entries.
	memberPtr, memberRow []int32
	memberCoef           []float64
	memberKind           []lcqp.Kind
	closed               []int32 // rows without targets
	implied              []implication

	once    sync.Once
	derived any
	reaches reaches
}

// movedOf returns the entries of a row at targets that are fixed or merged.
func (l *layout) movedOf(row int32) []movedEntry { return l.moved[l.movedPtr[row]:l.movedPtr[row+1]] }

// derive returns what make, always the same function, made of l on first use.
func (l *layout) derive(make func(*layout) any) any {
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

// mergeRatio bounds the factor between two merged targets: steeper ones would
// make one of them inaccurate.
const mergeRatio = 16

// longForm is the largest number of targets of a form that is not long: longer ones
// would couple all their targets in a Newton system.
const longForm = 6
