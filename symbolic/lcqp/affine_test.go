package lcqp_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// b must be that of the plain product row by row, bit for bit, whether many rows
// have the same (additions) or none (random models).
func TestSetDeepSharesRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	instances := map[string]*lcqp.Instance{
		"small": instance(t, compile(t, program()), 0.1),
		"add1":  lcqptest.Add1(1e-3).Instance, "add2": lcqptest.Add2(1e-3).Instance,
		"random": lcqptest.Random(rng, lcqptest.Shape{Targets: 30, Rows: 80}).Instance,
	}
	for name, in := range instances {
		for range 5 {
			g := make([]float64, in.Deep)
			for j := range g {
				g[j] = 3*rng.Float64() - 1
			}
			require.NoError(t, in.SetDeep(g))
			mustBePlain(t, name, in, g)
		}
	}
}

func mustBePlain(t *testing.T, name string, in *lcqp.Instance, g []float64) {
	t.Helper()
	for k, got := range in.B {
		b := in.B0[k]
		for j := in.DeepPtr[k]; j < in.DeepPtr[k+1]; j++ {
			b += in.DeepVal[j] * g[in.DeepCol[j]]
		}
		require.Equalf(t, math.Float64bits(b), math.Float64bits(got), "%s: b[%d] = %v, want %v", name, k, got, b)
	}
}

// Instances of a new template may be set by many goroutines at once.
func TestSetDeepConcurrently(t *testing.T) {
	tpl := lcqptest.Add1(1e-3).Template
	var wg sync.WaitGroup
	ins, gs := make([]*lcqp.Instance, 8), make([][]float64, 8)
	for n := range ins {
		ins[n], gs[n] = instance(t, tpl, 1e-3), make([]float64, tpl.Deep)
		for j := range gs[n] {
			gs[n][j] = 1 / float64(j+n+1)
		}
		wg.Go(func() {
			assert.NoError(t, ins[n].SetDeep(gs[n]))
		})
	}
	wg.Wait()
	for n, in := range ins {
		mustBePlain(t, "concurrent", in, gs[n])
	}
}
