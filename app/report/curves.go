package report

import (
	"cmp"
	"fmt"
	"slices"

	"hinge/app/report/plot"
	"hinge/bilevel"
	"hinge/train/learning"
)

// Panel is a diagram with the text that stands beside it.
type Panel struct {
	Title string
	// Note describes how the numbers were processed.
	Note string
	plot.Diagram
}

// most is how many points a curve has at most: more are means of groups.
const most = 300

// parts lists the splits of the data on which accuracies are measured, in the order shown.
var parts = []learning.Part{
	learning.ValidPart, learning.FinalValidPart, learning.MoreValidPart, learning.TestPart, learning.MoreTestPart, learning.FreshTestPart,
}

// Still is a curve whose values do not change; it is not drawn.
type Still struct {
	Title, Name string
	Value       float64
}

// Panels returns the diagrams of the run, for all curves that have values and change, and in
// still the curves that have values and do not change.
func (r *Run) Panels() (out []Panel, still []Still) {
	add := func(title, note string, series ...plot.Series) {
		series = slices.DeleteFunc(series, func(s plot.Series) bool {
			level := s.Level()
			if level {
				still = append(still, Still{title, s.Name, s.Y[len(s.Y)-1]})
			}
			return level || len(s.X) == 0
		})
		if len(series) == 0 {
			return
		}
		out = append(out, Panel{title, note, plot.Diagram{Title: title, X: "gradient step", Series: series}})
	}
	grouped := func(title string, series ...plot.Series) {
		note := ""
		for i, s := range series {
			var size int
			if series[i], size = thin(s); size > 1 {
				note = fmt.Sprintf("Means of %d steps each.", size)
			}
		}
		add(title, note, series...)
	}

	loss := r.steps("batch", func(m *Metric) *float64 { return m.Loss })
	mean := plot.Series{Name: "running mean", X: loss.X, Y: smooth(loss.Y)}
	grouped("Loss", loss, mean)
	grouped("Terms of the loss, summed over the batch", r.terms(lossTerms)...)
	grouped("Constraints of the loss, summed over the batch", r.terms(constraintTerms)...)
	add("Tests at the end of epochs", "", partsOf(r, func(m *Metric) *bilevel.Outcome { return m.Outcome }, outcomes)...)
	add(cmp.Or(r.figure(), "Accuracy"), "", r.byPart(func(m *Metric) *float64 { return m.Accuracy })...)
	add("Accuracy of the network alone on the parts of examples", "", r.byPart(func(m *Metric) *float64 { return m.Parts })...)
	add("Entropy of the network's outputs", "1 is no belief at all.", r.byPart(func(m *Metric) *float64 { return m.Entropy })...)
	grouped("Learning rate", r.steps("learning rate", func(m *Metric) *float64 { return &m.LearningRate }))
	grouped("Temperature of the softmax", r.steps("temperature", func(m *Metric) *float64 {
		if m.Temperature == 0 { // it is left out of a line
			return nil
		}
		return &m.Temperature
	}))
	grouped("Norm of the gradient, before it is clipped", r.steps("norm", func(m *Metric) *float64 { return m.GradNorm }))
	grouped("Seconds a step",
		r.steps("symbolic", func(m *Metric) *float64 { return &m.SolverS }),
		r.steps("neural", func(m *Metric) *float64 { return &m.NeuralS }))
	grouped("Worst gap between primal and dual value of a step's programs", r.steps("worst gap", func(m *Metric) *float64 { return m.WorstGap }))
	if r.Settings["symbolic.freeze-rules"] != "true" { // else they are the table's
		weights, note := r.rules(func(rule *learning.Rule) float64 { return rule.Weight })
		add("Rule weights", note, weights...)
	}
	satisfaction, note := r.rules(func(rule *learning.Rule) float64 { return rule.Satisfaction })
	add("Satisfaction of rules, labels fixed", note, satisfaction...)
	return out, still
}

// steps is a curve over the training steps.
func (r *Run) steps(name string, value func(*Metric) *float64) plot.Series {
	return r.where(name, learning.TrainPart, value)
}

// where is a curve over the lines of a part that have a value.
func (r *Run) where(name string, part learning.Part, value func(*Metric) *float64) plot.Series {
	s := plot.Series{Name: name}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if v := value(m); m.Split == part && v != nil {
			s.X, s.Y = append(s.X, float64(m.Step)), append(s.Y, *v)
		}
	}
	return s
}

