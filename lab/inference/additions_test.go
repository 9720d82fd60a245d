package inference

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/tasks/mnistadd"
)

var predictions = flag.String("predictions", "", "write the outputs from `DIR`/mnist-addD.json, what cmd/train -predict t10k-images-idx3-ubyte -json says")

// TestReadings: the outputs are distributions of MNIST's test images in its order, by
// networks that err on a few of a hundred.
func TestReadings(t *testing.T) {
	set, err := mnist.Load("")
	require.NoError(t, err)
	if *predictions != "" {
		write(t, 1, set.Test)
		write(t, 2, set.Test)
		t.Skip("written; they are read once they are compiled in")
	}
	for d := 1; d <= 2; d++ {
		list, err := readings(d)
		require.NoError(t, err)
		wrong := 0
		for i := range list {
			r, total, best := &list[i], 0.0, 0
			for x, v := range r.outputs {
				total += v
				if v > r.outputs[best] {
					best = x
				}
			}
			if math.Abs(total-1) > 1e-12 || r.digit != set.Test.Label(i) {
				t.Fatalf("d = %d, image %d: digit %d, outputs sum to %v", d, i, r.digit, total)
			}
			if best != r.digit {
				wrong++
			}
		}
		if wrong < images/200 || wrong > images/20 {
			t.Errorf("d = %d: %d of %d images are read wrongly", d, wrong, images)
		}
	}
	if _, err := readings(3); err == nil {
		t.Error("there are outputs for three digits")
	}
}

// write makes an outputs file.
func write(t *testing.T, d int, part *mnist.Part) {
	text, err := os.ReadFile(filepath.Join(*predictions, fmt.Sprintf("mnist-add%d.json", d)))
	require.NoError(t, err)
	var said mnistadd.Prediction
	if err := json.Unmarshal(text, &said); err != nil || len(said.Images) != part.Len() {
		t.Fatalf("%d images, %v", len(said.Images), err)
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	for i, image := range said.Images {
		x := []byte{byte(part.Label(i))}
		for _, p := range image.Beliefs {
			x = binary.LittleEndian.AppendUint16(x, uint16(math.Round(float64(p)*outputUnits)))
		}
		z.Write(x)
	}
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(fmt.Sprintf("outputs/add%d.gz", d), out.Bytes(), 0o644))
}

// Each image is in one addition, whose sum is that of its digits; another seed pairs
// them otherwise.
func TestNewAdditions(t *testing.T) {
	a, err := newAdditions(2, 400, 1)
	if err != nil || len(a.sums) != 100 || len(a.outputs) != 100 || len(a.outputs[0]) != 40 {
		t.Fatalf("%d additions, %v", len(a.sums), err)
	}
	right := 0
	for i, g := range a.outputs {
		digit := func(place int) (best int) {
			for k, v := range g[10*place : 10*place+10] {
				if v > g[10*place+best] {
					best = k
				}
			}
			return best
		}
		if 10*digit(0)+digit(1)+10*digit(2)+digit(3) == a.sums[i].Int() {
			right++
		}
	}
	assert.GreaterOrEqual(t, right, 75)
	b, err := newAdditions(2, 400, 2)
	require.NoError(t, err)
	same := 0
	for i := range b.sums {
		if slices.Equal(a.sums[i], b.sums[i]) {
			same++
		}
	}
	assert.LessOrEqual(t, same, 20)
}
