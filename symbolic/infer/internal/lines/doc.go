// Package lines solves, many at a time, programs in which hard equalities leave each component
// at most one free target. The programs belong to one template and differ only in their neural
// outputs, like the latent problems of learning. Such a component is a convex, piecewise
// quadratic function along a line,
//
//	min  Q x² + L x + Σ_k cost_k(max(0, a_k·x + b_k)),  b = b₀ + B·g,
//
// and so has a closed form over the places where its hinges begin.
//
// New computes once what depends on the template alone: rows with the same a and b form one
// class, classes with the same b share it. The programs of a Block lie side by side, so that
// one instruction computes b for several of them and compares it with the value from which the
// row can matter anywhere on the line. Only a few rows pass, some fifty of the 906 of a latent
// addition of two-digit numbers; they are processed one by one.
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
// Primal and dual value of every component are computed independently, and the stop rule is
// the same as for the other methods. The bits of a program's numbers do not depend on the
// other programs in the Block: no sum runs across programs.
//
// Multipliers are not unique at a point where several hinges begin. Then each takes the same
// share of its weight, the least that holds the point there.
//
// A Program may be shared by goroutines, a Block may not.
package lines
