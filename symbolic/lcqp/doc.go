// Package lcqp writes MAP inference of a deep hinge-loss Markov random field
// as the regularised, linearly constrained quadratic program of the paper
// (section 5.1 and the appendix on smooth inference):
//
//	V(w, b) = min  νᵀ(D(w) + εI)ν + c(w)ᵀν   s.t.  Aν + b ≤ 0,   ν = (s, y).
//
// # Use
//
// Compile turns a ground program into a Template: everything that stays the
// same while learning. NewInstance makes an Instance of it: the numbers that
// change, that is b = b₀ + B·g (SetDeep), the symbolic weights (SetWeights),
// labels fixed for latent inference (Fix, Free) and the proximal term of the
// Moreau envelope (SetProx). None of these edits grounds again or allocates.
// Package infer solves instances. From a Solution an Instance computes what
// learning needs:
//
//	Value            V (or the Moreau envelope M) and its dual bound
//	Incompatibility  ∂V/∂w = Φ(y*), one number per rule
//	DeepGradient     ∂V/∂g = Bᵀμ*
//	ProxGradient     ∂M/∂ŷ = 2r(ŷ − y*) = (ŷ − y*)/ρ with r = 1/(2ρ)
//
// # Trust
//
// Residuals is the judge: it recomputes feasibility, stationarity,
// complementarity and gap of a claimed solution from the ground program
// itself, in the original scaling, and shares no code with any solver. Its tests
// write out the paper's A, b, D and c with every bound row (explicit_test.go).
//
// # Errors and concurrency
//
// Compile reports malformed programs, the edits report slices of wrong length
// and numbers out of range and then leave the instance as it was. A Template
// is immutable and may be shared; an Instance may be read by many goroutines
// but must not be edited meanwhile.
package lcqp
