package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"hinge/lab/bench"
	"hinge/nn/kernel"
	"hinge/train/machine"
)

// What is measured.
var (
	kinds      = []kind{{"train", "TrainStep"}, {"forward", "Forward"}}
	compared   = []int{64, 256}                // batches, against PyTorch
	batches    = []int{32, 64, 128, 256, 1024} // ours alone
	threads    = []int{1, 2}
	largest    = batches[len(batches)-1]
	kernelTime = 0.2 // seconds for one product
)

// kind is a kind of step: its name there and its benchmark here.
type kind struct{ torch, ours string }

// pairing is one comparison: ms per image of each alternation.
type pairing struct {
	kind           kind
	batch, threads int
	ours, theirs   []float64
}

// ratio is our median time as a fraction of theirs.
func (p *pairing) ratio() float64 { return bench.Median(p.ours) / bench.Median(p.theirs) }

// report is everything that was measured.
type report struct {
	options
	command, version, torch, path string
	machine                       machine.Machine
	date                          time.Time

	pairs        []pairing
	load         string               // average number of running processes before
	ours         map[string][]float64 // by kind, batch and threads: ms per image
	heap         map[int]float64      // by batch: bytes allocated in a step
	memory       map[int]int64        // by batch: peak of a training process
	theirMemory  int64                // that of PyTorch at the largest batch
	gemms, convs [][]result           // by threads
}

func key(k kind, batch, threads int) string { return fmt.Sprint(k.ours, "/", batch, "/", threads) }

func measure(ctx context.Context, o options, python, dir string, log io.Writer) (*report, error) {
	r := &report{
		options: o, version: machine.Version(ctx), path: kernel.Path(), machine: machine.This(), date: time.Now(),
		load: bench.LoadAverage(), ours: map[string][]float64{}, heap: map[int]float64{}, memory: map[int]int64{},
	}
	model, err := build(ctx, dir, "hinge/models/resnet18")
	if err != nil {
		return nil, err
	}
	for _, t := range threads {
		for _, b := range compared {
			if err := r.compare(ctx, model, python, dir, b, t, log); err != nil {
				return nil, err
			}
		}
	}
	if o.out == "" {
		return r, nil
	}
	if err := r.alone(ctx, model, log); err != nil {
		return nil, err
	}
	their, err := startTorch(ctx, python, dir, largest, 1)
	if err != nil {
		return nil, err
	}
	if _, err := their.time("train", 0); err != nil {
		return nil, err
	}
	if r.theirMemory, err = their.end(); err != nil {
		return nil, err
	}
	return r, r.products(ctx, dir, log)
}

// compare alternates between the two sides.
func (r *report) compare(ctx context.Context, model program, python, dir string, batch, threads int, log io.Writer) error {
	their, err := startTorch(ctx, python, dir, batch, threads)
	if err != nil {
		return err
	}
	r.torch = their.version
	pairs := make([]pairing, len(kinds))
	for range r.alternations {
		for i, k := range kinds {
			p := &pairs[i]
			p.kind, p.batch, p.threads = k, batch, threads
			ms, err := their.time(k.torch, r.seconds)
			if err != nil {
				return err
			}
			p.theirs = append(p.theirs, ms)
			res, _, err := r.step(ctx, model, k, batch, threads)
			if err != nil {
				return err
			}
			p.ours = append(p.ours, res.figures["median-ms/image"])
		}
	}
	for _, p := range pairs {
		fmt.Fprintf(log, "%-8s batch %4d threads %d: PyTorch %.3f ms/image, ours %.3f, ratio %.3f\n",
			p.kind.torch, batch, threads, bench.Median(p.theirs), bench.Median(p.ours), p.ratio())
	}
	r.pairs = append(r.pairs, pairs...)
	_, err = their.end()
	return err
}

// step measures one of our benchmarks in a process of its own.
func (r *report) step(ctx context.Context, model program, k kind, batch, threads int) (result, int64, error) {
	list, peak, err := model.run(ctx, fmt.Sprintf("^Benchmark%s$/^batch=%d$", k.ours, batch), fmt.Sprintf("%gs", r.seconds), threads)
	if err != nil {
		return result{}, 0, err
	}
	return list[0], peak, nil
}

// rounds is how often ours alone is measured, in turn over all batch sizes.
func (r *report) rounds() int { return r.alternations/2 + 1 }

// alone measures ours at every batch size.
func (r *report) alone(ctx context.Context, model program, log io.Writer) error {
	for round := range r.rounds() {
		for _, t := range threads {
			for _, b := range batches {
				for _, k := range kinds {
					res, peak, err := r.step(ctx, model, k, b, t)
					if err != nil {
						return err
					}
					id, ms := key(k, b, t), res.figures["median-ms/image"]
					r.ours[id] = append(r.ours[id], ms)
					if k == kinds[0] {
						r.heap[b], r.memory[b] = res.figures["B/op"], max(peak, r.memory[b])
					}
					fmt.Fprintf(log, "round %d, %s batch %d threads %d: %.3f ms/image\n", round+1, k.ours, b, t, ms)
				}
			}
		}
	}
	return nil
}

// products measures the matrix products and convolutions.
func (r *report) products(ctx context.Context, dir string, log io.Writer) error {
	k, err := build(ctx, dir, "hinge/nn/kernel")
	if err != nil {
		return err
	}
	for _, t := range threads {
		for bench, list := range map[string]*[][]result{"^BenchmarkGEMM$": &r.gemms, "^BenchmarkConv$": &r.convs} {
			res, _, err := k.run(ctx, bench, fmt.Sprintf("%gs", kernelTime), t)
			if err != nil {
				return err
			}
			*list = append(*list, res)
			fmt.Fprintf(log, "%s threads %d: %d measured\n", bench, t, len(res))
		}
	}
	return nil
}
