package train

import (
	"fmt"
	"os"
	"path/filepath"

	"hinge/internal/jsonl"
	"hinge/internal/plot"
)

// Drawer is implemented by models that have something to show of their last test.
type Drawer interface {
	// Draw writes figures to dir.
	Draw(dir string) error
}

// draw leaves figures in the run folder. They are no part of the result: a
// failure is only noted.
func (r *run) draw() {
	err := drawCurves(r.opt.Dir)
	if model, ok := r.model.(Drawer); ok && err == nil {
		err = model.Draw(r.opt.Dir)
	}
	if err != nil {
		r.obs.Note(fmt.Sprintf("no figures: %v", err))
	}
}

const curvesFile = "curves.svg"

// drawCurves draws loss and accuracy over the steps from metrics.jsonl.
func drawCurves(dir string) error {
	lines, err := jsonl.Read[Metric](filepath.Join(dir, metricsFile))
	if err != nil {
		return err
	}
	loss := plot.Series{Name: "train"}
	accuracy := map[Part]*plot.Series{}
	order := []Part{ValidPart, TestPart, MoreTestPart, MoreValidPart, FreshTestPart}
	for _, part := range order {
		accuracy[part] = &plot.Series{Name: string(part)}
	}
	for _, m := range lines {
		if m.Loss != nil {
			loss.X, loss.Y = append(loss.X, float64(m.Step)), append(loss.Y, *m.Loss)
		}
		if s := accuracy[m.Split]; s != nil && m.Accuracy != nil {
			s.X, s.Y = append(s.X, float64(m.Step)), append(s.Y, *m.Accuracy)
		}
	}
	smooth(loss.Y)
	panels := []plot.Panel{{Label: "loss (running mean)", Series: []plot.Series{loss}}, {Label: "accuracy"}}
	for _, part := range order {
		if s := accuracy[part]; len(s.X) > 0 {
			panels[1].Series = append(panels[1].Series, *s)
		}
	}
	file, err := os.Create(filepath.Join(dir, curvesFile))
	if err != nil {
		return err
	}
	err = plot.Curves(file, filepath.Base(dir), "gradient steps", panels)
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}

// smooth replaces values by their exponential running mean: the loss of one batch
// says little.
func smooth(y []float64) {
	for i := 1; i < len(y); i++ {
		y[i] = y[i-1] + 0.1*(y[i]-y[i-1])
	}
}
