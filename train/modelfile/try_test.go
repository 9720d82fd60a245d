package modelfile

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"hinge/train"
)

func TestTry(t *testing.T) {
	file := os.Getenv("TRY")
	if file == "" {
		t.Skip()
	}
	env := func(k string, d float64) float64 {
		if v, err := strconv.ParseFloat(os.Getenv(k), 64); err == nil {
			return v
		}
		return d
	}
	loss := os.Getenv("LOSS")
	if loss == "" {
		loss = "energy"
	}
	c, s := Defaults(file, loss)
	c.Training.Epochs = int(env("EPOCHS", 200))
	s.RulesWeight = env("RW", 1)
	s.LabelWeight = env("LW", 1)
	s.LabelEpochs = int(env("LE", 0))
	c.Neural.LearningRate = env("LR", 1e-2)
	c.Symbolic.MirrorStep = env("MS", 1e-2)
	c.Neural.WeightDecay = env("WD", 0)
	c.Seed = uint64(env("SEED", 0))
	c.Training.Patience = int(env("PAT", 100))
	m, err := Open(c, s, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(loss, "valid", r.ValidAccuracy, "test", r.TestAccuracy, r.More, r.BestStep, r.Steps, r.WallS)
	train.WriteRules(os.Stdout, r.Rules)
}
