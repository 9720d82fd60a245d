package citation

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// numpyArray is an array as the pickle reader hands it over.
func numpyArray(code, order string, fortran any, dims pickleTuple, raw any) *pickleObject {
	dtype := &pickleObject{class: globalDtype, args: pickleTuple{[]byte(code)}, state: pickleTuple{int64(3), []byte(order)}}
	return &pickleObject{class: globalReconstruct, state: pickleTuple{int64(1), dims, dtype, fortran, raw}}
}

// Numbers of every type come back as they were written, the extreme ones too.
func TestArrayTypes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, code := range []string{"f4", "f8", "i4", "i8"} {
		want := []float64{0, 1, -1, 1 << 24, -(1 << 31), 1<<31 - 128}
		if code[0] == 'f' {
			want = append(want, 0.5, math.Inf(1), math.SmallestNonzeroFloat32, float64(float32(rng.NormFloat64())))
		} else {
			want = append(want, float64(int32(rng.Uint32())))
		}
		var raw []byte
		for _, v := range want {
			switch code {
			case "f4":
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
			case "f8":
				raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
			case "i4":
				raw = binary.LittleEndian.AppendUint32(raw, uint32(int32(v)))
			case "i8":
				raw = binary.LittleEndian.AppendUint64(raw, uint64(int64(v)))
			}
		}
		a, err := toArray(numpyArray(code, "<", false, pickleTuple{int64(len(want))}, raw))
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		for i, v := range a.values {
			if w := want[i]; v != w && (code != "f4" || v != float64(float32(w))) {
				t.Errorf("%s: element %d is %v, want %v", code, i, v, w)
			}
		}
		if !slices.Equal(a.shape, []int{len(want)}) {
			t.Errorf("%s: shape %v", code, a.shape)
		}
	}
}

// The shape is the product of its sides, and empty ones are no mistake.
func TestArrayShapes(t *testing.T) {
	for _, dims := range [][]int64{{}, {0}, {3}, {2, 3}, {2, 0, 5}, {1, 1, 4}} {
		count, tuple := 1, pickleTuple{}
		for _, d := range dims {
			count, tuple = count*int(d), append(tuple, d)
		}
		a, err := toArray(numpyArray("f4", "<", false, tuple, make([]byte, 4*count)))
		if err != nil || len(a.values) != count || len(a.shape) != len(dims) {
			t.Errorf("%v: %+v, %v", dims, a, err)
		}
	}
}

// What numpy can write but these files do not hold is refused, and by name.
func TestArrayRefusals(t *testing.T) {
	four := make([]byte, 4)
	one := pickleTuple{int64(1)}
	bare := numpyArray("f4", "<", false, one, four)
	bare.state.(pickleTuple)[2].(*pickleObject).state = nil
	for _, c := range []struct {
		v    any
		want string
	}{
		{numpyArray("f4", ">", false, one, four), "byte order \">\""},
		{numpyArray("f2", "<", false, one, four), "none of f4"},
		{numpyArray("f4", "<", true, one, four), "unknown layout"},
		{numpyArray("f4", "<", false, one, "text"), "unknown layout"},
		{numpyArray("f4", "<", false, pickleTuple{"1"}, four), "shape"},
		{numpyArray("f4", "<", false, pickleTuple{int64(maxCells + 1)}, four), "shape"},
		{numpyArray("f4", "<", false, pickleTuple{int64(1 << 13), int64(1 << 12)}, four), "shape"},
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
