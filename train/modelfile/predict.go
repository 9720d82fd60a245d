package modelfile

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hinge/data/features"
	"hinge/data/mnist"
	"hinge/train/config"
	"hinge/train/learning"
)

// Predict implements learning.Predictor: each path is [PREDICATE=]PATH, features for the network
// that the predicate describes in any of the forms of package features, or, where its features are
// columns, a file or database with the same columns. A model of one network
// needs no predicate. A picture for a network that sees grey images of MNIST's size is laid out
// as those are; its entity is the name of the file without the ending.
func (m *Model) Predict(paths []string) (learning.Prediction, error) {
	q, err := m.NewPredictor()
	if err != nil {
		return nil, err
	}
	var inputs []Input
	var files []string
	for _, path := range paths {
		list, err := q.read(path)
		if err != nil {
			return nil, err
		}
		for range list {
			files = append(files, path)
		}
		inputs = append(inputs, list...)
	}
	p, err := q.Predict(inputs)
	if bad, ok := err.(*InputError); ok {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: %w", files[bad.Number-1], bad.Err)}
	}
	return p, err
}

// read reads the inputs at a [PREDICATE=]PATH.
func (q *Predictor) read(path string) ([]Input, error) {
	network, rest, named := strings.Cut(path, "=")
	k, err := q.network(network)
	switch {
	case named && err == nil:
		path = rest
	case len(q.m.networks) == 1:
		k = 0
	case named:
		return nil, config.Usage("predict", "%v", err)
	default:
		return nil, config.Usage("predict", "the model has %d networks: name one by its predicate, as in %s=%s", len(q.m.networks), q.m.networks[0].name, path)
	}
	n := q.m.networks[k]
	if mnist.IsPicture(path) && seesDigits(n.table.Shape) {
		_, images, err := mnist.ReadPictures(path)
		if err != nil {
			return nil, &learning.DataError{Err: err}
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		return []Input{{n.name, []string{name}, images.Pixels([]int32{0}, nil, 0)}}, nil
	}
	d := n.heads[0]
	var t *features.Table
	if d.Source != nil {
		src := *d.Source
		src.Path = path
		t, err = features.ReadRecords(context.Background(), &src, len(d.Entity), d.Categories, n.table.Encoding)
	} else {
		t, err = features.Read(path, features.Options{Fields: len(d.Entity), Labelled: d.Labelled, Channels: d.Channels})
	}
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	if !slices.Equal(t.Shape, n.table.Shape) {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: features of shape %v, the network of %s takes %v", path, t.Shape, n.name, n.table.Shape)}
	}
	names := t.Entities()
	inputs := make([]Input, t.Len())
	for row := range inputs {
		inputs[row] = Input{Network: n.name, Features: make([]float32, t.Width())}
		t.Row(inputs[row].Features, row)
		if names != nil {
			inputs[row].Entity = names[row]
		}
	}
	return inputs, nil
}

// seesDigits reports whether inputs are grey images of MNIST's size.
func seesDigits(shape []int) bool { return slices.Equal(shape, []int{mnist.Side, mnist.Side}) }

var _ learning.Predictor = (*Model)(nil)
