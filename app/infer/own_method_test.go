package infer

import (
	"strings"
	"testing"

	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
)

// ownMethod is a method of somebody's own, which says of itself what the embedded one says.
type ownMethod struct {
	infer.Method
	name string
}

func (m ownMethod) Name() string { return m.name }

func init() {
	for _, of := range []infer.Method{infer.InteriorPoint{}, baselines.Subgradient{}, infer.DualBCD{}} {
		infer.Register(ownMethod{of, "own-" + of.Name()})
	}
}

// TestOwnMethod gives methods that are registered elsewhere what their capabilities ask
// for, to the last setting: no list of names has to know them.
func TestOwnMethod(t *testing.T) {
	const options = `, "duallcqp.primaldualthreshold": 0.001, "duallcqp.maxiterations": 17, "reasoner.gradientdescent.maxiterations": 19`
	settings := func(name string) (infer.Settings, float64) {
		p := grounded(t, withOptions(options), "-method", name)
		s, _, err := p.Settings()
		if err != nil || s.Method.Name() != name {
			t.Fatalf("%s: the method is %v, %v", name, s.Method, err)
		}
		s.Method = nil
		return s, p.Epsilon
	}
	for _, name := range infer.Names() {
		if of, ok := strings.CutPrefix(name, "own-"); ok {
			got, epsilon := settings(name)
			want, wantEpsilon := settings(of)
			if got.GapAbsolute != want.GapAbsolute || got.GapTolerance != want.GapTolerance || got.MaxIterations != want.MaxIterations ||
				got.FeasibilityTolerance != want.FeasibilityTolerance || got.CheckEvery != want.CheckEvery || epsilon != wantEpsilon {
				t.Errorf("%s: %+v and ε %v, %s has %+v and %v", name, got, epsilon, of, want, wantEpsilon)
			}
		}
	}
}
