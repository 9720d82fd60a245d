package citation

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nlpodyssey/gopickle/types"

	"hinge/data/npy"
)

// array is a numpy array of numbers.
type array struct {
	shape  []int
	values []float64
}

// matrixCSR is a scipy matrix in compressed row form.
type matrixCSR struct {
	rows, cols int
	data       []float64
	indices    []int
	ptr        []int
}

// maxCells limits the number of rows and of columns that a pickle may declare.
const maxCells = 1 << 24

// tuple returns the elements of a pickled tuple, none of anything else.
func tuple(v any) types.Tuple {
	if t, ok := v.(*types.Tuple); ok {
		return *t
	}
	return nil
}

// toArray reads a numpy array: the call numpy.core.multiarray._reconstruct with
// the state (version, shape, dtype, fortran order, bytes).
func toArray(v any) (*array, error) {
	o, ok := v.(*pickleObject)
	if !ok || o.class != globalReconstruct {
		return nil, fmt.Errorf("%T is not a numpy array", v)
	}
	state := tuple(o.state)
	if len(state) != 5 {
		return nil, fmt.Errorf("a numpy array without state")
	}
	dims, ok := state[1].(*types.Tuple)
	raw, also := state[4].(string)
	if !ok || !also || state[3] != false {
		return nil, fmt.Errorf("a numpy array in an unknown layout")
	}
	a := &array{}
	count := 1
	for _, d := range *dims {
		n, ok := d.(int)
		if !ok || n < 0 || n > maxCells || n*count > maxCells {
			return nil, fmt.Errorf("a numpy array of shape %v", *dims)
		}
		a.shape = append(a.shape, n)
		count *= n
	}
	code, err := dtypeCode(state[2])
	if err != nil {
		return nil, err
	}
	number, width := npy.Number(code, binary.LittleEndian)
	if len(raw) != count*width {
		return nil, fmt.Errorf("a numpy array of shape %v and type %s has %d bytes, want %d", *dims, code, len(raw), count*width)
	}
	a.values = make([]float64, count)
	for i := range a.values {
		a.values[i] = number([]byte(raw[i*width:][:width]))
	}
	return a, nil
}

// dtypeCode returns f4, f8, i4 or i8 of a little-endian numpy dtype.
func dtypeCode(v any) (string, error) {
	o, ok := v.(*pickleObject)
	if !ok || o.class != globalDtype || len(o.args) == 0 {
		return "", fmt.Errorf("%T is not a numpy type", v)
	}
	name, _ := o.args[0].(string)
	state := tuple(o.state)
	if len(state) < 2 {
		return "", fmt.Errorf("numpy type %.8q without byte order", name)
	}
	if order, _ := state[1].(string); order != "<" {
		return "", fmt.Errorf("numpy type %.8q of byte order %.8q, want <", name, order)
	}
	switch name {
	case "f4", "f8", "i4", "i8":
		return name, nil
	}
	return "", fmt.Errorf("numpy type %.8q is none of f4, f8, i4, i8", name)
}

// integers returns the elements of a vector as whole numbers.
func (a *array) integers() ([]int, error) {
	if len(a.shape) != 1 {
		return nil, fmt.Errorf("shape %v, want a vector", a.shape)
	}
	out := make([]int, len(a.values))
	for i, v := range a.values {
		if v != math.Trunc(v) || math.Abs(v) > maxCells {
			return nil, fmt.Errorf("element %d is %v, want an index", i, v)
		}
		out[i] = int(v)
	}
	return out, nil
}

// toCSR reads a scipy matrix: its attributes are a dictionary.
func toCSR(v any) (*matrixCSR, error) {
	o, ok := v.(*pickleObject)
	if !ok || o.class != globalCSR {
		return nil, fmt.Errorf("%T is not a sparse matrix", v)
	}
	attributes, ok := o.state.(*types.Dict)
	if !ok {
		return nil, fmt.Errorf("a sparse matrix without attributes")
	}
	m := &matrixCSR{rows: -1}
	for _, entry := range *attributes {
		key, _ := entry.Key.(string)
		var err error
		switch value := entry.Value; key {
		case "_shape":
			err = m.setShape(value)
		case "data":
			var a *array
			if a, err = toArray(value); err == nil {
				m.data = a.values
			}
		case "indices":
			m.indices, err = toIntegers(value)
		case "indptr":
			m.ptr, err = toIntegers(value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return m, m.check()
}

func toIntegers(v any) ([]int, error) {
	a, err := toArray(v)
	if err != nil {
		return nil, err
	}
	return a.integers()
}

func (m *matrixCSR) setShape(v any) error {
	t := tuple(v)
	if len(t) != 2 {
		return fmt.Errorf("%v is not a shape", v)
	}
	rows, ok := t[0].(int)
	cols, also := t[1].(int)
	if !ok || !also || rows < 0 || cols < 0 || rows > maxCells || cols > maxCells {
		return fmt.Errorf("shape %v", t)
	}
	m.rows, m.cols = rows, cols
	return nil
}

// check makes sure that the rows can be read.
func (m *matrixCSR) check() error {
	if m.rows < 0 || len(m.ptr) != m.rows+1 || len(m.data) != len(m.indices) {
		return fmt.Errorf("a sparse matrix of %d rows with %d row pointers, %d columns and %d numbers",
			m.rows, len(m.ptr), len(m.indices), len(m.data))
	}
	last := 0
	for _, p := range m.ptr {
		if p < last || p > len(m.indices) {
			return fmt.Errorf("row pointer %d after %d of %d", p, last, len(m.indices))
		}
		last = p
	}
	for _, c := range m.indices {
		if c < 0 || c >= m.cols {
			return fmt.Errorf("column %d of %d", c, m.cols)
		}
	}
	return nil
}
