package nn

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

func smallNet(t testing.TB, seed uint64) *Net[float32] {
	t.Helper()
	net, err := New([]int{6, 6}, func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		y := b.Images("i", x, 1)
		y = b.Conv("conv", y, Conv{Out: 3, Kernel: 3, Stride: 2, Pad: 1})
		y = b.BatchNorm("bn", y, BatchNorm{ReLU: true})
		y = b.Conv("conv2", y, Conv{Out: 4, Kernel: 3, Pad: 1})
		return b.Linear("fc", b.GlobalAvgPool("p", y), 5)
	}, rand.New(rand.NewPCG(seed, 0)))
	require.NoError(t, err)
	return net
}

func TestExportImportIsIdentity(t *testing.T) {
	a, b := smallNet(t, 1), smallNet(t, 2)
	out := a.Params().Export()
	require.NoError(t, b.Params().Import(out))
	for i, p := range a.Params().All() {
		q := b.Params().All()[i]
		assert.Equalf(t, q.Value, p.Value, "%s differs after export and import", p.Name)
	}
	// The copy is deep.
	out[0].Data[0]++
	if again := a.Params().Export(); again[0].Data[0] == out[0].Data[0] {
		t.Error("export shares memory with the network")
	}
}

// TestExportLayout pins the layout: [out, in, kh, kw] from [kh·kw][in][out].
func TestExportLayout(t *testing.T) {
	p := Param[float32]{Name: "w", Shape: []int{2, 3, 2, 2}, layout: convolution}
	src, dst, back := make([]float32, 24), make([]float32, 24), make([]float32, 24)
	for tap := range 4 {
		for in := range 3 {
			for out := range 2 {
				src[(tap*3+in)*2+out] = float32(1000*out + 100*in + tap)
			}
		}
	}
	p.ExportOrder(dst, src)
	for i, v := range dst {
		require.Equalf(t, float32(1000*(i/12)+100*(i/4%3)+i%4), v, "exported[%d]", i)
	}
	p.StorageOrder(back, dst)
	assert.Equal(t, src, back, "StorageOrder is not the inverse")
}

func TestImportRefuses(t *testing.T) {
	net := smallNet(t, 1)
	good := net.Params().Export()
	clone := func() []Tensor[float32] {
		out := slices.Clone(good)
		for i := range out {
			out[i].Data = slices.Clone(out[i].Data)
			out[i].Data[0]++
		}
		return out
	}
	for name, c := range map[string]struct {
		break_ func(ts []Tensor[float32]) []Tensor[float32]
		want   string
	}{
		"missing": {func(ts []Tensor[float32]) []Tensor[float32] { return ts[1:] }, `"conv.weight" is missing`},
		"unknown": {func(ts []Tensor[float32]) []Tensor[float32] { ts[0].Name = "x"; return ts }, `no parameter "x"`},
		"shape":   {func(ts []Tensor[float32]) []Tensor[float32] { ts[0].Shape = []int{3, 3, 3, 1}; return ts }, "shape [3 3 3 1]"},
		"short":   {func(ts []Tensor[float32]) []Tensor[float32] { ts[0].Data = ts[0].Data[1:]; return ts }, "26 numbers"},
		"twice":   {func(ts []Tensor[float32]) []Tensor[float32] { return append(ts, ts[0]) }, "given twice"},
	} {
		t.Run(name, func(t *testing.T) {
			err := net.Params().Import(c.break_(clone()))
			require.ErrorContains(t, err, c.want)
			for i, ten := range net.Params().Export() {
				require.Equalf(t, good[i].Data, ten.Data, "%s was overwritten by a refused import", ten.Name)
			}
		})
	}
}

func TestImportWhere(t *testing.T) {
	src, dst := smallNet(t, 1), smallNet(t, 2)
	fc := slices.Clone(dst.Params().Get("fc.weight").Value)
	notHead := func(name string) bool { return !strings.HasPrefix(name, "fc.") }
	more := append(src.Params().Export(), Tensor[float32]{Name: "fc.extra", Shape: []int{1}, Data: []float32{1}})
	require.NoError(t, dst.Params().ImportWhere(notHead, more))
	assert.Equal(t, src.Params().Get("conv.weight").Value, dst.Params().Get("conv.weight").Value, "the backbone was not loaded")
	assert.Equal(t, fc, dst.Params().Get("fc.weight").Value, "the head was overwritten")
	if err := dst.Params().ImportWhere(func(string) bool { return false }, more); err == nil {
		t.Error("an import of nothing was accepted")
	}
}

func TestCopyFrom(t *testing.T) {
	a, b := smallNet(t, 1), smallNet(t, 2)
	require.NoError(t, b.Params().CopyFrom(a.Params()))
	for i, p := range a.Params().All() {
		assert.Equalf(t, b.Params().All()[i].Value, p.Value, "%s was not copied", p.Name)
	}
	var other Params[float32]
	if err := other.CopyFrom(a.Params()); err == nil {
		t.Error("other parameters were accepted")
	}
}
