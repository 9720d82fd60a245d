// Package paths is shortest paths on grids as a task: a picture in each cell says what it
// costs to go through it, a path of least cost from the upper left cell to the lower right
// one is the label, and nobody tells any cost (package data/paths has the grids).
//
//	go run ./cmd/train -task mnist-path
//	go run ./cmd/train -task warcraft12 -data DIR
//
// # The program
//
// The rules, rules/paths.psl, are the flow program: targets are the steps from cell to
// neighbour, hard rules let one unit flow from the first cell to the last. A network looks
// at one cell and says how dear it is, p in [0, 1], and c = 3p + 0.08 is its cost: the
// dearest cell costs up to 38 times what the cheapest does, and none is free. Outputs may
// stand in the right-hand sides of rows alone, b = b₀ + B·g (paper, section 5.1), where a
// cost that is multiplied with a target has no place. It gets there by a square: with x_C
// what comes to cell C,
//
//	E = Σ_C (c_C + x_C/10)² = Σ_C c_C² + (1/5) Σ_C c_C x_C + (1/100) Σ_C x_C²
//
// is a squared hinge that is never negative, whose middle term is the cost of the path, and
// whose first one no path changes. The last one spreads the flow over paths that nearly
// tie: a detour of k cells for k others is shared out where it costs less than k/10 more,
// and not taken at all where it costs more. From such mixtures more is learned than from
// single paths. Answers are MAP states of rules/answers.psl, the same program with x/100,
// which are the shortest path but where others come within k/100 of it.
//
// # Learning
//
// Each set of pictures is laid out in several grids (options.layouts, 6 for digits), which
// are one example: their programs share p, so one pass of the network learns from several
// paths.
//
// The loss is the structured perceptron, sp: V with the flow fixed at the label less V,
//
//	L = V_label − V,  ∂L/∂p_C = 3·(label_C − x*_C)/5,
//
// both by ∂V/∂g = Bᵀμ* of the value function. It is what the label costs more than the MAP
// state, and by the squares it wants every other path to be dearer by a margin. That and
// the 0.08 fix the scale of the costs, which paths alone leave open, and keep them from
// falling to zero together. The energy loss wants the least costs and is refused. The answer
// is the path that takes the largest flow out of each cell of the MAP state.
//
// What is ours: the task on digits, and that form of the flow program. The published
// neural-symbolic one has a network that says which cells are on the path, and integer
// targets. Settings of the Warcraft tasks are a guess, as the maps were not at hand.
//
// Faults of the rules are config.UsageError with file:line:col, faults of the data
// learning.DataError. A Model is used by one goroutine and parallelises inside.
package paths
