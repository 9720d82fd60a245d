package modelfile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/model"
	"hinge/train/config"
	"hinge/train/learning"
)

// primary returns the evaluation that judges the model: the primary one, else the
// first of a predicate whose values are inferred, else the first.
func (p *part) primary() (*model.Evaluation, error) {
	var first *model.Evaluation
	for i := range p.Evaluations {
		e := &p.Evaluations[i]
		if e.Primary {
			return e, nil
		}
		if first == nil || p.neural(first.Predicate) && !p.neural(e.Predicate) {
			first = e
		}
	}
	if first == nil {
		return nil, &config.UsageError{Key: "model", Problem: p.File + `: no predicate has "evaluations", which say how good the answers are; add "CategoricalEvaluator", say`}
	}
	return first, nil
}

// measurable reports whether there are true values to judge the model by, of which a category needs 1.
func (p *part) measurable() bool {
	e, err := p.primary()
	if err != nil {
		return false
	}
	s := p.Sample(e.Predicate, make([]float64, p.Data.Targets()), make([]float64, p.Data.DeepAtoms()))
	r, err := e.Evaluate(s)
	return err == nil && r.Count > 0 && len(s.Labelled) > 0
}

// neural reports whether the values of a predicate are the outputs of a network.
func (p *part) neural(predicate string) bool {
	return slices.ContainsFunc(p.Predicates, func(q model.Predicate) bool { return q.Name == predicate && q.Network != nil })
}

// Evaluate implements learning.Model: MAP inference with the networks' outputs.
// Score.Accuracy is the representative figure of the primary evaluation, larger being
// better. Score.Parts is the accuracy of the first predicate of a network that has one,
// Score.Networks that of each. Validations during a run look at plain inputs.
func (m *Model) Evaluate(_ context.Context, of learning.Part) (learning.Score, error) {
	if of == learning.TestPart {
		if err := m.decide(); err != nil {
			return learning.Score{}, err
		}
	}
	l := m.look
	switch of {
	case learning.TrainPart, learning.ValidPart:
		l = l.plain()
	case learning.FinalValidPart:
		of = learning.ValidPart
	}
	p := m.parts[of]
	if p == nil {
		return learning.Score{}, fmt.Errorf("modelfile: no data part %q", of)
	}
	start := time.Now()
	y, g, err := p.infer(m.Weights(), &m.cfg, l)
	if err != nil {
		return learning.Score{}, err
	}
	score := learning.Score{Work: learning.SolverWork(p.stats, time.Since(start).Seconds())}
	primary, err := p.primary()
	if err != nil {
		return learning.Score{}, err
	}
	results, err := p.Evaluate(y, g)
	if err != nil {
		return learning.Score{}, err
	}
	if n := float64(len(p.views)); n > 0 {
		score.Entropy = new(0.0)
		for _, v := range p.views {
			*score.Entropy += v.entropy() / n
		}
	}
	alone := map[string]float64{}
	for i, r := range results {
		if &p.Evaluations[i] == primary {
			score.Accuracy, score.Examples, score.Figure = r.Score, r.Count, figure(&r.Report)
		}
		right, has := r.Get("accuracy")
		if _, known := alone[r.Predicate]; has && !known && p.neural(r.Predicate) {
			if len(alone) == 0 {
				score.Parts = &right
			}
			alone[r.Predicate] = right
		}
	}
	if len(p.views) > 1 && len(alone) > 0 {
		score.Networks = alone
	}
	if score.Examples == 0 {
		return learning.Score{}, &learning.DataError{Err: fmt.Errorf("%s: %s has no true values in the partition %s: there is nothing to measure", p.File, primary.Predicate, p.Partition)}
	}
	return score, nil
}

// figure is the Score.Figure of an evaluation.
func figure(r *evaluate.Report) string {
	if r.Count == 0 {
		return ""
	}
	switch m := r.Metrics[r.Representative]; {
	case m.Name == "accuracy":
		return ""
	case m.Name == "mse" || m.Name == "mae":
		return "negated_" + m.Name
	default:
		return m.Name
	}
}

// Report implements learning.Reporter, as file.Report.
func (m *Model) Report(ctx context.Context) (map[string]float64, error) { return m.file.Report(ctx) }

// values infers a part of the data as tests do.
func (m *Model) values(of learning.Part) (y, g []float64, err error) {
	return m.parts[of].infer(m.Weights(), &m.cfg, m.look)
}

// Report implements learning.Reporter: all figures of all evaluations on the test, by
// predicate, evaluator and metric, at the thresholds of the options.
func (f *file) Report(context.Context) (map[string]float64, error) {
	if err := f.decide(); err != nil {
		return nil, err
	}
	y, g, err := f.of.values(learning.TestPart)
	if err != nil {
		return nil, err
	}
	return f.parts[learning.TestPart].figures(y, g)
}

// decide has all partitions evaluated at the threshold of the options, which may be chosen on the
// partition validation.
func (f *file) decide() error {
	set, err := config.OptionsOf[Options](&f.cfg)
	if err != nil || set.Threshold == "" {
		return err
	}
	thresholds := model.Thresholds{}
	if string(set.Threshold) != model.OnValidation {
		thresholds[""], err = model.ParseThreshold(string(set.Threshold))
	} else if y, g, failed := f.of.values(learning.ValidPart); failed == nil {
		thresholds, err = f.parts[learning.ValidPart].Choose(y, g)
	} else {
		err = failed
	}
	for _, p := range f.parts {
		p.Decide(thresholds)
	}
	if err != nil {
		return asTraining(err)
	}
	return nil
}

// figures returns the figures of all evaluations of a partition, of values and neural outputs.
func (p *part) figures(y, g []float64) (map[string]float64, error) {
	results, err := p.Evaluate(y, g)
	if err != nil {
		return nil, err
	}
	figures := map[string]float64{}
	for _, r := range results {
		for _, metric := range r.Metrics {
			figures[fmt.Sprintf("%s %s %s", r.Predicate, r.Name(), metric.Name)] = metric.Value
		}
	}
	return figures, nil
}

var _ learning.Reporter = (*Model)(nil)
