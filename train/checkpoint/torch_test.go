package checkpoint

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/nlpodyssey/gopickle/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestParseTorch: testdata/saved.py made the files by torch 2.15.0 and says what they hold.
func TestParseTorch(t *testing.T) {
	read := func(name string) (*Tensors, error) {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		return ParseWeights(data)
	}
	plain := make([]float32, 24)
	for i := range plain {
		plain[i] = float32(i)
	}
	for file, tensors := range map[string][]Tensor{
		"state.pt": {
			NewTensor("brain", []float32{0, 1, -2.5, 0x1p100}),
			NewTensor("half", []float32{0, 1, -2.5, 65504, 0x1p-24, float32(math.Inf(1))}),
			NewTensor("learned", []float32{0, 1}),
			NewTensor("mask", []uint8{1, 0}),
			NewTensor("none", []float32{}, 0, 3),
			NewTensor("part.bias", []float32{6, 9, 12, 15}),
			NewTensor("plain.weight", plain, 2, 3, 4),
			NewTensor("small", []int64{-128, 127}),
			{Name: "steps", Shape: []int{}, Data: []int64{7}},
			NewTensor("turned.weight", []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 2, 6),
		},
		"training.pt": {NewTensor("bias", []float32{5}), NewTensor("weight", []float32{3, 4}, 1, 2)},
		"loose.pt":    {NewTensor("bias", []float32{5}), NewTensor("weight", []float32{3, 4}, 1, 2)},
	} {
		got, err := read(file)
		require.NoError(t, err, file)
		names := got.Names()
		require.Len(t, names, len(tensors), file)
		for i, want := range tensors {
			x, err := got.Tensor(names[i])
			require.NoError(t, err)
			assert.Equal(t, want, x)
		}
	}
	for file, want := range map[string]string{
		"two.pt":      "several dictionaries of tensors (ema, model)",
		"module.pt":   "objects of torch.nn.modules.linear.Linear besides tensors",
		"expanded.pt": "a tensor of shape [2 3] has elements that share memory",
		"numbers.pt":  "no dictionary of tensors",
	} {
		_, err := read(file)
		require.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "net.state_dict()")
	}
	// Damage is an error or leaves the file's content as it is, never a panic.
	whole, err := os.ReadFile(filepath.Join("testdata", "training.pt"))
	require.NoError(t, err)
	for i := range whole {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x55
		got, err := ParseWeights(damaged)
		if err != nil {
			continue
		}
		require.Equal(t, []string{"bias", "weight"}, got.Names(), "byte %d", i)
		x, err := got.Tensor("weight")
		require.NoError(t, err)
		require.Equal(t, NewTensor("weight", []float32{3, 4}, 1, 2), x, "byte %d", i)
	}
	for n := range len(whole) {
		_, err := ParseWeights(whole[:n])
		require.Error(t, err)
	}
}

// TestTorchWithinStorage: three elements in steps of one lie within a storage of four from
// its second one on, and no further.
func TestTorchWithinStorage(t *testing.T) {
	tuple := func(n int) *types.Tuple { return types.NewTupleFromSlice([]any{n}) }
	for _, c := range []struct {
		offset, step int
		fits         bool
	}{{1, 1, true}, {2, 1, false}, {0, 2, false}, {-1, 1, false}, {0, -1, false}, {0, math.MaxInt, false}} {
		_, err := rebuild([]any{entry{dtype: dtypeF32, data: make([]byte, 16)}, c.offset, tuple(3), tuple(c.step), false, nil})
		if c.fits {
			require.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, "does not lie within its storage of 4 elements", "%+v", c)
		}
	}
}

// TestTorchViews: torch pickles x.conj().imag, whose numbers are the negatives of those stored, with {"neg": True}
// behind the hooks (torch._utils.get_tensor_metadata).
func TestTorchViews(t *testing.T) {
	negative := types.NewDict()
	negative.Set("neg", true)
	one := types.NewTupleFromSlice([]any{1})
	for _, c := range []struct {
		metadata any
		refused  bool
	}{{nil, false}, {types.NewDict(), false}, {negative, true}} {
		_, err := rebuild([]any{entry{dtype: dtypeF32, data: make([]byte, 4)}, 0, one, one, false, nil, c.metadata})
		if c.refused {
			assert.ErrorContains(t, err, "a tensor of shape [1] is a negative or conjugate view")
		} else {
			require.NoError(t, err)
		}
	}
}
