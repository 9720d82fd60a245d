package modelfile

import (
	"path/filepath"
	"strings"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/ground"
	"hinge/symbolic/model"
	"hinge/train/config"
	"hinge/train/record"
)

// Classification holds the classes that a network gives the entities of a partition: for a softmax the
// class with the largest output; each output of sigmoids counts as an entity of its own, with
// the classes no and yes (from the threshold that the run keeps, or a half).
type Classification struct {
	Predicate         string
	Classes, Entities []string
	// Class and Truth are class indices by entity; Truth is −1 if it is not known.
	Class, Truth []int
}

// ModelOf returns the path of the model file that a run of this task has learned, as it was
// given there.
func ModelOf(dir string) (string, error) {
	c, err := Task{}.Defaults(config.Config{Task: Task{}.Names()[0]})
	if err != nil {
		return "", err
	}
	err = c.LoadFile(filepath.Join(dir, record.ConfigFile))
	if c.Task != (Task{}).Names()[0] { // whose options are not these
		err = config.Usage("task", "%s is a run of %s, not of a model file", dir, c.Task)
	}
	if err != nil {
		return "", err
	}
	return c.Options.(*Options).Model, nil
}

// Classify returns the answers of the learned networks by predicate. root is the data root of
// MNIST's images.
func (t *Trained) Classify(m *model.Model, root string) ([]Classification, error) {
	g, err := t.Outputs(m, root)
	if err != nil {
		return nil, err
	}
	kept, err := t.Thresholds()
	if err != nil {
		return nil, err
	}
	var list []Classification
	for i := range m.Predicates {
		p := &m.Predicates[i]
		if p.Network == nil {
			continue
		}
		h := &head{p.Name, p.Network, 0, p.Network.Width()}
		sigmoid := p.Network.Output == "sigmoid"
		s := Classification{Predicate: p.Name, Classes: p.Network.Classes}
		if sigmoid {
			s.Classes = []string{"no", "yes"}
		}
		cut, ok := kept[p.Name]
		if !ok {
			cut = 0.5
		}
		places, largest := map[string]int{}, []float64(nil)
		for a := range m.Data.Atoms(p.Name, ground.Deep) {
			fields, class, value := h.entity(a.Args), h.output(a.Args), g[a.Index]
			if sigmoid {
				fields, class = a.Args, 0
				if evaluate.Positive(value, cut) {
					class = 1
				}
			}
			key := strings.Join(fields, ", ")
			at, known := places[key]
			if !known {
				at = len(s.Entities)
				places[key] = at
				s.Entities, s.Class, s.Truth, largest = append(s.Entities, key), append(s.Class, class), append(s.Truth, -1), append(largest, value)
			} else if value > largest[at] {
				s.Class[at], largest[at] = class, value
			}
			switch truth, told := m.Data.DeepTruth(a.Index); {
			case told && sigmoid:
				s.Truth[at] = 0
				if evaluate.Positive(truth, 0.5) {
					s.Truth[at] = 1
				}
			case told && truth > 0.5:
				s.Truth[at] = class
			}
		}
		list = append(list, s)
	}
	return list, nil
}
