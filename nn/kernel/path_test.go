package kernel

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUseSwitchesAndRestores(t *testing.T) {
	before := Path()
	restore, err := Use("portable")
	require.NoError(t, err)
	assert.Equal(t, "portable", Path(), "path")
	restore()
	assert.Equal(t, before, Path(), "path")
}

func TestUseNamesThePathsThereAre(t *testing.T) {
	_, err := Use("abacus")
	if err == nil || !strings.Contains(err.Error(), "portable") || !strings.Contains(err.Error(), "abacus") {
		t.Errorf("error %v, want one that names both", err)
	}
	if names := Paths(); names[len(names)-1] != "portable" || !slices.Contains(names, Path()) {
		t.Errorf("paths %v, in use %q", names, Path())
	}
}

// All paths compute the same up to rounding, over shapes with ones, primes and
// tails of every kernel.
func TestPathsAgree(t *testing.T) {
	sizes := []int{1, 2, 3, 5, 7, 11, 13, 16, 17, 31, 32, 33, 61, 64, 97}
	pick := func(rng *rand.Rand) int { return sizes[rng.IntN(len(sizes))] }
	for seed := range uint64(60) {
		run := func() map[string][]float32 {
			rng := newRand(seed)
			out := make(map[string][]float32)
			m, n, k := pick(rng), pick(rng), pick(rng)
			c := normals[float32](rng, m*n)
			Gemm(false, true, m, n, k, 0.5, normals[float32](rng, m*k), k, normals[float32](rng, n*k), k, 1, c, n)
			out["gemm"] = c
			s := randomConv(rng)
			s.N, s.InC, s.OutC = pick(rng), pick(rng), pick(rng)
			conv := NewConv[float32](s)
			x, w, dy := normals[float32](rng, s.InLen()), normals[float32](rng, s.WeightLen()), normals[float32](rng, s.OutLen())
			y, dx, dw := make([]float32, s.OutLen()), make([]float32, s.InLen()), make([]float32, s.WeightLen())
			conv.Forward(x, w, y)
			conv.BackwardInput(dy, w, dx)
			conv.BackwardWeight(x, dy, dw)
			out["y"], out["dx"], out["dw"] = y, dx, dw
			rows := len(dy) / s.OutC
			v := func() []float32 { return make([]float32, s.OutC) }
			gamma, mean, variance, invstd, dgamma, dbeta := normals[float32](rng, s.OutC), v(), v(), v(), v(), v()
			z, dz := make([]float32, len(dy)), make([]float32, len(dy))
			batchNormForward(dy, gamma, v(), nil, z, mean, variance, invstd, false, 1e-3, rows, s.OutC)
			batchNormBackward(normals[float32](rng, len(dy)), dy, z, gamma, mean, invstd, false, dz, dgamma, dbeta, nil, rows, s.OutC)
			out["norm"], out["norm dx"], out["norm dgamma"] = z, dz, dgamma
			p := PoolShape{N: s.N, H: s.OutH(), W: s.OutW(), C: s.OutC, K: 1 + rng.IntN(3), Stride: 1 + rng.IntN(2)}
			if p.Validate() == nil {
				py, index := make([]float32, p.OutLen()), make([]uint8, p.OutLen())
				MaxPoolForward(p, dy, py, index)
				back := make([]float32, p.InLen())
				MaxPoolBackward(p, py, index, back)
				out["pool"], out["pool dx"] = py, back
			}
			return out
		}
		restore, err := Use(portable.name)
		require.NoError(t, err)
		want := run()
		restore()
		eachPath(t, func(t *testing.T) {
			for what, got := range run() {
				near(t, label("seed %d: %s", seed, what), got, to64(want[what]), 1e-5)
			}
		})
	}
}
