// Package baselines has methods of inference that are here to compare with: those of the paper
// and of the reference system, to the letter. To import it is to register them with package
// infer, and so with every flag, option and check that takes a method by name:
//
//	bcd-paper     PaperBCD: the paper's dual block coordinate descent
//	bcd-lockfree  LockFreeBCD: the same, goroutines sharing a component
//	admm          ADMM: consensus ADMM, the method of the reference
//	subgradient   Subgradient: projected subgradient descent
//
//	import _ "hinge/symbolic/infer/baselines"
//
//	m, err := infer.New("admm")
//
// Parameters are fields of the types, whose zero values are a good choice. A solve refuses those
// that are out of range. Methods are immutable; LockFreeBCD alone does not repeat its bits.
package baselines

import (
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines/admm"
	"hinge/symbolic/infer/baselines/paper"
	"hinge/symbolic/infer/baselines/subgradient"
)

type (
	// PaperBCD is the paper's dual block coordinate descent to the letter, "bcd-paper".
	PaperBCD = paper.PaperBCD
	// LockFreeBCD is the paper's lock-free parallel form of it, "bcd-lockfree".
	LockFreeBCD = paper.LockFreeBCD
	// ADMM is consensus ADMM, "admm".
	ADMM = admm.ADMM
	// Subgradient is projected subgradient descent, "subgradient".
	Subgradient = subgradient.Subgradient
)

func init() {
	for _, m := range []infer.Method{PaperBCD{}, LockFreeBCD{}, ADMM{}, Subgradient{}} {
		infer.Register(m)
	}
}
