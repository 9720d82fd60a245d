// Package shortcut counts the meanings that networks' concepts could have, before anything is
// trained, from rules and labels alone. It is ours; docs/SHORTCUTS.md is the guide.
//
// # The count
//
// A network learns concepts, such as the digit in an image, from labels of something that
// rules derive from them, such as a sum. Let α map the true value of an entity to the value
// that the network gives it, one α for each concept. All entities with one true value,
// together called an exemplar, are then read alike. Let c be the true values of an example's
// entities, t its labels and u its other targets, which take any values 0 or 1. The map α
// explains the example if some u satisfies
//
//	r(α(c), t, u) ≤ 0 (or = 0)   for every ground row r of a rule that holds under the truth.
//
// The truth is α(v) = v with the most probable u. A weighted rule that the truth breaks in
// some row, such as a prior, is not required of α; hard rules and the other weighted rules
// are. Count counts the maps that explain all examples. The true map is always among them. All
// others are shortcuts: no label distinguishes them from the true map.
//
// As a program for package integer: a target x_{v,o} ∈ {0, 1} means that exemplar v has output
// o, with Σ_o x_{v,o} = 1 if exactly one output is chosen. These targets replace the neural
// outputs of all examples, and the program's points are listed; independent concepts are
// independent parts of the list, whose numbers are multiplied.
//
// # Use
//
//	p := shortcut.Problem{Concepts: concepts}
//	p.Examples = append(p.Examples, …) // with p.Exemplar(concept, output) for each entity
//	r, err := shortcut.Count(ctx, &p, shortcut.Options{})
//	r.Number(), r.Complete, r.Identified(), r.Settle()
//	r.Soft(ctx), r.Write(os.Stdout)
//
// Soft counts again with outputs between 0 and 1, the largest of which is the answer:
// Łukasiewicz rules hold for more such outputs than for values 0 and 1.
//
// # What the count does not show
//
// The count assumes that training sees exactly these examples, and that entities with one true
// value are equal. A network that reads different sevens differently has more ways than it
// counts, and a network that cannot learn a map has fewer. If only the true map is left,
// training may still fail to find it.
//
// # What can fail
//
// The number of maps can be exponential in the number of exemplars. Options bounds
// time and maps, and Result.Complete reports whether the count is whole. A Problem may
// be used by one goroutine at a time.
package shortcut
