package infer

import (
	"fmt"
	"strings"
)

// methods is the registry; the first entry is the default.
var methods = []Method{
	Auto{}, DualBCD{}, PaperBCD{}, LockFreeBCD{}, ADMM{}, Subgradient{}, InteriorPoint{}, Primal{},
	SGD{}, SGD{Extension: AdaGrad}, SGD{Extension: Adam},
}

// New returns the method with the given name, with its default parameters:
// "auto", "bcd", "bcd-paper", "bcd-lockfree", "admm", "subgradient", "ipm", "primal",
// "sgd", "adagrad" or "adam".
func New(name string) (Method, error) {
	for _, m := range methods {
		if m.Name() == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("infer: no method %q, want one of %s", name, strings.Join(Names(), ", "))
}

// Names returns the names of all methods, the default first.
func Names() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.Name()
	}
	return names
}

// DefaultMethod returns the method that a nil Settings.Method stands for.
func DefaultMethod() Method { return methods[0] }