// byPart has a curve for every part that is measured.
func (r *Run) byPart(value func(*Metric) *float64) []plot.Series {
	var out []plot.Series
	for _, part := range parts {
		if s := r.where(string(part), part, value); len(s.X) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// part is a number of something that a line may have.
type part[T any] struct {
	name  string
	value func(*T) float64
}

var lossTerms = []part[bilevel.Terms]{
	{"supervised", func(t *bilevel.Terms) float64 { return t.Supervised }},
	{"energy", func(t *bilevel.Terms) float64 { return t.Energy }},
	{"linear", func(t *bilevel.Terms) float64 { return t.Linear }},
	{"quadratic", func(t *bilevel.Terms) float64 { return t.Quadratic }},
	{"augmented Lagrangian", func(t *bilevel.Terms) float64 { return t.Lagrangian }},
}

var constraintTerms = []part[bilevel.Terms]{
	{"gap", func(t *bilevel.Terms) float64 { return t.Gap }},
	{"violation", func(t *bilevel.Terms) float64 { return t.Violation }},
	{"slack", func(t *bilevel.Terms) float64 { return t.Slack }},
}

// outcomes are the results of the augmented Lagrangian's tests.
var outcomes = []part[bilevel.Outcome]{
	{"stationarity δ", func(o *bilevel.Outcome) float64 { return o.Delta }},
	{"its tolerance ω", func(o *bilevel.Outcome) float64 { return o.Omega }},
	{"penalty μ", func(o *bilevel.Outcome) float64 { return o.Penalty }},
	{"relaxation ι", func(o *bilevel.Outcome) float64 { return o.Relaxation }},
}

// partsOf has a curve over the training steps for each number of what of finds in a line.
func partsOf[T any](r *Run, of func(*Metric) *T, list []part[T]) (out []plot.Series) {
	for _, p := range list {
		out = append(out, r.steps(p.name, func(m *Metric) *float64 {
			if of(m) == nil {
				return nil
			}
			v := p.value(of(m))
			return &v
		}))
	}
	return out
}

// terms has a curve for each term that is ever anything but zero.
func (r *Run) terms(list []part[bilevel.Terms]) []plot.Series {
	return slices.DeleteFunc(partsOf(r, func(m *Metric) *bilevel.Terms { return m.Terms }, list), func(s plot.Series) bool {
		return !slices.ContainsFunc(s.Y, func(v float64) bool { return v != 0 })
	})
}

// rules has a curve for each rule over the validations, of as many rules as there are
// colours: those whose values change most.
func (r *Run) rules(value func(*learning.Rule) float64) (curves []plot.Series, note string) {
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if m.Split != learning.ValidPart {
			continue
		}
		for k := range m.Rules {
			if k == len(curves) {
				curves = append(curves, plot.Series{Name: m.Rules[k].Text})
			}
			c := &curves[k]
			c.X, c.Y = append(c.X, float64(m.Step)), append(c.Y, value(&m.Rules[k]))
		}
	}
	if all := len(curves); all > plot.Colours {
		slices.SortStableFunc(curves, func(a, b plot.Series) int { return cmp.Compare(spread(b.Y), spread(a.Y)) })
		curves = curves[:plot.Colours]
		note = fmt.Sprintf("The %d of %d rules that change most.", plot.Colours, all)
	}
	return curves, note
}

// spread is the distance between the largest and the smallest value.
func spread(y []float64) float64 { return slices.Max(y) - slices.Min(y) }

// thin replaces the points of a long curve by the means of groups of a size.
func thin(s plot.Series) (out plot.Series, size int) {
	size = (len(s.X) + most - 1) / most
	if size <= 1 {
		return s, 1
	}
	out.Name = s.Name
	for lo := 0; lo < len(s.X); lo += size {
		hi := min(lo+size, len(s.X))
		out.X, out.Y = append(out.X, average(s.X[lo:hi])), append(out.Y, average(s.Y[lo:hi]))
	}
	return out, size
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// smooth is the exponential running mean, as the loss of one batch varies too much.
func smooth(y []float64) []float64 {
	out := slices.Clone(y)
	for i := 1; i < len(y); i++ {
		out[i] = out[i-1] + 0.1*(y[i]-out[i-1])
	}
	return out
}
