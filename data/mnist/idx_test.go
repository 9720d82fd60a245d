package mnist

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// idxFile builds an IDX file of the given dimensions with pseudo-random data.
func idxFile(dims ...int) (file, data []byte) {
	file = binary.BigEndian.AppendUint32(nil, uint32(idxUint8<<8|len(dims)))
	n := 1
	for _, d := range dims {
		file = binary.BigEndian.AppendUint32(file, uint32(d))
		n *= d
	}
	rng := rand.New(rand.NewPCG(5, 6))
	data = make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint32()) % Classes
	}
	return append(file, data...), data
}

func zip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestReadGzipIDX(t *testing.T) {
	file, want := idxFile(3, 4, 5)
	got, err := readGzipIDX(bytes.NewReader(zip(t, file)), nil, 3, 4, 5)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestReadGzipIDXRefuses(t *testing.T) {
	file, _ := idxFile(3, 4, 5)
	good := zip(t, file)
	edit := func(data []byte, at int, v byte) []byte {
		data = slices.Clone(data)
		data[at] = v
		return data
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty file", nil, "not a gzip file"},
		{"no gzip", file, "not a gzip file"},
		{"short header", zip(t, file[:9]), "IDX header"},
		{"other element type", zip(t, edit(file, 2, 0x0d)), "magic"},
		{"fewer dimensions", zip(t, edit(file, 3, 1)), "magic"},
		{"another count", zip(t, edit(file, 7, 4)), "dimension 0 is 4, want 3"},
		{"a huge count", zip(t, edit(file, 4, 0xff)), "dimension 0 is 4278190083"},
		{"another height", zip(t, edit(file, 11, 28)), "dimension 1"},
		{"data cut", zip(t, file[:len(file)-1]), "ends after 59 of 60 bytes"},
		{"data too long", zip(t, append(slices.Clone(file), 0)), "trailing bytes after the 60"},
		{"gzip cut in the data", good[:len(good)-30], "unexpected EOF"},
		{"gzip cut in the checksum", good[:len(good)-1], "unexpected EOF"},
		{"wrong checksum", edit(good, len(good)-8, good[len(good)-8]^1), "checksum"},
		{"bytes behind the gzip data", append(slices.Clone(good), 0), "after the gzip data"},
		{"a second gzip member", append(slices.Clone(good), good...), "after the gzip data"},
	} {
		if _, err := readGzipIDX(bytes.NewReader(c.data), nil, 3, 4, 5); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// A small file may unpack to gigabytes; no more than the header implies is
// read.
func TestReadGzipIDXStopsAtTheHeadersSize(t *testing.T) {
	file, _ := idxFile(3, 4, 5)
	bomb := zip(t, append(file, make([]byte, 16<<20)...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := readGzipIDX(bytes.NewReader(bomb), nil, 3, 4, 5); err == nil {
		t.Error("no error")
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<20 {
		t.Errorf("%d bytes allocated for a file of 80 bytes", allocated)
	}
}

func FuzzReadGzipIDX(f *testing.F) {
	file, _ := idxFile(3, 2, 2)
	f.Add(zip(f, file))
	f.Add(zip(f, file[:10]))
	f.Add(append(zip(f, file), 7))
	f.Add(file)
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := readGzipIDX(bytes.NewReader(data), nil, 3, 2, 2)
		if (err == nil) != (len(got) == 12) {
			t.Fatalf("%d bytes of data with error %v", len(got), err)
		}
	})
}

// FuzzReadIDX skips the gzip layer, whose checksum keeps most inputs out.
func FuzzReadIDX(f *testing.F) {
	file, _ := idxFile(3, 2, 2)
	f.Add(file)
	f.Add(file[:len(file)-1])
	f.Add(append(slices.Clone(file), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := readIDX(bytes.NewReader(data), nil, 3, 2, 2)
		if err != nil {
			return
		}
		if !slices.Equal(data, append(slices.Clone(file[:16]), got...)) {
			t.Fatalf("accepted %v as %v", data, got)
		}
	})
}
