package console

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"hinge/train"
	"hinge/train/record"
)

// panel draws the status of a run and a bar below the lines already written, and draws
// over it the next time.
type panel struct {
	out    io.Writer
	width  func() int // of the terminal, 0 if it is not known
	status Status
	bar    *progressbar.ProgressBar
	drawn  int       // rows on the screen
	last   time.Time // drawn at
}

func newPanel(out io.Writer, width func() int) *panel { return &panel{out: out, width: width} }

// redraw is the least time between two drawings.
const redraw = 100 * time.Millisecond

// Terminal codes: up moves the cursor up by a number of lines, clearBelow clears all below it.
const up, clearBelow = "\x1b[%dA\r", "\x1b[J"

func (p *panel) Start(plan train.Plan) {
	p.Note(plan.String())
	p.status.start(plan, time.Now())
	p.bar = progressbar.NewOptions(plan.Steps,
		progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(24), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	p.draw()
}

func (p *panel) Step(step int, m record.Metric) {
	p.status.step(step, &m)
	if time.Since(p.last) >= redraw || step == p.status.Steps {
		p.draw()
	}
}

func (p *panel) Valid(step int, m record.Metric, fate train.Fate) {
	p.status.valid(step, &m, fate)
	p.draw()
}

func (p *panel) Note(text string) {
	p.erase()
	fmt.Fprintln(p.out, text)
	p.draw()
}

func (p *panel) Done() {
	p.draw()
	p.bar, p.drawn = nil, 0 // the lines drawn so far stay
}

func (p *panel) erase() {
	if p.drawn > 0 {
		fmt.Fprintf(p.out, up+clearBelow, p.drawn)
		p.drawn = 0
	}
}

func (p *panel) draw() {
	if p.bar == nil {
		return
	}
	p.last = time.Now()
	p.status.at(p.last)
	_ = p.bar.Set(p.status.Step) // it is drawn into nothing
	rows := append(p.status.rows(), strings.TrimSpace(p.bar.String())+" "+p.status.times())
	p.erase()
	var all strings.Builder
	for _, row := range rows {
		// A row that the terminal breaks would be two.
		if r, width := []rune(row), p.width(); width > 0 && len(r) >= width {
			row = string(r[:width-1])
		}
		all.WriteString(row + "\n")
	}
	_, _ = io.WriteString(p.out, all.String()) // a panel that cannot be drawn must not stop the run
	p.drawn = len(rows)
}
