package report

import (
	"html/template"
	"io"
	"maps"
	"slices"

	"hinge/app/report/plot"
	"hinge/train/learning"
)

// Row is the summary of a run on one line. Its JSON form is one object.
type Row struct {
	Dir    string `json:"dir"`
	Task   string `json:"task"`
	System string `json:"system"`
	// Loss is empty for systems with a loss of their own.
	Loss   string `json:"loss"`
	Recipe string `json:"recipe"`
	Split  string `json:"split"`
	// Accuracy is the accuracy of the test or of the last validation, as On states; nil before
	// both.
	Accuracy *float64 `json:"accuracy,omitempty"`
	On       string   `json:"on,omitempty"`
	// Figure names what Accuracy is if it is no accuracy; Shown is its text for people.
	Figure  string  `json:"figure,omitempty"`
	Shown   string  `json:"-"`
	Steps   int     `json:"steps"`
	Seconds float64 `json:"seconds"`
	Commit  string  `json:"commit,omitempty"` // of the program, if known
	State   string  `json:"state"`
}

// Row returns the summary of the run.
func (r *Run) Row() Row {
	row := Row{
		Dir: r.Dir, Task: r.Settings["task"], System: r.System(), Loss: r.Settings["loss"], Recipe: r.Settings["recipe"],
		Split: r.Settings["split"], Steps: r.Steps(), Seconds: r.Seconds(), State: r.State(),
	}
	if row.System != "neupsl" {
		row.Loss = ""
	}
	if all := r.accuracies(); len(all) > 0 {
		row.Accuracy, row.On, row.Figure, row.Shown = &all[0].Value, all[0].What, all[0].Figure, all[0].Shown()
	}
	if r.Result != nil && commit.MatchString(r.Result.Version) {
		row.Commit = r.Result.Version
	}
	return row
}

// overlaid are the curves that are laid over each other, one a run: over the lines of a part,
// smooth as running means.
var overlaid = []struct {
	title  string
	part   learning.Part
	value  func(*Metric) *float64
	smooth bool
}{
	{"Loss, running mean", learning.TrainPart, func(m *Metric) *float64 { return m.Loss }, true},
	{"Accuracy on validation, or the figure of the table", learning.ValidPart, func(m *Metric) *float64 { return m.Accuracy }, false},
	{"Accuracy on the test, or the figure of the table", learning.TestPart, func(m *Metric) *float64 { return m.Accuracy }, false},
	{"Accuracy of the network alone on validation", learning.ValidPart, func(m *Metric) *float64 { return m.Parts }, false},
	{"Entropy of the network's outputs on validation", learning.ValidPart, func(m *Metric) *float64 { return m.Entropy }, false},
	{"Norm of the gradient, before it is clipped", learning.TrainPart, func(m *Metric) *float64 { return m.GradNorm }, false},
	{"Learning rate", learning.TrainPart, func(m *Metric) *float64 { return &m.LearningRate }, false},
}

// Overlay writes a page that draws the curves of several runs into the same diagrams, leaves
// out curves that change in no run, and lists the results of the runs and the settings in
// which they differ. A run has the same colour in all diagrams.
func Overlay(w io.Writer, runs []*Run) error {
	type line struct {
		Row
		Colour template.CSS
		Dashed bool
	}
	type setting struct {
		Key    string
		Values []string
	}
	v := struct {
		Runs    []line
		Figures []figure
		Differ  []setting
	}{}
	keys := map[string]bool{}
	for i, r := range runs {
		v.Runs = append(v.Runs, line{r.Row(), template.CSS(plot.Colour(i)), plot.Dashed(i)}) //nolint:gosec // our own
		for k := range r.Settings {
			keys[k] = true
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(keys), byDepth) {
		s := setting{Key: key}
		for _, r := range runs {
			s.Values = append(s.Values, orUnset(r.Settings, key))
		}
		if slices.ContainsFunc(s.Values, func(v string) bool { return !same(v, s.Values[0]) }) {
			v.Differ = append(v.Differ, s)
		}
	}
	for _, o := range overlaid {
		p := Panel{Title: o.title, Diagram: plot.Diagram{Title: o.title, X: "gradient step"}}
		moves := false
		for _, r := range runs {
			curve := r.where("", o.part, o.value)
			if o.smooth {
				curve.Y = smooth(curve.Y)
			}
			s, size := thin(curve)
			if size > 1 {
				p.Note = "Means of groups of steps."
			}
			moves = moves || len(s.X) > 0 && !s.Level()
			p.Series = append(p.Series, s) // an empty one keeps the colours
		}
		if !moves {
			continue
		}
		f, err := draw(p)
		if err != nil {
			return err
		}
		f.Legend = nil // the table is
		v.Figures = append(v.Figures, f)
	}
	return pages.ExecuteTemplate(w, "runs", v)
}
