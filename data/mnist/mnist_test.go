package mnist

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// load reads the published files once for all tests.
var load = sync.OnceValues(func() (*Set, error) { return Load(os.Getenv("HINGE_DATA")) })

func published(t testing.TB) *Set {
	t.Helper()
	set, err := load()
	require.NoError(t, err)
	return set
}

func TestLoadPublishedFiles(t *testing.T) {
	set := published(t)
	// The digits' frequencies are in the literature.
	for _, c := range []struct {
		name   string
		part   *Part
		counts [Classes]int
	}{
		{"train", set.Train, [Classes]int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}},
		{"test", set.Test, [Classes]int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}},
	} {
		var counts [Classes]int
		for i := range c.part.Len() {
			counts[c.part.Label(i)]++
		}
		if counts != c.counts {
			t.Errorf("%s has digits %v, want %v", c.name, counts, c.counts)
		}
	}
	if set.Train.Label(0) != 5 || set.Train.Label(1) != 0 || set.Test.Label(0) != 7 {
		t.Error("the labels are not in the published order")
	}
	// The mean intensity 0.1307 and deviation 0.3081 are widely used for
	// normalisation.
	var histogram [256]int
	for i := range set.Train.Len() {
		for _, v := range set.Train.Raw(i) {
			histogram[v]++
		}
	}
	sum, squares := 0.0, 0.0
	for v, count := range histogram {
		x := float64(intensity[v])
		sum += float64(count) * x
		squares += float64(count) * x * x
	}
	n := float64(TrainSize * Pixels)
	mean := sum / n
	if dev := math.Sqrt(squares/n - mean*mean); math.Abs(mean-0.1307) > 1e-4 || math.Abs(dev-0.3081) > 1e-4 {
		t.Errorf("mean %.4f and deviation %.4f, want 0.1307 and 0.3081", mean, dev)
	}
}

// The compressed files are the published ones to the bit.
func TestPublishedChecksums(t *testing.T) {
	set := published(t)
	for name, want := range map[string]string{
		fileNames[0]: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
		fileNames[1]: "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
		fileNames[2]: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
		fileNames[3]: "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
	} {
		data, err := os.ReadFile(filepath.Join(set.Source, name))
		require.NoError(t, err)
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has SHA-256 %x, want %s", name, sum, want)
		}
	}
}

func TestImageIsRoundedTo4Decimals(t *testing.T) {
	pixels := make([]uint8, 2*Pixels)
	for i := range 256 {
		pixels[Pixels+i] = uint8(i)
	}
	p, err := NewPart(pixels, []uint8{3, 9})
	require.NoError(t, err)
	x := make([]float32, Pixels)
	p.Image(x, 1)
	for i, want := range map[int]float32{0: 0, 1: 0.0039, 2: 0.0078, 127: 0.498, 128: 0.502, 254: 0.9961, 255: 1} {
		assert.Equalf(t, want, x[i], "intensity %d", i)
	}
	for i := 1; i < 256; i++ {
		if x[i] <= x[i-1] {
			t.Errorf("intensity %d is not above %d's", i, i-1)
		}
	}
}

func TestNewPartRefuses(t *testing.T) {
	if _, err := NewPart(make([]uint8, Pixels), []uint8{1, 2}); err == nil {
		t.Error("two labels for one image: no error")
	}
	if _, err := NewPart(make([]uint8, Pixels), []uint8{10}); err == nil {
		t.Error("label 10: no error")
	}
}

// writeSet writes a data folder of few images.
func writeSet(t *testing.T, dir string, train, test int) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for i, dims := range [][]int{{train, Side, Side}, {train}, {test, Side, Side}, {test}} {
		file, _ := idxFile(dims...)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fileNames[i]), zip(t, file), 0o644))
	}
}

func TestLoadDir(t *testing.T) {
	dir := t.TempDir()
	writeSet(t, dir, 5, 3)
	pixels, labels := make([]uint8, 8*Pixels), make([]uint8, 8)
	require.NoError(t, loadDir(dir, pixels, labels, 5))
	for i, want := range []int{5, 3} { // both parts of the same bytes, from the first on
		from := 5 * i
		images, _ := idxFile(want, Side, Side)
		digits, _ := idxFile(want)
		require.True(t, bytes.HasSuffix(images, pixels[from*Pixels:(from+want)*Pixels]))
		require.True(t, bytes.HasSuffix(digits, labels[from:from+want]))
	}
}

// TestLoadShares: sets of one folder have the same images in memory, all of them in order, as long
// as one is in use.
func TestLoadShares(t *testing.T) {
	one, err := load()
	require.NoError(t, err)
	two, err := Load(os.Getenv("HINGE_DATA"))
	require.NoError(t, err)
	require.Same(t, &one.Train.Raw(0)[0], &two.Train.Raw(0)[0])
	require.Same(t, &one.Test.Raw(9999)[0], &two.All().Raw(69999)[0])
	require.Equal(t, one.Test.Label(9999), two.All().Label(69999))
	require.Equal(t, one.Source, two.Source)
}

// Whatever is wrong with a file, the error names it and says what to do.
func TestLoadDirNamesTheFile(t *testing.T) {
	label10, _ := idxFile(5)
	label10[len(label10)-1] = 10
	for _, name := range fileNames {
		for what, data := range map[string][]byte{
			"text": []byte("<html>404</html>"), "empty": nil, "a bad label": zip(t, label10),
		} {
			dir := t.TempDir()
			writeSet(t, dir, 5, 5)
			file := filepath.Join(dir, name)
			require.NoError(t, os.WriteFile(file, data, 0o644))
			err := loadDir(dir, make([]uint8, 10*Pixels), make([]uint8, 10), 5)
			if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "delete the file") {
				t.Errorf("%s in %s: error %v", what, name, err)
			}
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	dir, err := newLocator().find(os.Getenv("HINGE_DATA"))
	require.NoError(b, err)
	for b.Loop() {
		m := new(memory)
		require.NoError(b, loadDir(dir, m.pixels[:], m.labels[:], TrainSize))
	}
}
