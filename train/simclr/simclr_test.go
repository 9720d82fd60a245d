package simclr

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/models/resnet18"
	"hinge/train/checkpoint"
)

// strokes is a part of n images of random bright bars.
func strokes(t *testing.T, n int) (*mnist.Part, []int32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	pixels := make([]uint8, n*mnist.Pixels)
	images := make([]int32, n)
	for i := range n {
		images[i] = int32(i)
		x, y := 4+rng.IntN(16), 4+rng.IntN(16)
		for k := range 8 {
			pixels[i*mnist.Pixels+(y+k*rng.IntN(2))*mnist.Side+x+k] = 255
		}
	}
	part, err := mnist.NewPart(pixels, make([]uint8, n))
	require.NoError(t, err)
	return part, images
}

// small is a quick pre-training of a narrow backbone.
func small(epochs int) Config {
	c := Reference(3)
	c.Backbone = resnet18.Config{Features: 8, Widths: [4]int{4, 4, 4, 4}}
	c.Projection, c.Epochs, c.Batch, c.LearningRate = 8, epochs, 8, 3e-3
	c.Temperature, c.Views = 0.5, mnist.Light()
	return c
}

// TestReference: the schedule of the reference experiments, from the notes on
// their code: one decay by 0.9 for every 30 of the epochs after the tenth.
func TestReference(t *testing.T) {
	c := Reference(0)
	rate := c.rate()
	for epoch, want := range map[int]float64{0: 3e-4, 39: 3e-4, 40: 2.7e-4, 69: 2.7e-4, 70: 2.43e-4, 249: 3e-4 * 0.4782969} {
		if got := rate.At(epoch); got < want*(1-1e-9) || got > want*(1+1e-9) {
			t.Errorf("epoch %d: step %v, want %v", epoch, got, want)
		}
	}
}

// TestLearns: the loss falls, the projection head is not part of the result, and
// the second call reads the cache.
func TestLearns(t *testing.T) {
	part, images := strokes(t, 24)
	o := Options{Cache: t.TempDir()}
	r, err := newRun(small(30), part, images)
	require.NoError(t, err)
	r.load(0)
	require.NoError(t, r.graph.Run(r.views))
	before := r.graph.Loss()
	made, seconds, err := Pretrain(context.Background(), small(30), part, images, o)
	require.NoError(t, err)
	for _, tensor := range made {
		if strings.HasPrefix(tensor.Name, projection) {
			t.Errorf("the result has %s", tensor.Name)
		}
	}
	var lines []string
	o.Note = func(line string) { lines = append(lines, line) }
	again, same, err := Pretrain(context.Background(), small(30), part, images, o)
	require.NoError(t, err)
	if !reflect.DeepEqual(made, again) || same != seconds {
		t.Error("the cache gives another result")
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "cache") {
		t.Errorf("notes %q", lines)
	}
	c := small(30)
	store, err := checkpoint.Open(filepath.Join(o.Cache, c.digest(part, images)), checkpoint.Options{ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, r.restore(store, func(string) {}))
	if after := r.state.Loss; !(after < before-0.1) {
		t.Errorf("loss %v before, %v after", before, after)
	}
	other := small(30)
	other.Seed++
	if different, _, err := Pretrain(context.Background(), other, part, images, o); err != nil || reflect.DeepEqual(made, different) {
		t.Errorf("another seed gives the same backbone (error %v)", err)
	}
}

// TestResume: a pre-training that was stopped goes on with the same bits.
func TestResume(t *testing.T) {
	part, images := strokes(t, 20)
	whole, _, err := Pretrain(context.Background(), small(6), part, images, Options{Cache: t.TempDir()})
	require.NoError(t, err)
	cache := t.TempDir()
	for range 20 {
		// An ended context stops after one step.
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		parts, _, err := Pretrain(ctx, small(6), part, images, Options{Cache: cache})
		if err == nil {
			if !reflect.DeepEqual(whole, parts) {
				t.Error("step by step the result is another")
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	t.Error("12 steps were not done in 20 calls")
}

func TestErrors(t *testing.T) {
	part, images := strokes(t, 4)
	for want, spoil := range map[string]func(c *Config){
		"0 epochs":         func(c *Config) { c.Epochs = 0 },
		"1 images":         func(*Config) { images = images[:1] },
		"must be positive": func(c *Config) { c.LearningRate = 0 },
	} {
		c, all := small(1), images
		spoil(&c)
		_, _, err := Pretrain(context.Background(), c, part, images, Options{Cache: t.TempDir()})
		require.ErrorContains(t, err, want)
		images = all
	}
}
