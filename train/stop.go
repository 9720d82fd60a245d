package train

import (
	"fmt"
	"slices"
	"time"

	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// ended reports whether the run has ended, and notes why. It stays so, though a validation of the last weights
// after the end may be better than those before.
func (r *run) ended() bool {
	s, t := &r.state, &r.cfg.Training
	switch {
	case s.Stopped != "":
	case s.Step >= r.total:
		s.Stopped = record.StoppedSteps
	case r.looks() && s.Early.outOfPatience(s.Step, t, r.testsLast()):
		s.Stopped = record.StoppedPatience
	}
	return s.Stopped != ""
}

// looks reports whether patience and movement are looked at after the newest step: the first
// one, and every Training.StopEvery after it.
func (r *run) looks() bool { return (r.state.Step-1)%max(r.cfg.Training.StopEvery, 1) == 0 }

// end ends the run with the newest step.
func (r *run) end(why string) { r.state.Done, r.state.Stopped = true, why }

// stop ends the run with a step that has hardly moved the rule weights, which were w before, or
// that ends too late; of several ranks, one that rank 0 begins too late.
func (r *run) stop(w []float64) {
	switch most := r.cfg.Symbolic.Movement; {
	case r.state.Done:
	case most > 0 && r.looks() && meanSquare(r.model.Loss().Weights(), w) <= most:
		r.end(record.StoppedMovement)
	case r.agreed.late || r.comm.Size() == 1 && r.late():
		r.end(record.StoppedSeconds)
	}
}

// late reports whether the time of learning is over by the clock of this rank.
func (r *run) late() bool {
	seconds := r.cfg.Training.Seconds
	return seconds > 0 && r.wallStart+time.Since(r.began).Seconds() > seconds
}

// mostIdle is the number of steps in a row that moved nothing after which a run says so.
const mostIdle = 10

// noteIdle says once that steps move nothing: the loss has no gradient, as rules and labels do not
// meet, or none any more. norm is the gradient's, w were the rule weights.
func (r *run) noteIdle(step learning.Step, norm float64, w []float64) {
	if norm > 0 || step.Progress < r.cfg.Symbolic.After || !slices.Equal(w, r.model.Loss().Weights()) {
		r.idle = 0
		return
	}
	if r.idle++; r.idle == mostIdle {
		r.obs.Note(fmt.Sprintf("the last %d steps have moved nothing: the loss has no gradient; see docs/LEARNING.md", mostIdle))
	}
}

func meanSquare(x, y []float64) (sum float64) {
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return sum / float64(max(len(x), 1))
}

// earlyStop watches the validation accuracy.
type earlyStop struct {
	// Seen reports whether there was a validation; Best is the accuracy of the weights that
	// are tested and BestStep their step; Last is the newest accuracy.
	Seen bool `json:"seen"`
	// Unjudged reports whether there was nothing to evaluate: the newest weights are tested.
	Unjudged bool    `json:"unjudged,omitempty"`
	Best     float64 `json:"best"`
	BestStep int     `json:"best_step"`
	Last     float64 `json:"last"`
	// Parts is Score.Parts where Best was measured.
	Parts *float64 `json:"parts,omitempty"`
	// Top is the largest accuracy, up to the tolerance, and TopStep the first step that had it, or
	// the last one with TiesCount.
	Top     float64 `json:"top,omitempty"`
	TopStep int     `json:"top_step,omitempty"`
}

// update records an accuracy, with the accuracy of the parts, and reports whether the weights
// are those to test so far. A tie counts: with few validation examples the later of two equal
// networks has seen more. Figures that differ by rounding, or less than one of a million
// examples, tie. With LastWeights, the newest are tested. The accuracy is nil where there is
// nothing to evaluate.
func (e *earlyStop) update(step int, measured, parts *float64, t *config.Training) bool {
	const tolerance = 1e-6
	first := !e.Seen || e.Unjudged
	if e.Unjudged = measured == nil; e.Unjudged {
		e.Seen, e.BestStep = true, step
		return true
	}
	accuracy := *measured
	e.Last = accuracy
	if first || accuracy > e.Top+tolerance || t.TiesCount && accuracy >= e.Top-tolerance {
		e.Top, e.TopStep = accuracy, step
	}
	if !first && !t.LastWeights && accuracy < e.Top-tolerance {
		return false
	}
	e.Seen, e.Best, e.BestStep, e.Parts = true, accuracy, step, parts
	return true
}

// outOfPatience reports whether no validation was better for too long. A tie counts as better
// unless strict: for networks of which the best are tested. Patience lasts until the next
// validation at least, unless StopEvery asks for the reference's rule.
func (e *earlyStop) outOfPatience(step int, t *config.Training, strict bool) bool {
	best := e.BestStep
	if strict {
		best = e.TopStep
	}
	patience := t.Patience
	if t.StopEvery == 0 {
		patience = max(patience, t.ValidEvery) // an end that no second validation could avert
	}
	return t.Patience > 0 && e.Seen && !e.Unjudged && step-best > patience
}
