package infer

import (
	"fmt"
	"strings"
)

// methods is the registry, in the order in which Names lists it.
var methods = []struct {
	name string
	make func() Method
}{
	{"bcd", func() Method { return DualBCD{} }},
	{"ipm", func() Method { return InteriorPoint{} }},
}

// New returns the method with the given name, with its default parameters.
func New(name string) (Method, error) {
	for _, m := range methods {
		if m.name == name {
			return m.make(), nil
		}
	}
	return nil, fmt.Errorf("infer: no method %q, want one of %s", name, strings.Join(Names(), ", "))
}

// Names returns the names of all methods.
func Names() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

// DefaultMethod returns the method that a nil Settings.Method stands for.
func DefaultMethod() Method { return methods[0].make() }
