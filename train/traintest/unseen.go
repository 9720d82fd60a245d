package traintest

import (
	"context"
	"reflect"
	"testing"

	"hinge/train"
	"hinge/train/checkpoint"
)

// Learned is what a run leaves: the numbers that are tested, and those that the loss
// remembers.
type Learned struct {
	Result  train.Result
	tensors []checkpoint.Tensor
}

// Learn runs a model.
func Learn(t testing.TB, cfg train.Config, m train.Model) Learned {
	t.Helper()
	res, err := train.Run(context.Background(), cfg, m, train.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	rules := checkpoint.NewTensor("rule_weights", m.Weights())
	return Learned{res, append(append(m.Export(), m.Warm()...), rules)}
}

// Differ names what is not the same, bit for bit, in two runs of one configuration: what
// depends on the data that they do not share.
func Differ(a, b Learned) (names []string) {
	for i, t := range a.tensors {
		if i >= len(b.tensors) || !reflect.DeepEqual(t, b.tensors[i]) {
			names = append(names, t.Name)
		}
	}
	if a.Result.BestStep != b.Result.BestStep || a.Result.Steps != b.Result.Steps {
		names = append(names, "the step that is tested")
	}
	return names
}
