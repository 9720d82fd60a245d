package npy_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/npy"
	"hinge/data/npy/npytest"
)

// TestRead: every type of number gives its values; bytes stay bytes.
func TestRead(t *testing.T) {
	for descr, data := range map[string]any{
		"<f2": []uint16{0x3c00, 0xc000, 0x0001}, ">f4": []float32{1, -2, float32(math.Ldexp(1, -24))}, "<f8": []float64{1, -2, math.Ldexp(1, -24)},
	} {
		a, err := npy.Read(bytes.NewReader(npytest.File(descr, false, "3, 1", data)))
		if err != nil || !slices.Equal(a.Shape, []int{3, 1}) || !slices.Equal(a.Values, []float32{1, -2, float32(math.Ldexp(1, -24))}) {
			t.Errorf("%s: %+v, %v", descr, a, err)
		}
	}
	for descr, data := range map[string]any{
		"|i1": []int8{-3, 7}, "<i2": []int16{-3, 7}, ">i4": []int32{-3, 7}, "<i8": []int64{-3, 7},
	} {
		a, err := npy.Read(bytes.NewReader(npytest.File(descr, false, "2,", data)))
		if err != nil || !slices.Equal(a.Shape, []int{2}) || !slices.Equal(a.Values, []float32{-3, 7}) {
			t.Errorf("%s: %+v, %v", descr, a, err)
		}
	}
	a, err := npy.Read(bytes.NewReader(npytest.File("|u1", false, "1, 1, 1, 1, 2", []uint8{0, 255})))
	if err != nil || len(a.Shape) != 5 || a.Values != nil || !slices.Equal(a.Bytes, []uint8{0, 255}) {
		t.Errorf("bytes: %+v, %v", a, err)
	}
}

func TestReadRefuses(t *testing.T) {
	good := npytest.File("<f4", false, "2, 2", []float32{1, 2, 3, 4})
	for want, data := range map[string][]byte{
		"it does not begin as a .npy file does":   []byte("numbers"),
		"the header ends before its 60 bytes":     good[:40],
		"the array ends after 3 of 4 numbers":     good[:len(good)-1],
		"there are bytes after the array":         append(slices.Clone(good), 0),
		"an array of shape (3, 0)":                npytest.File("<f4", false, "3, 0", []float32{}),
		"an array of shape ()":                    npytest.File("<f4", false, "", []float32{1}),
		"an array of shape (70000, 70000)":        npytest.File("|u1", false, "70000, 70000", []uint8{1}),
		"the array ends after 1 of 40000 numbers": npytest.File("|u1", false, "200, 200", []uint8{1}),
		"number 1 is NaN, want a finite one":      npytest.File("<f2", false, "2", []uint16{0, 0x7e00}),
		"number 0 is -Inf, want a finite one":     npytest.File("<f2", false, "1", []uint16{0xfc00}),
		// The bounds of IEEE 754's binary32: numpy.float32 makes others of these numbers.
		"row 2, column 3: single precision does not hold the whole number -16777217:":          npytest.File(">i4", false, "2, 3", []int32{1, 16777216, -16777218, 1, 2, -16777217}),
		"row 1, column 1: single precision does not hold the whole number 9007199254740993":    npytest.File("<i8", false, "1", []int64{1<<53 + 1}),
		"row 2, column 1: single precision does not hold the whole number 9223372036854775807": npytest.File("<i8", false, "2", []int64{math.MinInt64, math.MaxInt64}),
		"the array is in Fortran order": npytest.File("<f4", true, "1, 1", []float32{1}),
		"numbers of the type c8":        npytest.File("<c8", false, "1", []float32{1, 1}),
		"the header \"{'descr': '|O'":   npytest.File("|O", false, "1, 1", []uint8{}),
	} {
		if _, err := npy.Read(bytes.NewReader(data)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestReadDamagedEnd: what a reader says behind the array, such as that of gzip about its checksum, is kept.
func TestReadDamagedEnd(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(npytest.File("<f4", false, "2, 2", []float32{1, 2, 3, 4}))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	wrong := slices.Clone(packed.Bytes())
	wrong[len(wrong)-8] ^= 1 // the checksum's first byte; four of the length follow the checksum
	for want, data := range map[error][]byte{nil: packed.Bytes(), gzip.ErrChecksum: wrong, io.ErrUnexpectedEOF: packed.Bytes()[:packed.Len()-8]} {
		in, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		_, err = npy.Read(in)
		require.ErrorIs(t, err, want)
	}
}
