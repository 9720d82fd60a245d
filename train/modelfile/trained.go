package modelfile

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"gonum.org/v1/gonum/floats"

	"hinge/nn"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/model"
	"hinge/train"
	"hinge/train/learning"
	"hinge/train/record"
)

// Trained holds the networks and rule weights that a run has learned from a model file. They
// can be applied to any model with the same rules and networks.
type Trained struct {
	*train.Tested
	// Dir is the run folder.
	Dir string
}

// LoadTrained reads the tested weights of a run folder (see train.OpenTested).
func LoadTrained(dir string, note func(text string)) (*Trained, error) {
	t, err := train.OpenTested(dir, note)
	if err != nil {
		return nil, err
	}
	return &Trained{t, dir}, nil
}

// Thresholds returns the thresholds that the run was tested at, none where it was not tested or has
// no setting options.threshold. A result that cannot be read is a DataError.
func (t *Trained) Thresholds() (model.Thresholds, error) {
	list := model.Thresholds{}
	res, err := record.ReadResult(t.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	for name, v := range res.More {
		if predicate, ok := strings.CutSuffix(name, " Discrete "+evaluate.ThresholdMetric); ok {
			list[predicate] = v
		}
	}
	return list, nil
}

// RuleWeights returns the learned weights of ground rules, or an error
// that describes how the rules differ from the learned ones.
func (t *Trained) RuleWeights(rules []hlmrf.Rule) ([]float64, error) {
	if len(rules) != len(t.Weights) {
		return nil, fmt.Errorf("the model has %d weighted rules, the run in %s learned %d", len(rules), t.Dir, len(t.Weights))
	}
	for i, r := range t.Rules {
		if unweighted(r.Text) != unweighted(rules[i].Text) {
			return nil, fmt.Errorf("weighted rule %d is %s, the run in %s learned %s", i+1, rules[i].Text, t.Dir, r.Text)
		}
	}
	return t.Weights, nil
}

// unweighted is a rule without its weight.
func unweighted(rule string) string {
	if _, rest, ok := strings.Cut(rule, ": "); ok {
		return rest
	}
	return rule
}

// Outputs returns the outputs of the learned networks for the neural atoms of a
// model. root is the data root of MNIST's images. A model that describes other
// networks is a model.Error.
func (t *Trained) Outputs(m *model.Model, root string) ([]float64, error) {
	p := &part{Model: m}
	l, err := t.show(p, root)
	if err != nil {
		return nil, err
	}
	g, err := predict(p.views, m.Data.DeepAtoms(), l)
	if err == nil && len(p.views) == 0 {
		err = errors.New("modelfile: the model has no predicate with a network")
	}
	return g, err
}

// show shows a partition to the networks with the learned weights, and returns how they look at it.
func (t *Trained) show(p *part, root string) (look, error) {
	list, err := newNetworks[float32](p.Model, 0, root, nn.Sampling{})
	if err != nil {
		return look{}, err
	}
	if err := t.Import(together(list)); err != nil {
		return look{}, &model.Error{Msg: fmt.Sprintf("%s is not the model that the run in %s learned: %v", p.File, t.Dir, err)}
	}
	p.views, p.answer = nil, nil
	if err := p.see(list); err != nil {
		return look{}, err
	}
	return newLook(&t.Config)
}

// Judge infers the partition infer of a model file with each of the runs, whose rules and
// networks must be the file's, and returns all figures of its evaluations, as Model.Report
// names them, for the mean of the runs' values and outputs. If runs are each sure of different
// classes, their mean is unsure, as it should be if labels leave the classes open. The threshold of a
// predicate is the mean of those that runs keep for it.
func Judge(file, root string, runs ...*Trained) (map[string]float64, error) {
	p, err := loadPart(file, model.Infer)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: the partition infer has no targets", file)}
	}
	y, g := make([]float64, p.Data.Targets()), make([]float64, p.Data.DeepAtoms())
	share := 1 / float64(len(runs))
	kept, mean := map[string]float64{}, model.Thresholds{} // by how many runs
	for _, t := range runs {
		thresholds, err := t.Thresholds()
		if err != nil {
			return nil, err
		}
		for name, v := range thresholds {
			kept[name]++
			mean[name] += (v - mean[name]) / kept[name]
		}
		l, err := t.show(p, root)
		if err != nil {
			return nil, asTraining(err)
		}
		w, err := t.RuleWeights(p.template.Program().Rules)
		if err != nil {
			return nil, &learning.DataError{Err: fmt.Errorf("%s: %w", file, err)}
		}
		values, outputs, err := p.infer(w, &t.Config, l)
		if err != nil {
			return nil, err
		}
		floats.AddScaled(y, share, values)
		floats.AddScaled(g, share, outputs)
	}
	p.Decide(mean)
	return p.figures(y, g)
}
