// Package symbolic is the overview of the symbolic half; its subpackages do the
// work, each a step of one line:
//
//	psl     rules as text            → psl.Program
//	ground  rules + data             → hlmrf.Program, the ground program
//	hlmrf   potentials, constraints, energy
//	lcqp    ground program           → Template, Instance: the regularised QP
//	infer   instance                 → Result: y*, μ*, V, and how good they are
//
// They know no gorgonia and no network: neural outputs are plain numbers that
// stay symbolic in the ground program (b = b₀ + B·g), and the multipliers μ*
// are what package bilevel hands back as their gradient. All of it is float64.
//
// The example of this package is the whole line in one function.
package symbolic
