package features

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/npy/npytest"
)

func write(t testing.TB, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, data, 0o666))
	return path
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

func idx(n, h, w uint32, pixels ...uint8) []byte {
	b := binary.BigEndian.AppendUint32(nil, 0x803)
	for _, d := range []uint32{n, h, w} {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return append(b, pixels...)
}

// row reads the features of an entity.
func row(t *testing.T, table *Table, entity ...string) []float32 {
	t.Helper()
	i, ok := table.Find(entity...)
	if !ok {
		t.Fatalf("no entity %v", entity)
	}
	x := make([]float32, table.Width())
	table.Row(x, i)
	return x
}

// TestForms: one array in every form.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	names := write(t, dir, "names", []byte("b\n\nc\r\n"))
	byNumber, byName := [2]string{"0", "1"}, [2]string{"b", "c"}
	for _, test := range []struct {
		name  string
		data  []byte
		o     Options
		names [2]string
		want  [2][]float32
		shape []int
	}{
		{"text", []byte("\uFEFFb\t1\t-2.5\nc\t3\t4e0\t\r\n\n"), Options{}, byName, [2][]float32{{1, -2.5}, {3, 4}}, []int{2}},
		{"labelled.gz", zipped([]byte("b\t1\t2\tx\nc\t3\t4\ty\n")), Options{Labelled: true}, byName, [2][]float32{{1, 2}, {3, 4}}, []int{2}},
		{"f4.npy", npytest.File("<f4", false, "2, 2", []float32{1, 2, 3, 4}), Options{}, byNumber, [2][]float32{{1, 2}, {3, 4}}, []int{2}},
		{"f8.npy.gz", zipped(npytest.File(">f8", false, "2, 2", []float64{1, 2, 3, 4})), Options{Entities: names}, byName, [2][]float32{{1, 2}, {3, 4}}, []int{2}},
		{"i2.npy", npytest.File("<i2", false, "2,", []int16{-1, 2}), Options{}, byNumber, [2][]float32{{-1}, {2}}, []int{1}},
		{"pictures of i2.npy", npytest.File("<i2", false, "2, 1, 2", []int16{0, 51, 102, 255}), Options{}, byNumber, [2][]float32{{0, 51}, {102, 255}}, []int{1, 2}},
		{"u1.npy", npytest.File("|u1", false, "2, 2", []uint8{0, 51, 102, 255}), Options{}, byNumber, [2][]float32{{0, 51}, {102, 255}}, []int{2}},
		{"images.npy", npytest.File("|u1", false, "2, 1, 2", []uint8{0, 51, 102, 255}), Options{}, byNumber, [2][]float32{{0, 0.2}, {0.4, 1}}, []int{1, 2}},
		{"colours.npy", npytest.File("<f4", false, "2, 3, 1, 1", []float32{1, 2, 3, 4, 5, 6}), Options{}, byNumber, [2][]float32{{1, 2, 3}, {4, 5, 6}}, []int{3, 1, 1}},
		{"images.idx", idx(2, 1, 2, 0, 51, 102, 255), Options{Entities: names}, byName, [2][]float32{{0, 0.2}, {0.4, 1}}, []int{1, 2}},
	} {
		table, err := Read(write(t, dir, test.name, test.data), test.o)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if table.Len() != 2 || !slices.Equal(table.Shape, test.shape) {
			t.Errorf("%s: %d entities of shape %v, want %v", test.name, table.Len(), table.Shape, test.shape)
		}
		for i, name := range test.names {
			if got := row(t, table, name); !slices.Equal(got, test.want[i]) {
				t.Errorf("%s: %s is %v, want %v", test.name, name, got, test.want[i])
			}
		}
		for _, other := range []string{"a", "2", "-1", ""} {
			if _, ok := table.Find(other); ok {
				t.Errorf("%s: there is an entity %q", test.name, other)
			}
		}
	}
}

// TestFields: an entity of two fields.
func TestFields(t *testing.T) {
	table, err := Read(write(t, t.TempDir(), "pairs", []byte("a\tb\t1\na\tc\t2\n")), Options{Fields: 2})
	require.NoError(t, err)
	if got := row(t, table, "a", "c"); got[0] != 2 {
		t.Errorf("a, c is %v", got)
	}
	if got := table.Entities(); len(got) != 2 || !slices.Equal(got[1], []string{"a", "c"}) {
		t.Errorf("entities %v", got)
	}
	if _, ok := table.Find("a"); ok {
		t.Error("half an entity was found")
	}
}

