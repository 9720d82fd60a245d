package traintest

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/train"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// Learned is the result of a run: the tested weights, and the state of the loss.
type Learned struct {
	tensors []checkpoint.Tensor
	step    int // that is tested
	// validations are accuracy and entropy of each, which the choice of weights goes by.
	validations [][2]float64
}

// Learn runs a model.
func Learn(t testing.TB, cfg config.Config, m learning.Model) Learned {
	t.Helper()
	dir := t.TempDir()
	res := Run(t, cfg, m, train.Options{Dir: dir})
	rules := checkpoint.NewTensor("rule_weights", m.Loss().Weights())
	l := Learned{tensors: append(append(m.Neural().Export(), m.Loss().Warm()...), rules), step: res.BestStep}
	metrics, err := jsonl.Read[record.Metric](filepath.Join(dir, "metrics.jsonl"))
	require.NoError(t, err)
	for _, x := range metrics {
		if x.Split == learning.ValidPart {
			l.validations = append(l.validations, [2]float64{*x.Accuracy, *x.Entropy})
		}
	}
	return l
}

// Differ names the numbers that are not the same, bit for bit, in two runs of one
// configuration: these depend on the data that differ.
func Differ(a, b Learned) (names []string) {
	for i, t := range a.tensors {
		if i >= len(b.tensors) || !reflect.DeepEqual(t, b.tensors[i]) {
			names = append(names, t.Name)
		}
	}
	if a.step != b.step {
		names = append(names, "the step that is tested")
	}
	return names
}

// DifferChosen does what Differ does for runs whose validations must be the same too, as these
// choose the weights.
func DifferChosen(a, b Learned) []string {
	names := Differ(a, b)
	if len(a.validations) < 2 || !reflect.DeepEqual(a.validations, b.validations) {
		names = append(names, "validations")
	}
	return names
}
