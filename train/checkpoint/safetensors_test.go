package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rawFile builds a file of any header and n bytes of data.
func rawFile(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for i := range n {
		b = append(b, byte(i))
	}
	return b
}

func TestWriteSafetensorsByteForByte(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSafetensors(&b, []Tensor{
		NewTensor("b", []uint8{7}),
		NewTensor("a\"", []int32{-2, 1}, 2, 1),
	}); err != nil {
		t.Fatal(err)
	}
	header := `{"a\"":{"dtype":"I32","shape":[2,1],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	want := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	want = append(want, header...)
	want = append(want, 0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0, 7)
	assert.Equal(t, want, b.Bytes())
}

// A file as other writers make it: metadata, no padding, another order.
func TestParseForeignFile(t *testing.T) {
	file := rawFile(`{"__metadata__":{"format":"pt"},"x":{"shape":[2],"dtype":"U8","data_offsets":[4,6]},"y":{"data_offsets":[0,4],"dtype":"F32","shape":[]}}`, 6)
	p, err := ParseSafetensors(file)
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y"}, p.Names(), "names")
	x, err := p.Tensor("x")
	if err != nil || !slices.Equal(x.Data.([]uint8), []uint8{4, 5}) {
		t.Errorf("x is %v, %v", x, err)
	}
	y, err := p.Tensor("y")
	if err != nil || len(y.Shape) != 0 || y.Data.([]float32)[0] != math.Float32frombits(0x03020100) {
		t.Errorf("y is %v, %v", y, err)
	}
}

func TestParseSafetensorsRefuses(t *testing.T) {
	one := func(dtype, shape, offsets string) string {
		return fmt.Sprintf(`{"x":{"dtype":%s,"shape":%s,"data_offsets":%s}}`, dtype, shape, offsets)
	}
	good := one(`"F32"`, `[2]`, `[0,8]`)
	_, err := ParseSafetensors(rawFile(good, 8))
	require.NoError(t, err)
	huge := binary.LittleEndian.AppendUint64(nil, 1<<62)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":                   {nil, "too few"},
		"torch.save":              {[]byte("PK\x03\x04\x00\x00\x08\x08net/data.pkl"), "torch.save"},
		"torch.save of old":       {[]byte{0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20}, "torch.save"},
		"eight bits":              {rawFile(one(`"F8_E4M3"`, `[8]`, `[0,8]`), 8), "save the tensor as F32"},
		"header longer than file": {rawFile(good, 0)[:20], "header of"},
		"header of 4 EiB":         {append(huge, good...), "header of"},
		"no header":               {rawFile("", 0), "start with '{'"},
		"space first":             {rawFile(" "+good, 8), "start with '{'"},
		"an array":                {rawFile("[]", 0), "start with '{'"},
		"header cut":              {rawFile(good[:20], 8), "EOF"},
		"not UTF-8":               {rawFile(strings.Replace(good, "x", "\xff", 1), 8), "UTF-8"},
		"text after the object":   {rawFile(good+"x", 8), "after the header"},
		"two objects":             {rawFile(good+good, 8), "after the header"},
		"same name twice":         {rawFile(strings.TrimSuffix(good, "}")+`,`+good[1:], 8), `"x" occurs twice`},
		"same name, escaped":      {rawFile(strings.TrimSuffix(good, "}")+`,"\u0078"`+good[4:], 8), `"x" occurs twice`},
		"same key twice":          {rawFile(`{"x":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0), "occurs twice"},
		"metadata twice":          {rawFile(`{"__metadata__":{},"__metadata__":{}}`, 0), "occurs twice"},
		"metadata not text":       {rawFile(`{"__metadata__":{"a":1}}`, 0), "want a string"},
		"unknown key":             {rawFile(`{"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"more":1}}`, 0), `unknown key "more"`},
		"missing key":             {rawFile(`{"x":{"dtype":"U8","data_offsets":[0,0]}}`, 0), "want dtype"},
		"tensor is a number":      {rawFile(`{"x":5}`, 0), "want {"},
		"unknown type":            {rawFile(one(`"F8"`, `[4]`, `[0,8]`), 8), "not supported"},
		"type is a number":        {rawFile(one(`1`, `[2]`, `[0,8]`), 8), "want a string"},
		"shape too small":         {rawFile(one(`"F32"`, `[1]`, `[0,8]`), 8), "does not fill"},
		"shape is text":           {rawFile(one(`"F32"`, `["2"]`, `[0,8]`), 8), "want a number"},
		"negative shape":          {rawFile(one(`"F32"`, `[-1,-2]`, `[0,8]`), 8), "not an index"},
		"fraction":                {rawFile(one(`"F32"`, `[2.0]`, `[0,8]`), 8), "not an index"},
		"exponent":                {rawFile(one(`"F32"`, `[2e0]`, `[0,8]`), 8), "not an index"},
		"shape overflows":         {rawFile(one(`"F32"`, `[4294967296,4294967296]`, `[0,0]`), 0), "does not fill"},
		"size overflows":          {rawFile(one(`"F64"`, `[1152921504606846976,2]`, `[0,0]`), 0), "does not fill"},
		"number overflows":        {rawFile(one(`"F32"`, `[18446744073709551617]`, `[0,4]`), 4), "not an index"},
		"rank":                    {rawFile(one(`"U8"`, "["+strings.Repeat("1,", maxRank)+"1]", `[0,1]`), 1), "more than 64"},
		"three offsets":           {rawFile(one(`"F32"`, `[2]`, `[0,8,8]`), 8), "more than 2"},
		"one offset":              {rawFile(one(`"F32"`, `[2]`, `[8]`), 8), "two data_offsets"},
		"offsets reversed":        {rawFile(one(`"F32"`, `[2]`, `[8,0]`), 8), "does not fill"},
		"end behind the data":     {rawFile(good, 7), "behind the 7 bytes"},
		"data left over":          {rawFile(good, 9), "fill 8 of 9"},
		"a hole":                  {rawFile(one(`"F32"`, `[1]`, `[4,8]`), 8), "hole or an overlap"},
		"an overlap":              {rawFile(`{"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"y":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}`, 6), "hole or an overlap"},
		"the same place twice":    {rawFile(`{"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"y":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 4), "hole or an overlap"},
	} {
		if _, err := ParseSafetensors(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestParseSafetensorsLimitsTensors(t *testing.T) {
	var h strings.Builder
	for i := range maxTensors + 1 {
		fmt.Fprintf(&h, `%c"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, "{,"[min(i, 1)], i)
	}
	_, err := ParseSafetensors(rawFile(h.String()+"}", 0))
	assert.ErrorContains(t, err, "more than 65536 tensors")
	assert.Error(t, WriteSafetensors(&bytes.Buffer{}, make([]Tensor, maxTensors+1)), "too many tensors were written")
}

// A file cannot make the reader allocate more than a small multiple of its own
// size.
func TestParseSafetensorsAllocation(t *testing.T) {
	file := rawFile(`{"x":{"dtype":"F64","shape":[100000000000],"data_offsets":[0,800000000000]}}`, 64)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ParseSafetensors(file)
	assert.Error(t, err, "no error")
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16 {
		t.Errorf("%d bytes allocated for a file of %d", n, len(file))
	}
}

// brokenWriter fails after a number of bytes.
type brokenWriter struct{ left int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, errors.New("broken")
	}
	w.left -= len(p)
	return len(p), nil
}

