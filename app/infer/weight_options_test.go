package infer

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/optim"
	"hinge/symbolic/model"
)

// TestWeightOptions: each option of PSL's on the step of rule weights arrives, and a bound
// that is switched off is none, not the one that zero stands for.
func TestWeightOptions(t *testing.T) {
	o := model.Learning{Update: "PROJECTED_GRADIENT", StepSize: 0.5, Shrink: true, Clip: true, MaxGradient: 4, NegLog: 1, Entropy: 2, L2: 3}
	want := optim.WeightOptions{Method: optim.Projected, Step: 0.5, Shrink: true, MaxNorm: 4, Regularizer: optim.Regularizer{NegLog: 1, Entropy: 2, L2: 3}}
	if got := weightOptions(&o); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	o.Clip, want.MaxNorm = false, -1
	if got := weightOptions(&o); got != want {
		t.Errorf("without a bound %+v, want %+v", got, want)
	}
	for update, method := range map[string]optim.Method{"": optim.Mirror, "MIRROR_DESCENT": optim.Mirror, "GRADIENT_DESCENT": optim.Gradient} {
		assert.Equalf(t, method, weightOptions(&model.Learning{Update: update}).Method, "%q", update)
	}
}
