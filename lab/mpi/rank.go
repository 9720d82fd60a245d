package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"time"

	_ "hinge/cluster/mpi"
	"hinge/lab/bench"
	"hinge/optim/collective"
	"hinge/tasks/mnistadd"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/record"
)

// rankEnv makes the program a rank: it holds the order, as JSON.
const rankEnv = "HINGE_BENCH_RANK"

// order is what a rank is to do.
type order struct {
	Dir           string
	Steps, Batch  int
	Shards, Ranks int
	Library       string
}

// answer is what rank 0 has measured.
type answer struct {
	// Seconds are those of each timed step, Comm the part in which gradients were added.
	Seconds, Comm []float64
	// Sum are the seconds of sums of as many numbers as the gradients have, Small those
	// of a sum of one; with one process there are none.
	Sum, Small []float64
	// Numbers is how many are added up in a step, in single precision.
	Numbers int
	// Memory is the largest resident size of any rank in bytes.
	Memory float64
	// Digest is a checksum of the weights at the end.
	Digest uint32
}

// rank does what the order says and prints the answer.
func rank() int {
	var o order
	err := json.Unmarshal([]byte(os.Getenv(rankEnv)), &o)
	var c collective.Comm
	if err == nil {
		c, err = collective.World(o.Library)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exit.Usage
	}
	a, err := work(o, c)
	if err == nil && c.Rank() == 0 {
		err = json.NewEncoder(os.Stdout).Encode(a)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		c.Abort(exit.Internal)
		return exit.Internal
	}
	_ = c.Close()
	return exit.OK
}

// watcher times steps and stops the run.
type watcher struct {
	train.Observer
	stop context.CancelFunc
	o    order
	last time.Time
	a    *answer
}

// warm are the first steps, which build what the others reuse.
const warm = 2

func (w *watcher) Start(train.Plan) { w.last = time.Now() }
func (w *watcher) Step(step int, m record.Metric) {
	now := time.Now()
	if step > warm {
		w.a.Seconds = append(w.a.Seconds, now.Sub(w.last).Seconds())
		w.a.Comm = append(w.a.Comm, m.CommS)
	}
	// Several ranks agree to stop with the next step.
	if w.last = now; step >= w.o.Steps-min(w.o.Ranks-1, 1) {
		w.stop()
	}
}
func (w *watcher) Note(string) {}
func (w *watcher) Done()       {}

func work(o order, c collective.Comm) (*answer, error) {
	cfg, err := mnistadd.Task{}.Defaults(config.Config{Task: "mnist-add2", Recipe: "best"})
	if err != nil {
		return nil, err
	}
	cfg.Training.Batch, cfg.Training.Shards = o.Batch, o.Shards
	// Neither a validation nor a checkpoint falls into what is timed.
	cfg.Training.ValidEvery, cfg.Training.CheckpointEvery = 1<<30, 1<<30
	model, err := mnistadd.Task{}.Open(cfg, "")
	if err != nil {
		return nil, err
	}
	a := new(answer)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_, err = train.Run(ctx, cfg, model, train.Options{Dir: o.Dir, Comm: c, Observer: &watcher{stop: stop, o: o, a: a}})
	if !errors.Is(err, train.ErrInterrupted) {
		return nil, fmt.Errorf("the run ended otherwise than by its stop: %w", err)
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	for _, p := range append(model.Neural().Params(), model.Neural().Buffers()...) {
		a.Digest = crc32.Update(a.Digest, table, collective.Bytes(p.Value))
	}
	for _, p := range model.Neural().Params() {
		for _, live := range p.Ranges() {
			a.Numbers += live.Len()
		}
	}
	for _, p := range model.Neural().Buffers() {
		a.Numbers += len(p.Value)
	}
	if c.Size() > 1 {
		if a.Sum, err = sums(c, a.Numbers, 12); err == nil {
			a.Small, err = sums(c, 1, 200)
		}
		if err != nil {
			return nil, err
		}
	}
	most := []float64{float64(bench.PeakMemory())}
	err = collective.Max(c, most)
	a.Memory = most[0]
	return a, err
}

// sums times sums of n numbers, each after a barrier.
func sums(c collective.Comm, n, times int) ([]float64, error) {
	x := make([]float32, n)
	var seconds []float64
	for range times {
		if err := c.Barrier(); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := collective.Sum(c, x); err != nil {
			return nil, err
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	return seconds[1:], nil
}
