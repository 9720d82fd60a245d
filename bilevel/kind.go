package bilevel

import "fmt"

// LossName names a learning loss.
type LossName string

// Kind is a loss by name, with its properties for the code that configures, plans and reports
// learning. No other code knows losses by name.
type Kind struct {
	Name LossName
	// New makes the loss of an objective. Nil leaves that to Settings.New: if a loss needs
	// more than a Problem provides, its task makes it.
	New func(o *Objective) (Loss, error)
	// Everywhere reports whether any model can learn by this loss. Other losses belong to the
	// tasks that name them.
	Everywhere bool
	// Solves reports whether it takes optimal values: there are problems with fixed labels
	// (Objective.Latent), and the method of inference matters.
	Solves bool
	// Unlabelled reports whether it solves problems without fixed labels too, which cost the
	// most: Lagrangian.ConstraintDraws and ConstraintSamples matter.
	Unlabelled bool
	// Lagrangian reports whether it is learned with the augmented Lagrangian: all of its
	// parameters matter, and the loss has several terms.
	Lagrangian bool
	// Draws reports whether it can be taken at several random draws of the neural outputs.
	Draws bool
	// Rows reports whether it wants samples whose neural outputs all are distributions over
	// classes (Problem.Rows).
	Rows bool
	// Sums reports whether Settings.Reduction counts; other losses are means over the batch.
	Sums bool
	// Check, if not nil, fills in the defaults of settings that are the loss's own, and
	// reports the first setting that makes no sense to it.
	Check func(s *Settings) error
}

// kinds is the registry. A new loss of this package is a file and one entry here, one from
// outside a file that calls Register.
var kinds = []Kind{energyKind, perceptronKind, squaredErrorKind, crossEntropyKind, answerKind, kBestKind}

// Register adds a loss to those that KindOf finds by name. It is for init functions, and
// panics on a name that is taken.
func Register(k Kind) {
	if _, ok := KindOf(k.Name); ok {
		panic(fmt.Sprintf("bilevel: there is a loss %q already", k.Name))
	}
	kinds = append(kinds, k)
}

// KindOf returns the kind of a loss, and false for a name that is no loss's.
func KindOf(name LossName) (Kind, bool) {
	for _, k := range kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{Name: name}, false
}

// Having returns the names of the losses of a certain kind, in the order of registration.
func Having(what func(Kind) bool) []LossName {
	var names []LossName
	for _, k := range kinds {
		if what(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// Kind returns the properties of the loss, or the zero Kind for an unknown name.
func (l LossName) Kind() Kind {
	k, _ := KindOf(l)
	return k
}

// Bilevel reports whether the loss is learned with the augmented Lagrangian.
func (l LossName) Bilevel() bool { return l.Kind().Lagrangian }
