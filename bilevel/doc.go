// Package bilevel is where the neural and the symbolic half meet: it makes the
// optimal value of a hinge-loss Markov random field an ordinary gorgonia
// expression.
//
// One op carries everything the paper learns with. For P ground programs of
// one shape (slots), symbolic weights w, neural outputs g and, for the Moreau
// envelope, points y and a parameter ρ, it returns the vector of optimal
// values
//
//	V_i(w, g)       = min_{ŷ ∈ Ω(g_i)} E(ŷ, g_i; w) + ε-terms
//	M_i(y; w, g, ρ) = min_{ŷ ∈ Ω(g_i)} E(ŷ, g_i; w) + ε-terms + ‖ŷ − y_i‖²/(2ρ)
//
// and its derivative hands back, by Danskin's theorem and the sensitivity of a
// quadratic program to its right-hand side (paper, theorem 5.2),
//
//	∂V_i/∂w = Φ(ŷ*)    ∂V_i/∂g = Bᵀμ*    ∂M_i/∂y = (y − ŷ*)/ρ.
//
// The solve happens once, in the forward pass; the backward pass only weighs
// what was kept with the incoming gradient. Energy and StructuredPerceptron
// are the paper's value-based losses as expressions over the op.
//
// Use: make a ValueFunction for a template and a number of slots, fix labels on
// its instances for latent inference, call Value (or Moreau) on graph nodes,
// and differentiate the loss with gorgonia.Grad.
//
// What can fail: an infeasible program (hard rules that contradict a label or a
// neural output) and numbers that are not finite make the forward pass return
// an error that names the slot. A solve that stops before its tolerance is
// counted in Stats and, with Options.Check, is an error.
//
// Concurrency: the slots of one op are solved in parallel, with results that do
// not depend on the number of goroutines. One ValueFunction serves one graph on
// one machine at a time.
package bilevel