// TestFolder: images by their paths, grey and in colours.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]color.RGBA{"red.png": {255, 0, 0, 255}, "deep/white.png": {255, 255, 255, 255}} {
		img := image.NewRGBA(image.Rect(3, 4, 5, 5))
		img.SetRGBA(4, 4, c)
		img.SetRGBA(3, 4, color.RGBA{A: 255})
		var b bytes.Buffer
		require.NoError(t, png.Encode(&b, img))
		write(t, dir, name, b.Bytes())
	}
	transparent := image.NewNRGBA(image.Rect(0, 0, 2, 1)) // black ink, half of it, on nothing: over white it is grey
	transparent.SetNRGBA(1, 0, color.NRGBA{A: 128})
	var clear bytes.Buffer
	require.NoError(t, png.Encode(&clear, transparent))
	ink := t.TempDir()
	write(t, ink, "ink.png", clear.Bytes())
	for channels, want := range map[int][]float32{1: {1, 127. / 255}, 3: {1, 127. / 255, 1, 127. / 255, 1, 127. / 255}} {
		table, err := Read(ink, Options{Channels: channels})
		require.NoError(t, err)
		assert.Equal(t, want, row(t, table, "ink"), "transparent, %d channels", channels)
		one, err := ReadPicture(bytes.NewReader(clear.Bytes()), table.Shape, 10)
		require.NoError(t, err)
		assert.Equal(t, want, one)
	}
	_, err := ReadPicture(bytes.NewReader(clear.Bytes()), []int{2, 2}, 10)
	require.ErrorContains(t, err, "2×1 pixels, the network was trained on pictures of 2×2; scale it to that size")
	write(t, dir, "notes.txt", []byte("no image"))
	grey, err := Read(dir, Options{})
	require.NoError(t, err)
	if got := row(t, grey, "deep/white"); grey.Len() != 2 || !slices.Equal(grey.Shape, []int{1, 2}) || !slices.Equal(got, []float32{0, 1}) {
		t.Errorf("%d grey images of shape %v, white %v", grey.Len(), grey.Shape, got)
	}
	if got := grey.Entities(); len(got) != 2 || got[0][0] != "deep/white" || got[1][0] != "red" {
		t.Errorf("images %v", got)
	}
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	linked, err := Read(link, Options{})
	require.NoError(t, err)
	assert.Equal(t, grey.Entities(), linked.Entities(), "a link to the folder")
	colours, err := Read(dir, Options{Channels: 3})
	require.NoError(t, err)
	if got := row(t, colours, "red.png"); !slices.Equal(colours.Shape, []int{3, 1, 2}) || !slices.Equal(got, []float32{0, 1, 0, 0, 0, 0}) {
		t.Errorf("colours of shape %v, red %v", colours.Shape, got)
	}
	var b bytes.Buffer
	require.NoError(t, gif.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 1)), nil))
	write(t, dir, "black.gif", b.Bytes())
	withGIF, err := Read(dir, Options{})
	if err != nil || !slices.Equal(row(t, withGIF, "black"), []float32{0, 0}) {
		t.Errorf("a GIF in the folder: %v", err)
	}
	bad := write(t, t.TempDir(), "a.png", []byte("BM, a bitmap"))
	if _, err := Read(filepath.Dir(bad), Options{}); err == nil || !strings.HasPrefix(err.Error(), bad+": neither PNG, JPEG nor GIF") {
		t.Errorf("another format: %v", err)
	}
	write(t, dir, "wide.png", func() []byte {
		var b bytes.Buffer
		png.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 1)))
		return b.Bytes()
	}())
	if _, err := Read(dir, Options{}); err == nil || !strings.HasSuffix(err.Error(), "wide.png: 9×1 pixels, the first image has 2×1; scale all to one size") {
		t.Errorf("images of two sizes: %v", err)
	}
}

// TestMNIST reads images that come with the modules.
func TestMNIST(t *testing.T) {
	table, err := Read("mnist:test", Options{})
	require.NoError(t, err)
	x := row(t, table, "17")
	if table.Entities() != nil || table.Len() != 10000 || len(x) != 784 || slices.Max(x) < 0.9 || slices.Min(x) != 0 {
		t.Errorf("%d images of %d pixels from %v to %v", table.Len(), len(x), slices.Min(x), slices.Max(x))
	}
	if _, err := Read("mnist:valid", Options{}); err == nil {
		t.Error("mnist:valid was read")
	}
}

