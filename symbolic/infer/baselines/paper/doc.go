// Package paper has the paper's dual block coordinate descent to the letter: by
// connected component (PaperBCD, "bcd-paper") and lock-free in parallel (LockFreeBCD,
// "bcd-lockfree"), which share the update of a block. They are here to compare with, and
// take many more sweeps than the exact methods.
//
// Options out of range are refused by Validate. Methods are immutable; their Solvers
// belong to one caller at a time, and LockFreeBCD's starts goroutines of its own.
package paper
