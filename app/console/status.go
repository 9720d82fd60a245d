package console

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"hinge/symbolic/psl"
	"hinge/train"
	"hinge/train/record"
)

// Status describes how far a run has come. The panel shows it, SIGUSR1 prints it, and the file
// of Watch holds it as JSON. Figures that are not known yet are left out.
type Status struct {
	// State is waiting (for data or pre-training), training, or ended, well or not:
	// result.json tells.
	State string `json:"state"`
	Task  string `json:"task,omitempty"`
	Loss  string `json:"loss,omitempty"` // by which it learns
	Step  int    `json:"step"`
	Steps int    `json:"steps"`
	Epoch int    `json:"epoch"`
	// Value is the loss's, a running mean; LearningRate and GradNorm are of the last step.
	Value        *float64 `json:"loss_value,omitempty"`
	LearningRate float64  `json:"learning_rate,omitempty"`
	GradNorm     *float64 `json:"grad_norm,omitempty"`
	// Valid, Parts and Entropy are of the newest validation, at ValidStep; Best is the
	// accuracy of the weights that are kept, of BestStep. Steps are nil before there are any.
	// Figure names what the accuracies are where they are none, Networks has those of each of
	// several networks.
	Valid     float64            `json:"valid_accuracy"`
	Figure    string             `json:"figure,omitempty"`
	Networks  map[string]float64 `json:"networks,omitempty"`
	ValidStep *int               `json:"valid_step,omitempty"`
	Parts     *float64           `json:"parts_accuracy,omitempty"`
	Entropy   *float64           `json:"output_entropy,omitempty"`
	Best      float64            `json:"best_accuracy"`
	BestStep  *int               `json:"best_step,omitempty"`
	// NeuralS and SolverS are seconds of this sitting, ElapsedS all its seconds. LeftS
	// estimates the seconds of the remaining steps from the steps so far.
	NeuralS  float64 `json:"neural_s"`
	SolverS  float64 `json:"solver_s"`
	ElapsedS float64 `json:"elapsed_s"`
	LeftS    float64 `json:"left_s,omitempty"`
	// Solves counts the programs solved since this start; Unsolved counts those that stopped
	// before their gap closed.
	Solves   int `json:"solves"`
	Unsolved int `json:"unsolved"`

	began time.Time
	first int // step that the sitting began with
}

func (s *Status) start(p train.Plan, now time.Time) {
	s.State, s.Task, s.Loss, s.Step, s.Steps = "training", p.Task, p.Loss, p.Done, p.Steps
	if p.Loss == "" {
		s.Loss = p.System
	}
	s.began, s.first = now, p.Done
}

func (s *Status) step(step int, m *record.Metric) {
	s.Step, s.Epoch = step, m.Epoch
	s.work(m)
	v := finite(*m.Loss)
	if s.Value != nil { // the loss of one batch varies too much
		v = *s.Value + 0.1*(v-*s.Value)
	}
	s.Value, s.LearningRate, s.GradNorm = &v, finite(m.LearningRate), new(finite(*m.GradNorm))
}

func (s *Status) valid(step int, m *record.Metric, fate train.Fate) {
	s.work(m)
	if m.Accuracy == nil {
		return
	}
	s.Valid, s.ValidStep, s.Parts, s.Entropy = *m.Accuracy, &step, m.Parts, m.Entropy
	s.Figure, s.Networks = m.Figure, m.Networks
	if fate == train.Kept {
		s.Best, s.BestStep = *m.Accuracy, &step
	}
}

func (s *Status) work(m *record.Metric) {
	s.NeuralS, s.SolverS = s.NeuralS+m.NeuralS, s.SolverS+m.SolverS
	s.Solves, s.Unsolved = s.Solves+m.Solves, s.Unsolved+m.Unsolved
}

// at sets the times.
func (s *Status) at(now time.Time) {
	if s.began.IsZero() {
		return
	}
	s.ElapsedS, s.LeftS = now.Sub(s.began).Seconds(), 0
	if done := s.Step - s.first; done > 0 {
		s.LeftS = s.ElapsedS / float64(done) * float64(s.Steps-s.Step)
	}
}

// finite keeps what JSON cannot hold out of it.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// rows are the parts of a status, as the panel has them below each other.
func (s *Status) rows() []string {
	if s.State == "waiting" {
		return []string{"not training yet: data or pre-training"}
	}
	var rows []string
	if s.Value != nil {
		rows = append(rows, fmt.Sprintf("loss %.4g, gradient %.3g, learning rate %.3g", *s.Value, *s.GradNorm, s.LearningRate))
	}
	if s.ValidStep != nil {
		value := func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
		if s.Figure != "" {
			value = func(v float64) string { return fmt.Sprintf("%s %.4f", s.Figure, v) }
		}
		row := fmt.Sprintf("validation %s at step %d", value(s.Valid), *s.ValidStep)
		if s.BestStep != nil && *s.BestStep != *s.ValidStep {
			row += fmt.Sprintf(" (kept: %s at %d)", value(s.Best), *s.BestStep)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Networks)) {
			row += fmt.Sprintf(", %s %.1f %%", name, 100*s.Networks[name])
		}
		if s.Parts != nil && s.Networks == nil {
			row += fmt.Sprintf(", parts %.1f %%", 100**s.Parts)
		}
		if s.Entropy != nil {
			row += fmt.Sprintf(", entropy %.2f", *s.Entropy)
		}
		rows = append(rows, row)
	}
	row := fmt.Sprintf("seconds %.1f neural, %.1f symbolic", s.NeuralS, s.SolverS)
	if s.Solves > 0 {
		row += fmt.Sprintf(" (%s", psl.Count(s.Solves, "program"))
		if s.Unsolved > 0 {
			row += fmt.Sprintf(", %d short of the gap", s.Unsolved)
		}
		row += ")"
	}
	return append(rows, row)
}

// times returns the time that has passed and the time that is left.
func (s *Status) times() string {
	text := brief(s.ElapsedS)
	if s.LeftS > 0 {
		text += ", about " + brief(s.LeftS) + " left"
	}
	return text
}

// brief writes seconds for people.
func brief(s float64) string {
	switch {
	case s < 100:
		return fmt.Sprintf("%.0f s", s)
	case s < 6000:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}

// String returns the status on one line.
func (s *Status) String() string {
	text := strings.Join(s.rows(), "; ")
	if s.State == "waiting" {
		return text
	}
	return fmt.Sprintf("step %d of %d; %s; %s", s.Step, s.Steps, text, s.times())
}
