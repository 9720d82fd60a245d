package features

import (
	"bufio"
	"fmt"

	"hinge/data/npy"
	"hinge/symbolic/facts"
)

// readNPY reads an array of numpy; one axis is one feature an entity.
func readNPY(path string, in *bufio.Reader) (*Table, error) {
	a, err := npy.Read(in)
	if err != nil {
		return nil, &facts.Error{Source: path, Msg: err.Error()}
	}
	shape := a.Shape
	if len(shape) == 1 {
		shape = append(shape, 1)
	}
	if len(shape) > 4 || len(shape) == 4 && shape[1] != 3 {
		return nil, &facts.Error{Source: path, Msg: fmt.Sprintf("an array of shape %v; want (entities, features), (entities, height, width) or (entities, 3, height, width)", shape)}
	}
	t := &Table{Shape: shape[1:], rows: shape[0], values: a.Values, pixels: a.Bytes}
	if a.Bytes != nil && len(shape) == 2 { // features, not pixels
		t.values, t.pixels = make([]float32, len(a.Bytes)), nil
		for i, v := range a.Bytes {
			t.values[i] = float32(v)
		}
	}
	return t, nil
}
