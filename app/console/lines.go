package console

import (
	"cmp"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"hinge/train"
	"hinge/train/record"
)

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

func (l *lines) Start(p train.Plan) {
	l.total = p.Steps
	if !l.quiet {
		l.log.Info("training", "plan", p.String(), "done", p.Done, "steps", p.Steps)
	}
}

func (l *lines) Step(step int, m record.Metric) {
	if l.quiet || time.Since(l.last) < lineInterval && step != l.total {
		return
	}
	l.last = time.Now()
	l.log.Info("step", "step", step, "of", l.total, "epoch", m.Epoch, "loss", round(*m.Loss),
		"neural_s", round(m.NeuralS), "solver_s", round(m.SolverS), "solves", m.Solves)
}

func (l *lines) Valid(step int, m record.Metric, fate train.Fate) {
	if l.quiet {
		return
	}
	values := []any{"step", step}
	if m.Accuracy != nil {
		values = append(values, cmp.Or(m.Figure, "accuracy"), *m.Accuracy)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Networks)) {
		values = append(values, name, round(m.Networks[name]))
	}
	if m.Parts != nil && m.Networks == nil {
		values = append(values, "parts", round(*m.Parts))
	}
	if m.Entropy != nil {
		values = append(values, "entropy", round(*m.Entropy))
	}
	if fate == train.Looked {
		l.log.Info("look", values...)
		return
	}
	l.log.Info("valid", append(values, "kept", fate == train.Kept)...)
}

func (l *lines) Note(text string) { l.log.Info(text) }
func (l *lines) Done()            {}

// round keeps four significant digits for people; metrics.jsonl has them all.
func round(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // it is a number
	return v
}
