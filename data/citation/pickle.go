package citation

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"

	"hinge/data/npy"
)

// global stands for the classes and functions that a pickle names.
type global struct{}

// Call notes the call of a global: nothing is ever executed.
func (g global) Call(args ...any) (any, error) { return &pickleObject{args: args}, nil }

// PyNew notes the construction of an object.
func (g global) PyNew(args ...any) (any, error) { return g.Call(args...) }

// pickleObject is a recorded call of a global, which is not executed. State is the state that
// the pickle attached to it; dictionary holds the entries that the pickle set.
type pickleObject struct {
	args  types.Tuple
	state any
	types.Dict
}

// PySetState attaches a state.
func (o *pickleObject) PySetState(state any) error {
	o.state = state
	return nil
}

// readPickle returns the value that a pickle describes. Its bytes are those that were published: the
// caller has compared their sha256. So what takes the value apart knows what is in it.
func readPickle(data []byte) (any, error) {
	u := pickle.NewUnpickler(bytes.NewReader(data))
	u.FindClass = func(string, string) (any, error) { return global{}, nil }
	return u.Load()
}

// array is a numpy array of numbers.
type array struct {
	shape  []int
	values []float64
}

// toArray takes a numpy array from the call numpy.core.multiarray._reconstruct with
// the state (version, shape, dtype, fortran order, bytes).
func toArray(v any) *array {
	state, a := *v.(*pickleObject).state.(*types.Tuple), &array{}
	for _, d := range *state[1].(*types.Tuple) {
		a.shape = append(a.shape, d.(int))
	}
	number, width := npy.Number(state[2].(*pickleObject).args[0].(string), binary.LittleEndian)
	for raw := range slices.Chunk([]byte(state[4].(string)), width) {
		a.values = append(a.values, number(raw))
	}
	return a
}

// integers returns the elements of a vector of whole numbers.
func integers(v any) (list []int) {
	for _, x := range toArray(v).values {
		list = append(list, int(x))
	}
	return list
}

// matrixCSR is a scipy matrix of zeros and ones in compressed row form.
type matrixCSR struct {
	cols         int
	indices, ptr []int
}

// toCSR takes a scipy matrix from its attributes, which are a dictionary.
func toCSR(v any) matrixCSR {
	attributes := v.(*pickleObject).state.(*types.Dict)
	shape := *attributes.MustGet("_shape").(*types.Tuple)
	return matrixCSR{shape[1].(int), integers(attributes.MustGet("indices")), integers(attributes.MustGet("indptr"))}
}
