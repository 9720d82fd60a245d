package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// row is a batch size with a number of threads; its times are of passes, in milliseconds.
type row struct {
	network              string
	batch, threads       int
	ours, theirs, ratios []float64
}

// page is a measurement with where and how it was made.
type page struct {
	command, machine, path, version, ort, load string
	rounds                                     int
	seconds                                    float64
	date                                       time.Time
	rows                                       []row
}

// write writes the page as Markdown.
func (p *page) write(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# Forward passes beside onnxruntime\n\nWritten by `%s`; do not edit.\n\n", p.command)
	fmt.Fprintf(&out, "- Machine: %s; kernels on the path %s\n- Date: %s; version %s; onnxruntime %s from PyPI\n",
		p.machine, p.path, p.date.Format("2006-01-02"), p.version, p.ort)
	if p.load != "" {
		fmt.Fprintf(&out, "- Load average before the run: %s\n", p.load)
	}
	for _, n := range networks {
		fmt.Fprintf(&out, "- %s: %s\n", n.name, n.what)
	}
	fmt.Fprintf(&out, `- Networks have fresh weights and see grey 28×28 images; onnxruntime runs the ONNX file that this module
  writes of each, with all its optimisations. Weights do not change, and both sides keep them in forms of
  their own (nn.Net.Hold is ours).
- Times are medians of passes in ms an image, over %d alternations of %g s each. A ratio is the median of
  those of the alternations, ours to onnxruntime's; below 1 ours is faster. Beside it stand the least and
  the largest.

| network | batch | threads | onnxruntime | ours | ours / onnxruntime | least | largest |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`, p.rounds, p.seconds)
	for _, r := range p.rows {
		n := float64(r.batch)
		fmt.Fprintf(&out, "| %s | %d | %d | %.4f | %.4f | %.2f | %.2f | %.2f |\n", r.network, r.batch, r.threads,
			median(r.theirs)/n, median(r.ours)/n, median(r.ratios), slices.Min(r.ratios), slices.Max(r.ratios))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
