package citation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/citation"
	"hinge/train/config"
)

// smallData is a generated graph of 150 papers with a split of 15, 15 and 60.
func smallData(t testing.TB, recipe string) *Data {
	t.Helper()
	o := citation.Demo()
	o.Papers, o.Topical = 150, 0.4
	g, err := citation.Generate(o)
	require.NoError(t, err)
	split, err := citation.NewSplit(g.Nodes(), citation.SplitSizes{Train: 15, Valid: 15, Test: 60}, 0)
	require.NoError(t, err)
	d := &Data{Graph: g, Split: split, rules: "demo"}
	if recipe == "best" {
		d.rules = "demo-best"
	}
	return d
}

// smallConfig is the demo's configuration with a small budget.
func smallConfig(loss, recipe string) config.Config {
	c := Defaults("citation-demo", loss, recipe)
	c.Training.Epochs, c.Training.ValidEvery = 6, 2
	own := OptionsOf(&c)
	own.Restarts, own.PretrainEpochs, own.PretrainPatience = 2, 15, 10
	if recipe == "best" {
		own.Hidden, own.Restarts, own.PretrainEpochs, own.PretrainPatience = []int{16}, 1, 100, 0
		own.CompleteEvery = min(own.CompleteEvery, 2)
	}
	return c
}

func smallModel(t testing.TB, loss, recipe string) *Model {
	t.Helper()
	m, err := New(smallConfig(loss, recipe), smallData(t, recipe))
	require.NoError(t, err)
	return m
}
