package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hinge/lab/bench"
	"hinge/train/machine"
)

// page is what was measured, as Markdown.
func (s *study) page() string {
	var b strings.Builder
	o := s.o
	single := stepOf(s.single)
	fmt.Fprintf(&b, `# Training on several ranks

Made by `+"`make bench-mpi`"+` (`+"`go run ./lab/mpi -part training -alternations %d -steps %d -batch %d -ranks %s`"+`).
Not edited by hand.

%s; version %s.
Load average %s at the start, %s at the end, of what else ran on the machine and of the
measurement itself.

The steps of mnist-add2, default loss and ResNet18, one thread a process. One process takes
%d images a step. Against it: R processes at the same time that share nothing, which is
what the machine has to give; R ranks that share its batch; R ranks of which each has as
much. All are run in turn, %d times; a speed-up compares images a second with those of one
process in the same turn, and the median is given, with the smallest and the largest.
Communication is the time in which rank 0 adds gradients, in which it also waits for the
slowest rank. Memory is the largest of a rank.

| processes | MPI | images/s | speed-up | communication | memory of each | bits of one process with as many shards |
| --- | --- | --- | --- | --- | --- | --- |
| 1 | | %.0f | 1 | | %.0f MB | |
`, o.alternations, o.steps, o.batch, rankList(o.ranks), s.machine, machine.Version(context.Background()), s.load[0], s.load[1], 4*o.batch, o.alternations,
		float64(4*o.batch)/single, memoryOf(s.single)/1e6)
	for _, m := range s.several {
		ratios := s.speedUps(m)
		var share []float64
		for _, a := range m.runs {
			share = append(share, total(a.Comm)/total(a.Seconds))
		}
		what, comm, same := "apart", "", ""
		if m.kind != apart {
			what, comm = "ranks that share a batch", fmt.Sprintf("%.1f %%", 100*bench.Median(share))
		}
		switch {
		case m.kind == each:
			what = "ranks with a batch each"
		case m.kind == shared && m.same:
			same = "the same"
		case m.kind == shared:
			same = "OTHERS"
		}
		fmt.Fprintf(&b, "| %d %s | %s | %.0f | %.2f (%.2f to %.2f) | %s | %.0f MB | %s |\n", m.ranks, what, m.launcher.name,
			float64(m.images(o))/stepOf(m.runs), bench.Median(ratios), slices.Min(ratios), slices.Max(ratios),
			comm, memoryOf(m.runs)/1e6, same)
	}
	n := s.single[0].Numbers
	fmt.Fprintf(&b, `
## The sum of the gradients

%.2f million numbers of 4 bytes are added in a step: the learned part of the network, and
running statistics. Timed by itself, after a barrier, on shared memory: the median of all
runs. The latency is a fraction of that of a sum of one number, which is one message; a sum
of many is 2(R − 1) messages deep.

| MPI | ranks | seconds | bytes in and out of a rank, a second | sum of one number |
| --- | --- | --- | --- | --- |
`, float64(n)/1e6)
	var best constants
	for _, m := range s.several {
		if m.kind != shared {
			continue
		}
		var sum, small []float64
		for _, a := range m.runs {
			sum, small = append(sum, a.Sum...), append(small, a.Small...)
		}
		c := constants{numbers: n, image: single / float64(4*o.batch), images: 4 * o.batch}
		c.latency = bench.Median(small) / float64(m.ranks-1)
		moved := 2 * float64(m.ranks-1) / float64(m.ranks) * 4 * float64(n)
		c.rate = moved / bench.Median(sum)
		if c.rate > best.rate {
			best = c
		}
		fmt.Fprintf(&b, "| %s | %d | %.4f | %.2f GB | %.0f µs |\n",
			m.launcher.name, m.ranks, bench.Median(sum), c.rate/1e9, 1e6*bench.Median(small))
	}
	b.WriteString(best.model())
	return b.String()
}

// constants are what the model of the cost of a step is made of.
type constants struct {
	numbers int     // summed in a step, of 4 bytes
	images  int     // of a batch of one process
	image   float64 // seconds of computing for an image, on one thread
	latency float64 // seconds of a message
	rate    float64 // bytes a second in and out of a rank
}

// ring is the time of a sum by parts, tree that of one up and down a tree of whole arrays.
func (c constants) ring(ranks float64) float64 {
	return 2*(ranks-1)*c.latency + 2*(ranks-1)/ranks*4*float64(c.numbers)/c.rate
}

func (c constants) tree(ranks float64) float64 {
	depth := 0.0
	for n := 1.0; n < ranks; n *= 2 {
		depth++
	}
	return 2 * depth * (c.latency + 4*float64(c.numbers)/c.rate)
}

// model is the table of what a step costs on more ranks.
func (c constants) model() string {
	var b strings.Builder
	network := c
	network.latency, network.rate = 20e-6, 1.25e9
	fmt.Fprintf(&b, `
## More ranks, on paper

By the model of docs/CLUSTER.md, with %.2f ms an image as measured here. Each rank keeps
%d images a step, so that a batch grows with the ranks. The constants of shared memory are
the best measured above (%.0f µs, %.2f GB/s); those of a network are assumed, for a link of
10 Gbit/s (20 µs, 1.25 GB/s), and measured nowhere here. Efficiency is computing over
computing and the sum by parts; nothing overlaps.

| ranks | volume in and out of a rank | by parts, memory | tree, memory | by parts, network | tree, network | efficiency, memory | efficiency, network |
| --- | --- | --- | --- | --- | --- | --- | --- |
`, 1e3*c.image, c.images, 1e6*c.latency, c.rate/1e9)
	work := c.image * float64(c.images)
	for _, r := range []float64{2, 4, 8, 16, 32, 64} {
		volume := 2 * (r - 1) / r * 4 * float64(c.numbers)
		fmt.Fprintf(&b, "| %.0f | %.1f MB | %.1f ms | %.1f ms | %.1f ms | %.1f ms | %.0f %% | %.0f %% |\n", r, volume/1e6,
			1e3*c.ring(r), 1e3*c.tree(r), 1e3*network.ring(r), 1e3*network.tree(r),
			100*work/(work+c.ring(r)), 100*work/(work+network.ring(r)))
	}
	return b.String()
}

// stepOf is the median time of a step, memoryOf the largest memory.
func stepOf(runs []*answer) float64 {
	var all []float64
	for _, a := range runs {
		all = append(all, bench.Median(a.Seconds))
	}
	return bench.Median(all)
}

func memoryOf(runs []*answer) float64 {
	most := 0.0
	for _, a := range runs {
		most = max(most, a.Memory)
	}
	return most
}

// speedUps compares the images a second of a series with those of one process, by
// alternation.
func (s *study) speedUps(m *series) []float64 {
	var out []float64
	more := float64(m.images(s.o)) / float64(4*s.o.batch)
	for i, a := range m.runs {
		out = append(out, more*total(s.single[i].Seconds)/float64(len(s.single[i].Seconds))/(total(a.Seconds)/float64(len(a.Seconds))))
	}
	return out
}

func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

func rankList(ranks []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ranks), " ", ","), "[]")
}
