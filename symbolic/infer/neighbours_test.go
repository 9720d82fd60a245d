package infer

import (
	"testing"

	"hinge/symbolic/infer/internal/infertest"
)

func TestPlanar(t *testing.T) {
	for name, want := range map[string]bool{"grid": true, "picture": true, "chain": false, "cube": false, "knn-labels": false, "knn-regression": false} {
		in := infertest.Family(t, name, 60000)
		for c := range in.Components {
			if comp := &in.Components[c]; len(comp.Targets) > 1000 && planar(in, comp) != want {
				t.Errorf("%s: planar is %v", name, !want)
			}
		}
	}
}
