// Package console shows a training run to a person: a progress bar with loss,
// validation accuracy, that of the parts of examples, the entropy of the network's
// outputs and time left on a terminal, plain or JSON lines elsewhere.
//
// New picks the form by what the output is. An Observer belongs to one run and
// is called by it from one goroutine; it never changes the run.
package console

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"hinge/train"
)

// Format says how lines look where there is no bar.
type Format string

// The formats.
const (
	Text Format = "text"
	JSON Format = "json"
)

// New returns an observer that writes to f: a bar if f is a terminal, the
// format is Text and quiet is false, otherwise lines.
func New(f *os.File, format Format, quiet bool) train.Observer {
	if format == Text && !quiet && term.IsTerminal(int(f.Fd())) {
		return &bar{out: f}
	}
	return newLines(f, format, quiet)
}

// lineInterval is the least time between two lines about training steps.
const lineInterval = 10 * time.Second

// lines writes one line an event, and about training steps at most one in
// lineInterval.
type lines struct {
	log   *slog.Logger
	quiet bool
	total int
	last  time.Time
}

func newLines(w io.Writer, format Format, quiet bool) *lines {
	drop := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}
	opt := &slog.HandlerOptions{ReplaceAttr: drop}
	var h slog.Handler = slog.NewTextHandler(w, opt)
	if format == JSON {
		h = slog.NewJSONHandler(w, opt)
	}
	return &lines{log: slog.New(h), quiet: quiet}
}

func (l *lines) Start(done, total int) {
	l.total = total
	if !l.quiet {
		l.log.Info("training", "done", done, "steps", total)
	}
}

func (l *lines) Step(step int, m train.Metric) {
	if l.quiet || time.Since(l.last) < lineInterval && step != l.total {
		return
	}
	l.last = time.Now()
	l.log.Info("step", "step", step, "of", l.total, "epoch", m.Epoch, "loss", round(*m.Loss),
		"neural_s", round(m.NeuralS), "solver_s", round(m.SolverS))
}

func (l *lines) Valid(step int, m train.Metric, best bool) {
	if l.quiet {
		return
	}
	values := []any{"step", step, "accuracy", *m.Accuracy}
	if m.Parts > 0 {
		values = append(values, "parts", round(m.Parts))
	}
	if m.Entropy > 0 {
		values = append(values, "entropy", round(m.Entropy))
	}
	l.log.Info("valid", append(values, "best", best)...)
}

func (l *lines) Note(text string) { l.log.Info(text) }
func (l *lines) Done()            {}

// round keeps four significant digits for people; metrics.jsonl has them all.
func round(v float64) string { return fmt.Sprintf("%.4g", v) }

// bar draws a progress bar.
type bar struct {
	out   io.Writer
	bar   *progressbar.ProgressBar
	loss  float64
	valid string
}

func (b *bar) Start(done, total int) {
	b.bar = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(b.out), progressbar.OptionSetWidth(24),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth(),
		progressbar.OptionSetDescription("training"))
	_ = b.bar.Set(done) // a bar that cannot be drawn must not stop the run
}

func (b *bar) Step(step int, m train.Metric) {
	// A running mean: the loss of one batch says little.
	if b.loss == 0 {
		b.loss = *m.Loss
	}
	b.loss += 0.1 * (*m.Loss - b.loss)
	b.describe()
	_ = b.bar.Set(step)
}

func (b *bar) Valid(_ int, m train.Metric, _ bool) {
	b.valid = fmt.Sprintf(" valid %.1f%%", 100**m.Accuracy)
	if m.Parts > 0 {
		b.valid += fmt.Sprintf(" parts %.1f%%", 100*m.Parts)
	}
	if m.Entropy > 0 {
		b.valid += fmt.Sprintf(" entropy %.2f", m.Entropy)
	}
	b.describe()
}

func (b *bar) describe() { b.bar.Describe(fmt.Sprintf("loss %.4f%s", b.loss, b.valid)) }

func (b *bar) Note(text string) {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
	fmt.Fprintln(b.out, text)
}

func (b *bar) Done() { fmt.Fprintln(b.out) }