// TestErrors lists what is said about bad files.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	three := write(t, dir, "three", []byte("a\nb\nc\n"))
	one := write(t, dir, "one", []byte("a\n"))
	twice := write(t, dir, "twice", []byte("a\na\n"))
	good := npytest.File("<f4", false, "2, 2", []float32{1, 2, 3, 4})
	for _, test := range []struct {
		name string
		data []byte
		o    Options
		want string
	}{
		{"empty.txt", nil, Options{}, "empty.txt: the file has no features"},
		{"short.txt", []byte("a\t1\n\nb\n"), Options{}, "short.txt:3:1: the line has no features (fields are separated by tabs)"},
		{"fields.txt", []byte("a\t1\t2\nb\n"), Options{Fields: 2}, "fields.txt:2:1: the line has 1 field, the entity alone has 2 (fields are separated by tabs)"},
		{"uneven.txt", []byte("a\t1\nb\t1\t2\n"), Options{}, "uneven.txt:2:1: the line has 2 features, the first line has 1"},
		{"twice.txt", []byte("a\t1\na\t2\n"), Options{}, `twice.txt:2:1: the entity "a" occurs twice`},
		{"word.txt", []byte("a\t1\tone\n"), Options{}, `word.txt:1:5: feature 2 is "one", want a finite number`},
		{"nan.txt", []byte("a\tNaN\n"), Options{}, `nan.txt:1:3: feature 1 is "NaN", want a finite number`},
		{"large.txt", []byte("a\t1e300\n"), Options{}, `large.txt:1:3: feature 1 is "1e300", want a finite number that single precision holds`},
		{"large.txt", []byte("a\t16777217.0\n"), Options{}, "large.txt:1:3: feature 1: single precision does not hold the whole number 16777217: subtract"},
		{"big.txt", []byte("a\t1e9\t16777218\t1000000001\n"), Options{}, "big.txt:1:16: feature 3: single precision does not hold the whole number 1000000001: subtract what the numbers have in common, or write it as 1e+09"},
		{"big.npy", npytest.File("<i4", false, "2, 1", []int32{7, 16777217}), Options{}, "big.npy: row 2, column 1: single precision does not hold the whole number 16777217: subtract"},
		{"label.txt", []byte("a\t3\n"), Options{Labelled: true}, "label.txt:1:1: the line has no features (fields are separated by tabs)"},
		{"names.txt", []byte("a\t1\n"), Options{Entities: one}, "one: names for PATH, which has names of its own; leave them out"},
		{"more.npy", good, Options{Entities: three}, "three:3:1: there is a name more than the 2 entities of PATH"},
		{"less.npy", good, Options{Entities: one}, "one: 1 name for the 2 entities of PATH"},
		{"same.npy", good, Options{Entities: twice}, `twice:2:1: the entity "a" occurs twice`},
		{"cut.npy", good[:len(good)-1], Options{}, "cut.npy: the array ends after 3 of 4 numbers"},
		{"axes.npy", npytest.File("<f4", false, "1, 2, 1, 1", []float32{1, 2}), Options{}, "axes.npy: an array of shape [1 2 1 1]; want"},
		{"cut.idx", idx(2, 1, 2, 0), Options{}, "cut.idx: IDX data ends after 1 of 4 bytes"},
		{"arrays.npz", []byte("PK\x03\x04\x2d\x00\x00\x00"), Options{}, "arrays.npz:1:1: the file is a ZIP archive, as spreadsheets and .npz are (unpack it,"},
		{"f.parquet", []byte("PAR1\x15\x04"), Options{}, `f.parquet:1:1: the file is a Parquet file (write {"parquet"`},
		{"f.db", []byte("SQLite format 3\x00\x10"), Options{}, "f.db:1:1: the file is an SQLite database (write"},
		{"excel.txt", []byte("\xff\xfea\x00\t\x001\x00"), Options{}, "excel.txt:1:1: the file is UTF-16 text (save it as UTF-8)"},
		{"bad.gz", []byte("\x1f\x8b0123456789"), Options{}, "bad.gz: the file is not compressed by gzip, or it is cut off (gzip: invalid header)"},
		{"cut.gz", zipped([]byte("a\t1\n"))[:20], Options{}, "cut.gz: the compressed file is cut off or damaged: copy or write it again"},
	} {
		path := write(t, dir, test.name, test.data)
		_, err := Read(path, test.o)
		want := strings.ReplaceAll(test.want, "PATH", path)
		if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)), want) {
			t.Errorf("%s\n got %v\nwant %s", test.name, err, want)
		}
	}
	if _, err := Read(filepath.Join(dir, "absent"), Options{}); err == nil {
		t.Error("a file that is not there was read")
	}
	if _, err := Read(t.TempDir(), Options{}); err == nil || !strings.HasSuffix(err.Error(), "the folder holds no .png, .jpg, .jpeg, .gif file") {
		t.Errorf("an empty folder: %v", err)
	}
}

// FuzzRead: no input panics or takes memory that it does not have.
func FuzzRead(f *testing.F) {
	f.Add([]byte("a\t1\t2\nb\t3\t4\n"))
	f.Add(npytest.File("<f4", false, "2, 2", []float32{1, 2, 3, 4}))
	f.Add(npytest.File("|u1", false, "1, 1, 1073741824", []uint8{1}))
	f.Add(idx(1, 1, 2, 3, 4))
	f.Add(zipped([]byte("a\t1")))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Read(write(t, dir, "fuzz", data), Options{})
		if err != nil {
			return
		}
		x := make([]float32, table.Width())
		for i := range table.Len() {
			table.Row(x, i)
		}
	})
}
