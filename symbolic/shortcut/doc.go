// Package shortcut counts what the concepts of networks could mean: before anything is
// trained, and from rules and labels alone. It is ours; docs/SHORTCUTS.md is the guide.
//
// # The count
//
// A network learns concepts, such as the digit in an image, from labels of something that
// rules make of them, such as a sum. Let α map the value that an entity truly has to the
// value that the network says it has, one α for each concept, so that all entities of one
// value, its exemplar, are read alike. With the true values c of an example's entities,
// its labels t and its other targets u, which take any values 0 or 1, α explains
// the example where some u has
//
//	r(α(c), t, u) ≤ 0 (or = 0)   for every ground row r of a rule that holds under the truth.
//
// The truth is α(v) = v with the most probable u. A weighted rule of which it breaks
// a row, such as a prior, is asked of no α; hard rules and the other weighted ones are. The
// maps that explain all examples are counted: the true one is always among them, and
// all others are shortcuts, which no label tells from it.
//
// As a program for package integer: targets x_{v,o} ∈ {0, 1} say that exemplar v
// has output o, with Σ_o x_{v,o} = 1 where one output is chosen, in place of the neural
// outputs of all examples. Its points are listed; independent
// concepts are independent parts of the list, whose numbers are multiplied.
//
// # Use
//
//	p := shortcut.Problem{Concepts: concepts}
//	p.Examples = append(p.Examples, …) // with p.Exemplar(concept, output) for each entity
//	r, err := shortcut.Count(ctx, &p, shortcut.Options{})
//	r.Number(), r.Complete, r.Identified(), r.Settle()
//	r.Soft(ctx), r.Write(os.Stdout)
//
// Soft counts anew with outputs between 0 and 1, of which the largest is the answer:
// Łukasiewicz rules hold for more such outputs than for values 0 and 1.
//
// # What the count does not say
//
// It takes the examples for those that training sees, and their entities of one value for
// equal: a network that reads different sevens differently has more ways than these, and
// one that cannot learn a map has fewer. That only the true map is left does not say that
// training finds it.
//
// # What can fail
//
// The number of maps can be exponential in the number of exemplars. Options bounds
// time and maps, and Result.Complete reports whether the count is whole. A Problem may
// be used by one goroutine at a time.
package shortcut
