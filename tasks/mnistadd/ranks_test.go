package mnistadd

import (
	"math"
	"path/filepath"
	"sync"
	"testing"

	"hinge/data/jsonl"
	"hinge/optim/collective"
	"hinge/train"
)

// TestRanks trains the real model, batch normalisation, dropout, distortions and draws
// included, in two shards: on one rank and on two, to the same bits. So do a baseline and
// the loss without a solver.
func TestRanks(t *testing.T) {
	for _, loss := range []string{"bce", ChainLoss, "ltn"} {
		c := smallRun(loss)
		if loss != "bce" {
			c.Bilevel.ConstraintSamples = 0
		}
		if loss == ChainLoss {
			c.Neural.Samples = 0
		}
		if loss == "ltn" {
			c.Loss = "energy"
			UseSystem(&c, loss, 1)
		}
		c.Training.Shards, c.Training.Steps, c.Training.ValidEvery, c.Training.NoTest = 2, 3, 3, true
		one := filepath.Join(t.TempDir(), "one")
		run(t, c, train.Options{Dir: one}, 0)
		two := filepath.Join(t.TempDir(), "two")
		var ranks sync.WaitGroup
		for _, comm := range collective.Local(2) {
			ranks.Go(func() { run(t, c, train.Options{Dir: two, Comm: comm}, 0) })
		}
		ranks.Wait()
		sameRuns(t, loss, one, two)
	}
}

// TestSyncBatchNorm: with statistics over all shards, two shards have the same bits on one
// rank and on two.
func TestSyncBatchNorm(t *testing.T) {
	c := smallRun("bce")
	c.Neural.SyncBatchNorm = true
	c.Training.Shards, c.Training.Steps, c.Training.ValidEvery, c.Training.NoTest = 2, 2, 2, true
	another := func() (train.Model, error) { return Task{}.Open(c, "") }
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	run(t, c, train.Options{Dir: one, Another: another}, 0)
	var ranks sync.WaitGroup
	for _, comm := range collective.Local(2) {
		ranks.Go(func() { run(t, c, train.Options{Dir: two, Comm: comm, Another: another}, 0) })
	}
	ranks.Wait()
	sameRuns(t, "bce", one, two)
}

// TestSyncIsWhole: where nothing is drawn by shard, a run in two shards that share their
// statistics is that of whole batches but for rounding; with statistics by shard it is
// another one.
func TestSyncIsWhole(t *testing.T) {
	losses := func(shards int, synced bool) (out []float64) {
		c := smallRun(ChainLoss)
		c.Bilevel.ConstraintSamples = 0
		c.Neural.Samples, c.Neural.Dropout, c.Neural.Augment = 0, 0, "none"
		OptionsOf(&c).Additions = 8 // one batch an epoch: of shards it has the examples in another order
		c.Training.Shards, c.Training.Batch, c.Training.Steps, c.Training.NoTest = shards, 8, 3, true
		c.Neural.SyncBatchNorm = synced
		dir := filepath.Join(t.TempDir(), "run")
		run(t, c, train.Options{Dir: dir, Another: func() (train.Model, error) { return Task{}.Open(c, "") }}, 0)
		lines, err := jsonl.Read[train.Metric](filepath.Join(dir, train.MetricsFile))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range lines {
			if m.Split == train.TrainPart {
				out = append(out, *m.Loss)
			}
		}
		return out
	}
	whole, synced, local := losses(1, false), losses(2, true), losses(2, false)
	t.Logf("losses of whole batches %v, of shards with shared statistics %v, with their own %v", whole, synced, local)
	for i, want := range whole {
		if math.Abs(synced[i]-want) > 1e-3*want {
			t.Errorf("step %d: loss %v, of the whole batch %v", i+1, synced[i], want)
		}
	}
	if math.Abs(local[2]-whole[2]) < 1e-2*whole[2] {
		t.Errorf("statistics by shard give the losses %v, of the whole batch %v: the test would not see them", local, whole)
	}
}
