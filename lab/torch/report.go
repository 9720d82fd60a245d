package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"hinge/lab/bench"
)

// write writes the report as Markdown.
func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, `# The neural engine: ResNet18 on a CPU

Written by %s; do not edit.

- Machine: %s; kernels on the path %s
- Date: %s; version %s; PyTorch %s
- Network: models/resnet18 with the head of the MNIST-Addition experiments on grey
  28×28 images. A training step is forward, cross entropy, backward and Adam;
  forward is an evaluation with frozen statistics.
- Times are medians over the steps of about %g s.
`, "`"+r.command+"`", r.machine, r.path, r.date.Format("2006-01-02"), r.version, r.torch, r.seconds)
	fmt.Fprintf(w, "- Load average before the run: %s; both sides share the machine with what else runs there.\n", r.load)
	if r.path != "avx512" {
		fmt.Fprintf(w, "- The AVX-512 kernels were not measured: this run took the path %s.\n", r.path)
	}
	r.writePairs(w)
	r.writeOurs(w)
	r.writeProducts(w, "Matrix products", "m×n×k of C = A·B; T marks the operand that is stored transposed. The smallest three take 0.8 µs at the\npeak. Of ten columns in a panel of 16 (AVX2), no more than 62 % of the arithmetic is of use, and packing and\nthe call take as long as a third of it; a stored-transposed A turns the product round (gemm_narrow.go), which\nleaves the transposing of C. A sum of ten terms is over before the tile's stores are paid for. Products of less than\n2¹⁸ multiply-adds are not worth a second thread.", r.gemms)
	r.writeProducts(w, "Convolutions at batch 64", "Multiply-adds on padding are not counted; packing is inside the time. Filters of 3×3 with stride one take a third\nto a half of the multiply-adds that are counted (Winograd), and may so pass the peak.", r.convs)
}

func (r *report) writePairs(w io.Writer) {
	fmt.Fprintf(w, "\n## Against PyTorch\n\nms per image; medians of %d alternations in one run.\n\n", r.alternations)
	fmt.Fprint(w, "| step | batch | threads | PyTorch | ours | ours / PyTorch |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, p := range r.pairs {
		fmt.Fprintf(w, "| %s | %d | %d | %.3f | %.3f | %.2f |\n", p.kind.torch, p.batch, p.threads, bench.Median(p.theirs), bench.Median(p.ours), p.ratio())
	}
}

func (r *report) writeOurs(w io.Writer) {
	fmt.Fprintf(w, "\n## By batch size\n\nms per image, by threads, medians of %d rounds; heap is what a training step allocates, memory the peak\nresident size of the training process.\n\n| batch |", r.rounds())
	for _, k := range kinds {
		for _, t := range threads {
			fmt.Fprintf(w, " %s, %d |", k.torch, t)
		}
		fmt.Fprintf(w, " speed-up |")
	}
	fmt.Fprintf(w, " heap, kB | memory, MB |\n|%s\n", strings.Repeat(" ---: |", 3+len(kinds)*(len(threads)+1)))
	first, last := threads[0], threads[len(threads)-1]
	for _, b := range batches {
		fmt.Fprintf(w, "| %d |", b)
		for _, k := range kinds {
			for _, t := range threads {
				fmt.Fprintf(w, " %.3f |", bench.Median(r.ours[key(k, b, t)]))
			}
			fmt.Fprintf(w, " %.2f |", bench.Median(r.ours[key(k, b, first)])/bench.Median(r.ours[key(k, b, last)]))
		}
		fmt.Fprintf(w, " %.0f | %.0f |\n", r.heap[b]/1e3, float64(r.memory[b])/1e6)
	}
	fmt.Fprintf(w, "\nPyTorch's training process at batch %d: %.0f MB.\n", largest, float64(r.theirMemory)/1e6)
}

// writeProducts writes one row for each benchmark, with the rate at each number
// of threads.
func (r *report) writeProducts(w io.Writer, title, note string, lists [][]result) {
	fmt.Fprintf(w, "\n## %s\n\n%s GFLOP/s of the fastest call, and its fraction of\nthe peak of multiply-adds measured beside it, by threads.\n\n| |", title, note)
	for _, t := range threads {
		fmt.Fprintf(w, " GFLOP/s, %d | of peak |", t)
	}
	fmt.Fprintf(w, "\n| --- |%s\n", strings.Repeat(" ---: |", 2*len(threads)))
	for i, first := range lists[0] {
		_, name, _ := strings.Cut(first.name, "/")
		fmt.Fprintf(w, "| %s |", cmp.Or(name, first.name))
		for _, list := range lists {
			f := list[i].figures
			fmt.Fprintf(w, " %.1f | %.0f %% |", f["GFLOP/s"], f["%peak"])
		}
		fmt.Fprintln(w)
	}
}
