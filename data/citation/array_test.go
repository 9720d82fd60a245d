package citation

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/gopickle/types"
)

// numpyArray is an array as the pickle reader hands it over.
func numpyArray(code, order string, fortran any, dims types.Tuple, raw any) *pickleObject {
	dtype := &pickleObject{class: globalDtype, args: types.Tuple{code}, state: &types.Tuple{3, order}}
	return &pickleObject{class: globalReconstruct, state: &types.Tuple{1, &dims, dtype, fortran, raw}}
}

// The shape is the product of its sides, and empty ones are no mistake.
func TestArrayShapes(t *testing.T) {
	for _, dims := range [][]int{{}, {0}, {3}, {2, 3}, {2, 0, 5}, {1, 1, 4}} {
		count, tuple := 1, types.Tuple{}
		for _, d := range dims {
			count, tuple = count*d, append(tuple, d)
		}
		a, err := toArray(numpyArray("f4", "<", false, tuple, string(make([]byte, 4*count))))
		if err != nil || len(a.values) != count || len(a.shape) != len(dims) {
			t.Errorf("%v: %+v, %v", dims, a, err)
		}
	}
}

// What numpy can write but these files do not hold is refused, and by name.
func TestArrayRefusals(t *testing.T) {
	four := string(make([]byte, 4))
	one := types.Tuple{1}
	bare := numpyArray("f4", "<", false, one, four)
	tuple(bare.state)[2].(*pickleObject).state = nil
	for _, c := range []struct {
		v    any
		want string
	}{
		{numpyArray("f4", ">", false, one, four), "byte order \">\""},
		{numpyArray("f2", "<", false, one, four), "none of f4"},
		{numpyArray("f4", "<", true, one, four), "unknown layout"},
		{numpyArray("f4", "<", false, one, 7), "unknown layout"},
		{numpyArray("f4", "<", false, types.Tuple{2}, four), "has 4 bytes, want 8"},
		{numpyArray("f4", "<", false, types.Tuple{-1}, four), "shape"},
		{numpyArray("f4", "<", false, types.Tuple{"1"}, four), "shape"},
		{numpyArray("f4", "<", false, types.Tuple{maxCells + 1}, four), "shape"},
		{numpyArray("f4", "<", false, types.Tuple{1 << 13, 1 << 12}, four), "shape"},
		{&pickleObject{class: globalReconstruct}, "without state"},
		{bare, "without byte order"},
		{&pickleObject{class: globalCSR}, "not a numpy array"},
		{nil, "not a numpy array"},
	} {
		if _, err := toArray(c.v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// Indices are whole, and small enough to be one.
func TestArrayIntegers(t *testing.T) {
	a := &array{shape: []int{3}, values: []float64{0, -7, maxCells}}
	if got, err := a.integers(); err != nil || !slices.Equal(got, []int{0, -7, maxCells}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, v := range []float64{0.5, math.NaN(), math.Inf(1), maxCells + 1, -maxCells - 1} {
		a.values[1] = v
		if _, err := a.integers(); err == nil || !strings.Contains(err.Error(), "element 1") {
			t.Errorf("%v is an index: %v", v, err)
		}
	}
	if _, err := (&array{shape: []int{1, 3}, values: a.values}).integers(); err == nil {
		t.Error("a matrix is a vector")
	}
}