func TestWriteSafetensorsReportsFailure(t *testing.T) {
	tensors := []Tensor{NewTensor("w", make([]float32, 100))}
	for _, room := range []int{0, 100, 400} {
		assert.Errorf(t, WriteSafetensors(&brokenWriter{room}, tensors), "room for %d bytes: no error", room)
	}
}

// What is accepted can be written and read again unchanged.
func FuzzParseSafetensors(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, WriteSafetensors(&b, []Tensor{NewTensor("a", []float32{1, 2}, 2, 1), NewTensor("b", []uint8{3})}))
	f.Add(b.Bytes())
	f.Add(rawFile(`{"__metadata__":{"format":"pt"},"y":{"data_offsets":[0,8],"dtype":"I64","shape":[]}}`, 8))
	f.Add(rawFile(`{"x":{"dtype":"U8","shape":[0,9],"data_offsets":[0,0]}}`, 0))
	f.Add(rawFile(`{}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParseSafetensors(data)
		if err != nil {
			return
		}
		read := func(p *Tensors) (list []Tensor) {
			for _, name := range p.Names() {
				tensor, err := p.Tensor(name)
				require.NoError(t, err)
				list = append(list, tensor)
			}
			return list
		}
		first := read(p)
		if slices.ContainsFunc(first, func(t Tensor) bool { return t.Name == "" }) {
			return // readable, but we do not write it
		}
		var b bytes.Buffer
		require.NoError(t, WriteSafetensors(&b, first))
		again, err := ParseSafetensors(b.Bytes())
		require.NoError(t, err)
		var c bytes.Buffer
		require.NoError(t, WriteSafetensors(&c, read(again)))
		require.Equal(t, c.Bytes(), b.Bytes(), "a second round trip changes the file")
	})
}

// FuzzManifest: whatever is accepted is exactly what we would write.
func FuzzManifest(f *testing.F) {
	m := manifest{Format: 1, Step: 7, Files: []manifestFile{{Name: tensorsName, Size: 1, SHA256: "00"}, {Name: stateName}}}
	data, err := m.encode()
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{"format":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest(data, 7)
		if err != nil {
			return
		}
		if want, err := m.encode(); err != nil || !bytes.Equal(want, data) {
			t.Fatalf("accepted %q, would write %q", data, want)
		}
	})
}

// TestShortFloats: floats of 16 bits are read as float32: numbers, the least ones, the infinite.
func TestShortFloats(t *testing.T) {
	for dtype, bits := range map[string][]uint16{
		"F16":  {0x3c00, 0xc000, 0x7bff, 0x0001, 0x8001, 0xfc00},
		"BF16": {0x3f80, 0xc000, 0x477f, 0x0001, 0x8001, 0xff80},
	} {
		raw, err := binary.Append(nil, binary.LittleEndian, bits)
		require.NoError(t, err)
		header := fmt.Sprintf(`{"x":{"dtype":%q,"shape":[6],"data_offsets":[0,12]}}`, dtype)
		file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		all, err := ParseSafetensors(append(file, raw...))
		require.NoError(t, err)
		x, err := all.Tensor("x")
		require.NoError(t, err)
		want := map[string][]float32{
			"F16":  {1, -2, 65504, 0x1p-24, -0x1p-24, float32(math.Inf(-1))},
			"BF16": {1, -2, 65280, 0x1p-133, -0x1p-133, float32(math.Inf(-1))},
		}
		assert.Equal(t, want[dtype], x.Data)
	}
}

// TestForeignIntegers: integers of all sizes, and truths, are read by their values.
func TestForeignIntegers(t *testing.T) {
	for dtype, c := range map[string]struct {
		raw  []byte
		want any
	}{
		"BOOL": {[]byte{1, 0}, []uint8{1, 0}},
		"I8":   {[]byte{0xff, 0x7f}, []int64{-1, 127}},
		"I16":  {[]byte{0xfe, 0xff, 0, 0x80}, []int64{-2, -32768}},
		"U16":  {[]byte{0xfe, 0xff, 1, 0}, []int64{65534, 1}},
		"U32":  {[]byte{0xff, 0xff, 0xff, 0xff, 0, 1, 0, 0}, []int64{4294967295, 256}},
		"U64":  {[]byte{1, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, []int64{1, math.MaxInt64}},
	} {
		header := fmt.Sprintf(`{"__metadata__":null,"x":{"dtype":%q,"shape":[2],"data_offsets":[0,%d]}}`, dtype, len(c.raw))
		file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		all, err := ParseSafetensors(append(file, c.raw...))
		require.NoError(t, err, dtype)
		x, err := all.Tensor("x")
		require.NoError(t, err, dtype)
		assert.Equal(t, c.want, x.Data, dtype)
		if dtype == "U64" {
			file = append(file, bytes.Repeat([]byte{0xff}, 16)...)
			all, err := ParseSafetensors(file)
			require.NoError(t, err)
			_, err = all.Tensor("x")
			assert.ErrorContains(t, err, "beyond the integers")
		}
	}
}
