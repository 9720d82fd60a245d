package infer

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/app/infer/problem"
)

func TestReferenceFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-model m":                             "-model m|",
		"--infer -model m":                     "-model m|runtime.inference=true runtime.learn=false",
		"-model m --infer ADMMInference -json": "-model m -json|runtime.inference=true runtime.learn=false runtime.inference.method=ADMMInference",
		"--learn":                              "|runtime.inference=false runtime.learn=true",
		"--learn a.b.StructuredPerceptron --infer=GurobiInference": "|runtime.inference=true runtime.learn=true runtime.learn.method=a.b.StructuredPerceptron runtime.inference.method=GurobiInference",
		"--learn=GridSearch":       "|runtime.inference=false runtime.learn=true runtime.learn.method=GridSearch",
		"-learn sp -model m":       "-learn sp -model m|",
		"-learn=none --infer":      "-learn=none|runtime.inference=true runtime.learn=false",
		"-D runtime.learn=true -x": "-D runtime.learn=true -x|",
	} {
		rest, set := problem.ReferenceFlags(strings.Fields(args))
		assert.Equalf(t, want, strings.Join(rest, " ")+"|"+strings.Join(set, " "), "%s", args)
	}
}

// The flags do what they say, and -D beats them.
func TestReferenceFlagsRun(t *testing.T) {
	model := withLearning(`"gradientdescent.numsteps": 3`)
	for _, c := range []struct {
		args              []string
		learned, inferred bool
	}{
		{nil, true, true},
		{[]string{"--infer"}, false, true},
		{[]string{"--learn", "Energy"}, true, false},
		{[]string{"--learn", "Energy", "--infer", "ADMMInference"}, true, true},
		{[]string{"--infer", "-D", "runtime.learn=true"}, true, true},
	} {
		_, text := ran(t, model, c.args...)
		if strings.Contains(text, "learn      ") != c.learned || strings.Contains(text, "solve      ") != c.inferred {
			t.Errorf("%v: printed\n%s", c.args, text)
		}
		if strings.Contains(text, "with the steps of the reference; -learn ") != c.learned {
			t.Errorf("%v: does not say what our own learner does otherwise:\n%s", c.args, text)
		}
		if energy := strings.Contains(text, "learn      energy:"); energy != slices.Contains(c.args, "Energy") {
			t.Errorf("%v: printed\n%s", c.args, text)
		}
	}
}

// TestUnknownLearner: what no learner is called is answered with the names that are, and the
// nearest.
func TestUnknownLearner(t *testing.T) {
	for name, want := range map[string]string{"EnergyLoss": "; did you mean Energy?", "MSE": "; did you mean mse?", "gradient": "StructuredPerceptron"} {
		_, err := problem.Parse([]string{"-model", "m", "--learn", name}, nil)
		if err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), "none of energy, sp, mse, bce, none, nor of the reference's BinaryCrossEntropy, Energy, SquaredError, StructuredPerceptron") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
