package train

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"hinge/optim"
	"hinge/optim/collective"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// normed is a toy whose shards see each other's examples in a pass, as batch
// normalisation does.
type normed struct {
	*toy
	gather func([]float64) ([]float64, error)
	fails  int // shard whose third step fails
}

var errNormed = errors.New("no pass")

func (m *normed) SyncBatchNorm(gather func([]float64) ([]float64, error)) { m.gather = gather }
func (m *normed) Neural() learning.NeuralHalf                             { return m }
func (m *normed) Loss() learning.LossHalf                                 { return m }
func (m *normed) Warm() []checkpoint.Tensor                               { return nil }
func (m *normed) SetWarm(func(string) (checkpoint.Tensor, error)) error   { return nil }

func (m *normed) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	if step.Number == 2 && step.Shard == m.fails {
		return learning.Work{}, errNormed
	}
	all, err := m.gather([]float64{float64(examples[0])})
	if err != nil {
		return learning.Work{}, err
	}
	work, err := m.toy.Gradient(step, examples)
	for i, v := range all { // the order matters, and that all are there
		m.grad[0] += float32(v) / float32(i+3)
	}
	clear(m.warm)
	return work, err
}

// unnormed has no arrays that a forward pass maintains.
type unnormed struct{ normed }

func (m *unnormed) Neural() learning.NeuralHalf { return m }

func (*unnormed) Buffers() []optim.Param { return nil }

func normedConfig() config.Config {
	c := toyConfig()
	c.Training.Shards, c.Neural.SyncBatchNorm = 6, true
	return c
}

// TestLocalShards: shards that wait for each other have the same bits on one rank and on
// several, and say how many processes there were.
func TestLocalShards(t *testing.T) {
	c := normedConfig()
	var first *normed
	for _, n := range []int{1, 2, 3, 6} {
		dir, lead := t.TempDir(), new(normed)
		var all sync.WaitGroup
		for _, comm := range collective.Local(n) {
			all.Go(func() {
				m := &normed{toy: newToy(1), fails: -1}
				if comm.Rank() == 0 {
					*lead = *m
				}
				res, err := Run(context.Background(), c, m, Options{Dir: dir, Comm: comm,
					Another: func() (learning.Model, error) { return &normed{toy: newToy(1), fails: -1}, nil }})
				if err != nil {
					t.Errorf("%d ranks: %v", n, err)
				}
				if want := n; comm.Rank() == 0 && n > 1 && res.Ranks != want || n == 1 && res.Ranks != 0 {
					t.Errorf("%d ranks: the result counts %d", n, res.Ranks)
				}
			})
		}
		all.Wait()
		if first == nil {
			first = lead
		}
		if !slices.Equal(lead.value, first.value) || !slices.Equal(lead.buffer, first.buffer) || !slices.Equal(lead.w, first.w) {
			t.Errorf("%d ranks: %v %v %v, one has %v %v %v", n, lead.value, lead.buffer, lead.w, first.value, first.buffer, first.w)
		}
	}
}

// TestLocalShardsSeconds: shards that wait for each other end with one step, the first where the
// time is over before it, in one process and in several ranks.
func TestLocalShardsSeconds(t *testing.T) {
	for seconds, why := range map[float64]string{1e-9: record.StoppedSeconds, 3600: record.StoppedSteps} {
		c := normedConfig()
		c.Training.Seconds = seconds
		want := c.Training.Steps
		if why == record.StoppedSeconds {
			want = 1
		}
		for _, n := range []int{1, 2, 6} {
			dir := t.TempDir()
			var all sync.WaitGroup
			for _, comm := range collective.Local(n) {
				all.Go(func() {
					open := func() (learning.Model, error) { return &normed{toy: newToy(1), fails: -1}, nil }
					m, _ := open()
					res, err := Run(context.Background(), c, m, Options{Dir: dir, Comm: comm, Another: open})
					if err != nil || comm.Rank() == 0 && (res.Stopped != why || res.Steps != want) {
						t.Errorf("%v seconds, %d ranks: %d steps, stopped by %q, %v; want %d, %q", seconds, n, res.Steps, res.Stopped, err, want, why)
					}
				})
			}
			all.Wait()
		}
	}
}

// TestLocalShardsFail: the error of one shard ends the run, and is the one that is told.
func TestLocalShardsFail(t *testing.T) {
	for _, fails := range []int{0, 4} {
		open := func() (learning.Model, error) { return &normed{toy: newToy(1), fails: fails}, nil }
		m, _ := open()
		_, err := Run(context.Background(), normedConfig(), m, Options{Dir: t.TempDir(), Another: open})
		if !errors.Is(err, errNormed) {
			t.Errorf("shard %d fails: error %v", fails, err)
		}
	}
	lost := errors.New("no more models")
	sync := func() (learning.Model, error) { return &normed{toy: newToy(1), fails: -1}, nil }
	plain := func() (learning.Model, error) { return &unnormed{normed{toy: newToy(1), fails: -1}}, nil }
	for want, c := range map[string]struct {
		open, another func() (learning.Model, error)
		cfg           func(*config.Config)
	}{
		"no more models":         {sync, func() (learning.Model, error) { return nil, lost }, func(*config.Config) {}},
		"as many models":         {sync, nil, func(*config.Config) {}},
		"no batch normalisation": {plain, plain, func(*config.Config) {}},
		"no checkpoint":          {sync, sync, nil},
	} {
		m, _ := c.open()
		cfg, opt := normedConfig(), Options{Dir: t.TempDir(), Another: c.another}
		if c.cfg == nil {
			opt.Resume = true
		}
		if _, err := Run(context.Background(), cfg, m, opt); err == nil || !strings.Contains(err.Error(), want) || strings.HasPrefix(err.Error(), "rank") {
			t.Errorf("error %v, want one with %q that names no rank", err, want)
		}
	}
}
