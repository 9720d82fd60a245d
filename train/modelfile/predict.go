package modelfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hinge/data/features"
	"hinge/data/mnist"
	"hinge/symbolic/facts"
	"hinge/train/config"
	"hinge/train/learning"
)

// Predict implements learning.Predictor: each path is [PREDICATE=]PATH, features for the network
// that the predicate describes in any of the forms of package features, or, where its features are
// columns, a file or database with the same columns. A model of one network
// needs no predicate. A picture for a network that sees grey images of MNIST's size is laid out
// as those are; its entity is the name of the file without the ending.
//
// PREDICATE=PATH may also be rows (see Row) of an observed predicate, in a file of any format of
// package facts; of a file of another ending fields are separated by tabs, without a head. A field
// that no features have as a name may be the path of a picture, from the folder of the file.
func (m *Model) Predict(paths []string) (learning.Prediction, error) {
	q, err := m.NewPredictor()
	if err != nil {
		return nil, err
	}
	var inputs []Input
	var rows []Row
	var files, rowFiles []string
	for _, path := range paths {
		if name, file, named := strings.Cut(path, "="); named {
			t, err := q.table(name)
			if err != nil {
				return nil, config.Usage("predict", "%v", err)
			}
			if t != nil {
				list, err := t.load(file)
				if err != nil {
					return nil, &learning.DataError{Err: err}
				}
				rowFiles = append(rowFiles, slices.Repeat([]string{file}, len(list))...)
				rows = append(rows, list...)
				continue
			}
		}
		list, err := q.read(path)
		if err != nil {
			return nil, err
		}
		files = append(files, slices.Repeat([]string{path}, len(list))...)
		inputs = append(inputs, list...)
	}
	q.find = func(n *network[float32], field string) (*Input, error) { return n.named(field, rowFiles) }
	p, err := q.Predict(inputs, rows...)
	if bad, ok := errors.AsType[*InputError](err); ok {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: %w", files[bad.Number-1], bad.Err)}
	}
	if bad, ok := errors.AsType[*RowError](err); ok {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: %w", rowFiles[bad.Number-1], bad)}
	}
	return p, err
}

func (t *table) load(path string) (rows []Row, err error) {
	src := facts.Source{Format: "tsv", Path: path, NoHeader: true}
	switch name := strings.TrimSuffix(strings.ToLower(path), ".gz"); filepath.Ext(name) {
	case ".csv", ".jsonl", ".parquet":
		src.Format, src.NoHeader = filepath.Ext(name)[1:], false
	}
	err = src.Read(context.Background(), t.Arity, func(r *facts.Row) error {
		if r.Value != 1 {
			return r.Fail("a row that is an example has no value")
		}
		rows = append(rows, Row{t.Name, slices.Clone(r.Args)})
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = &facts.Error{Source: path, Msg: "there are no rows"}
	}
	return rows, err
}

// named is the input of a network that sees pictures, from the picture that a field names, from the
// folder of a file of rows; nil if there is none.
func (n *network[T]) named(field string, files []string) (*Input, error) {
	for _, file := range files {
		path := filepath.Join(filepath.Dir(file), field)
		if filepath.IsAbs(field) {
			path = field
		}
		if _, err := os.Stat(path); err != nil || !mnist.IsPicture(path) {
			continue
		}
		x, err := n.picture(path)
		return &Input{n.name, []string{field}, x}, err
	}
	return nil, nil
}

// read reads the inputs at a [PREDICATE=]PATH.
func (q *Predictor) read(path string) ([]Input, error) {
	network, rest, named := strings.Cut(path, "=")
	k, err := q.network(network)
	_, missing := os.Stat(path)
	switch {
	case named && err == nil:
		path = rest
	case len(q.m.networks) == 1 && (!named || missing == nil):
		k = 0
	case named:
		return nil, config.Usage("predict", "%v", err)
	default:
		return nil, config.Usage("predict", "the model has %d networks: name one by its predicate, as in %s=%s", len(q.m.networks), q.m.networks[0].name, path)
	}
	n := q.m.networks[k]
	if mnist.IsPicture(path) && n.seesPictures() {
		x, err := n.picture(path)
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		return []Input{{n.name, []string{name}, x}}, err
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

// seesPictures reports whether a picture can be an input: the inputs are pictures of a folder or images of digits.
func (n *network[T]) seesPictures() bool { return n.table.Pictures || mnist.IsShape(n.table.Shape) }

// picture reads a picture as an input: as those of the model's folder, or laid out as a digit of MNIST.
func (n *network[T]) picture(path string) ([]float32, error) {
	if !n.table.Pictures {
		_, images, err := mnist.ReadPictures(path)
		if err != nil {
			return nil, &learning.DataError{Err: err}
		}
		return images.Pixels([]int32{0}, nil, 0), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	defer f.Close()
	x, err := features.ReadPicture(f, n.table.Shape, 0)
	if err != nil {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: %w", path, err)}
	}
	return x, nil
}

var _ learning.Predictor = (*Model)(nil)
