package traintest

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/train"
	"hinge/train/checkpoint"
)

// Learned is what a run leaves: the numbers that are tested, and the numbers that the loss
// remembers.
type Learned struct {
	tensors []checkpoint.Tensor
	step    int // that is tested
	// validations are accuracy and entropy of each, which the choice of weights goes by.
	validations [][2]float64
}

// Learn runs a model.
func Learn(t testing.TB, cfg train.Config, m train.Model) Learned {
	t.Helper()
	dir := t.TempDir()
	res := Run(t, cfg, m, train.Options{Dir: dir})
	rules := checkpoint.NewTensor("rule_weights", m.Weights())
	l := Learned{tensors: append(append(m.Export(), m.Warm()...), rules), step: res.BestStep}
	metrics, err := jsonl.Read[train.Metric](filepath.Join(dir, "metrics.jsonl"))
	require.NoError(t, err)
	for _, x := range metrics {
		if x.Split == train.ValidPart {
			l.validations = append(l.validations, [2]float64{*x.Accuracy, x.Entropy})
		}
	}
	return l
}

// Differ names what is not the same, bit for bit, in two runs of one configuration: what
// depends on the data that they do not share.
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

// DifferChosen is Differ for runs whose validations are to be the same too, as they choose
// the weights.
func DifferChosen(a, b Learned) []string {
	names := Differ(a, b)
	if len(a.validations) < 2 || !reflect.DeepEqual(a.validations, b.validations) {
		names = append(names, "validations")
	}
	return names
}
