package traintest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/optim/collective"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
)

// sharded is a run in four shards, of one pass of two examples each.
func sharded(loss string, steps int) config.Config {
	c := Config(loss, steps)
	c.Training.Batch, c.Training.Shards = 8, 4
	if loss != "energy" {
		c.Bilevel.ConstraintSamples = 4
	}
	return c
}

// runRanks runs a configuration on the ranks of a group and returns their errors. A rank
// whose error is its own ends the others.
func runRanks(ranks int, c config.Config, o func(rank int) (context.Context, train.Options)) []error {
	return runEach(slices.Repeat([]config.Config{c}, ranks), o)
}

// runEach is runRanks for a configuration of each rank.
func runEach(configs []config.Config, o func(rank int) (context.Context, train.Options)) []error {
	ranks := len(configs)
	var all sync.WaitGroup
	failed := make([]error, ranks)
	for rank, comm := range collective.Local(ranks) {
		all.Go(func() {
			c := configs[rank]
			m, err := New(c)
			if err == nil {
				ctx, opt := o(rank)
				opt.Comm = comm
				_, err = train.Run(ctx, c, m, opt)
			}
			if failed[rank] = err; err != nil && !errors.As(err, new(*collective.RankError)) && !errors.Is(err, train.ErrInterrupted) {
				comm.Abort(1)
			}
		})
	}
	all.Wait()
	return failed
}

// TestRanks: the same shards give the same bits on one, two and four ranks, with every
// loss, also where a run that was stopped goes on with another number of ranks; and
// another number of shards gives others.
func TestRanks(t *testing.T) {
	for _, loss := range config.CommonLosses() {
		const steps = 60
		run := func(c config.Config, dir string, resume bool, ranks, stopAt int) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for rank, err := range runRanks(ranks, c, func(rank int) (context.Context, train.Options) {
				o := train.Options{Dir: dir, Resume: resume}
				if rank == ranks-1 && stopAt > 0 {
					// One rank alone is told to stop; all do, with the same step.
					o.Observer = nil
					return stopAfter(ctx, stopAt), o
				}
				return context.Background(), o
			}) {
				if stopAt > 0 && errors.Is(err, train.ErrInterrupted) || stopAt == 0 && err == nil {
					continue
				}
				t.Fatalf("%s, rank %d of %d: %v", loss, rank, ranks, err)
			}
		}
		c := sharded(loss, steps)
		one := filepath.Join(t.TempDir(), "one")
		run(c, one, false, 1, 0)
		want := outcome(t, one, steps)
		for _, ranks := range []int{2, 4} {
			dir := filepath.Join(t.TempDir(), fmt.Sprint(ranks))
			run(c, dir, false, ranks, 0)
			if got := outcome(t, dir, steps); !reflect.DeepEqual(got, want) {
				t.Errorf("%s on %d ranks ended elsewhere: %s", loss, ranks, difference(got, want))
			}
		}
		for _, change := range [][2]int{{4, 2}, {1, 4}, {2, 1}} {
			dir := filepath.Join(t.TempDir(), fmt.Sprint(change))
			run(c, dir, false, change[0], 31)
			run(c, dir, true, change[1], 0)
			if got := outcome(t, dir, steps); !reflect.DeepEqual(got, want) {
				t.Errorf("%s from %d ranks to %d ended elsewhere: %s", loss, change[0], change[1], difference(got, want))
			}
		}
		c.Training.Shards = 2
		two := filepath.Join(t.TempDir(), "two")
		run(c, two, false, 2, 0)
		if reflect.DeepEqual(outcome(t, two, steps), want) {
			t.Errorf("%s: two shards gave what four do", loss)
		}
	}
}

// counting ends a context after it was asked that many times.
type counting struct {
	context.Context
	left int
}

func stopAfter(ctx context.Context, n int) context.Context { return &counting{ctx, n} }

func (c *counting) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestRanksRefuse: what cannot be divided is told with its key, on every rank.
func TestRanksRefuse(t *testing.T) {
	for _, c := range []struct {
		ranks  int
		change func(c *config.Config)
		want   string
	}{
		{3, func(*config.Config) {}, "training.shards: 4 shards do not divide among 3 ranks"},
		{1, func(c *config.Config) { c.Training.Batch = 6 }, "training.shards: batches of 6 do not divide into 4 shards"},
		{2, func(c *config.Config) { c.Training.Shards = 0 }, "training.shards: 1 shards do not divide among 2 ranks"},
		{1, func(c *config.Config) { c.Bilevel.ConstraintSamples = 3 }, "bilevel.samples: 3 do not divide into 4 shards"},
	} {
		cfg := sharded("mse", 10)
		c.change(&cfg)
		dir := t.TempDir()
		for rank, err := range runRanks(c.ranks, cfg, func(int) (context.Context, train.Options) {
			return context.Background(), train.Options{Dir: dir}
		}) {
			if err == nil || !strings.Contains(err.Error(), c.want) || train.ExitCode(err) != 2 {
				t.Errorf("rank %d of %d: %v (exit code %d), want %s", rank, c.ranks, err, train.ExitCode(err), c.want)
			}
		}
	}
}

// TestRanksOtherSettings: a rank with another setting than the first is refused, and all are told which it is.
func TestRanksOtherSettings(t *testing.T) {
	for want, change := range map[string]func(c *config.Config){
		"settings: rank 0 has others than this rank (training.batch: 8 → 4); start":  func(c *config.Config) { c.Training.Batch = 4 },
		"settings: rank 0 has others than this rank (training.shards: 4 → 8); start": func(c *config.Config) { c.Training.Shards = 8 },
		"settings: rank 0 has others than this rank (loss: mse → bce); start":        func(c *config.Config) { c.Loss = "bce" },
	} {
		c := slices.Repeat([]config.Config{sharded("mse", 10)}, 4)
		change(&c[2])
		dir := t.TempDir()
		for rank, err := range runEach(c, func(int) (context.Context, train.Options) {
			return context.Background(), train.Options{Dir: dir}
		}) {
			require.ErrorContains(t, err, want, "rank %d", rank)
			require.Equal(t, 2, train.ExitCode(err))
		}
	}
}

// TestShardsDraw: the shards of a step draw noise of their own, and each the same again.
func TestShardsDraw(t *testing.T) {
	m, err := New(sharded("energy", 10))
	require.NoError(t, err)
	loss := func(step learning.Step) float64 {
		step.Temperature = 1
		w, err := m.Gradient(step, []int{0, 4})
		require.NoError(t, err)
		return w.Loss
	}
	first := loss(learning.Step{Number: 3})
	if other := loss(learning.Step{Number: 3, Shard: 1}); other == first {
		t.Errorf("two shards have the loss %v on the same examples", first)
	}
	assert.Equal(t, first, loss(learning.Step{Number: 3}), "the loss of a shard")
}
