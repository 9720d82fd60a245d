// Package lines solves programs whose components hard equalities leave one target each, or
// none, many at a time: those of one template that differ in their neural outputs alone, as
// the latent problems of learning do. Such a component is a convex, piecewise quadratic
// function along a line,
//
//	min  Q x² + L x + Σ_k cost_k(max(0, a_k·x + b_k)),  b = b₀ + B·g,
//
// and so has a closed form over the places where its hinges begin.
//
// What depends on the template is worked out once (New): rows with the same a and b are one
// class, classes with the same b share it. The programs of a Block lie side by side, so that
// one instruction computes b for several of them, and compares it with what the row needs to
// matter anywhere on the line. The few rows that do, some fifty of the 906 of a latent
// addition of two-digit numbers, are looked at one by one.
//
// # Use
//
//	p, ok := lines.New(template, epsilon) // false: a component is no line
//	var b lines.Block
//	b.Weigh(p, w)
//	b.Solve(g, goal, answers)             // up to Width programs
//	answers[0].Solved                     // false: another method has to solve it
//
// # Trust and determinism
//
// Primal and dual value of every component are computed apart, and the same stop rule judges
// them as that of the other methods. The numbers of a program have the same bits beside
// whichever programs it is solved: no sum runs across programs.
//
// Where multipliers are not unique, at a point where several hinges begin, they are the least
// ones that hold it there, the same share of its weight for each.
//
// A Program may be shared by goroutines, a Block may not.
package lines
