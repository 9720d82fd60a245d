package mnistadd

import (
	"path/filepath"
	"sync"
	"testing"

	"hinge/optim/collective"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
)

// TestRanks trains the model with a small network, batch normalisation, dropout, distortions and draws
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
			useSystem(&c, loss, 1)
		}
		c.Training.Shards, c.Training.Steps, c.Training.ValidEvery, c.Training.NoTest = 2, 3, 3, true
		oneAndTwo(t, c, loss, train.Options{})
	}
}

// oneAndTwo compares a run on one rank and on two.
func oneAndTwo(t *testing.T, c config.Config, loss string, o train.Options) {
	t.Helper()
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	o.Dir = one
	run(t, c, o, 0)
	var ranks sync.WaitGroup
	for _, comm := range collective.Local(2) {
		o := o
		o.Dir, o.Comm = two, comm
		ranks.Go(func() { run(t, c, o, 0) })
	}
	ranks.Wait()
	sameRuns(t, loss, one, two)
}

// TestSyncBatchNorm: with statistics over all shards, two shards have the same bits on one
// rank and on two.
func TestSyncBatchNorm(t *testing.T) {
	c := smallRun("bce")
	c.Neural.SyncBatchNorm = true
	c.Training.Shards, c.Training.Steps, c.Training.ValidEvery, c.Training.NoTest = 2, 2, 2, true
	oneAndTwo(t, c, "bce", train.Options{Another: func() (learning.Model, error) { return Task{}.Open(c, "") }})
}
