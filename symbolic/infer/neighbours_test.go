package infer

import (
	"testing"

	"hinge/symbolic/infer/internal/infertest"
)

func TestLattice(t *testing.T) {
	for name, want := range map[string]bool{"grid": true, "picture": true, "chain": false, "cube": true, "knn-labels": false, "knn-regression": false} {
		in := infertest.Family(t, name, 60000)
		for c := range in.Components {
			if comp := &in.Components[c]; len(comp.Targets) > 1000 && lattice(in, comp) != want {
				t.Errorf("%s: lattice is %v", name, !want)
			}
		}
	}
}
