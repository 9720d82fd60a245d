package infer

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// BenchmarkAdd1Case solves the 500 additions of the case mnist-add1 from zero.
func BenchmarkAdd1Case(b *testing.B) {
	in := readCase(b, "mnist-add1").instance(b)
	for _, method := range []string{"auto", "ipm"} {
		b.Run(method, func(b *testing.B) {
			m, err := New(method)
			require.NoError(b, err)
			var res Result
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, Solve(in, nil, Settings{Method: m}, &res))
			}
			report(b, res.Stats)
		})
	}
}

func report(b *testing.B, s Stats) {
	b.ReportMetric(float64(s.BlockUpdates), "blocks/op")
	b.ReportMetric(float64(s.Newton), "newton/op")
}

// BenchmarkFewLarge solves four large components, as a step of learning has them
// that looks at part of a batch: the metric is the time on one goroutine over that
// on all.
func BenchmarkFewLarge(b *testing.B) {
	ins := infertest.Additions(b, lcqptest.Add2, 4, 12, false)
	res := results(len(ins))
	solve := func(workers int) time.Duration {
		start := time.Now()
		require.NoError(b, SolveAll(ins, nil, Settings{Workers: workers}, res))
		return time.Since(start)
	}
	var one, all time.Duration
	for b.Loop() {
		one += solve(1)
		all += solve(0)
	}
	b.ReportMetric(one.Seconds()/all.Seconds(), "one/all")
}

// BenchmarkAdditions solves batches of 32 additions: full and latent inference,
// from zero and warm after the network's outputs have moved by 1e-2. The margin
// is that of the true digit's logit: 0 before training, 12 when the outputs are
// nearly one-hot. The metric ms/component is time on one thread, of-cold that of a
// warm start over that of the same problem (moved) from zero.
func BenchmarkAdditions(b *testing.B) {
	for _, c := range []struct {
		name   string
		make   func(float64) *lcqptest.Addition
		margin float64
		label  bool
	}{
		{"add1-soft", lcqptest.Add1, 3, false}, {"add1-sharp", lcqptest.Add1, 12, false}, {"add1-latent", lcqptest.Add1, 3, true},
		{"add2-soft", lcqptest.Add2, 3, false}, {"add2-sharp", lcqptest.Add2, 12, false}, {"add2-latent", lcqptest.Add2, 3, true},
	} {
		for _, m := range []Method{Auto{}, InteriorPoint{}} {
			s := Settings{Method: m, GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6, Workers: 1}
			ins := infertest.Additions(b, c.make, 32, c.margin, c.label)
			res, warms := results(len(ins)), make([]*Warm, len(ins))
			seconds := func(b *testing.B) float64 { return b.Elapsed().Seconds() / float64(b.N) }
			run := func(b *testing.B, warms []*Warm) {
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, SolveAll(ins, warms, s, res))
				}
				var total Stats
				for _, r := range res {
					total.Add(&r.Stats)
				}
				report(b, total)
				b.ReportMetric(seconds(b)*1e3/float64(len(ins)), "ms/component")
			}
			name := c.name + "/" + m.Name()
			b.Run(name+"/cold", func(b *testing.B) { run(b, nil) })
			require.NoError(b, SolveAll(ins, nil, s, res))
			for i, r := range res {
				warms[i] = new(Warm)
				r.SaveWarm(warms[i])
			}
			moveOutputs(b, ins)
			cold := 0.0
			b.Run(name+"/moved", func(b *testing.B) {
				run(b, nil)
				cold = seconds(b)
			})
			b.Run(name+"/warm", func(b *testing.B) {
				run(b, warms)
				if cold > 0 {
					b.ReportMetric(seconds(b)/cold, "of-cold")
				}
			})
		}
	}
}

// moveOutputs moves the outputs of the instances made by additions by 1e-2, each
// image's towards the uniform distribution.
func moveOutputs(b testing.TB, ins []*lcqp.Instance) {
	b.Helper()
	for _, in := range ins {
		for row := range in.B {
			// b = b₀ + B·g: towards the uniform output, so does b.
			uniform := in.B0[row]
			for j := in.DeepPtr[row]; j < in.DeepPtr[row+1]; j++ {
				uniform += 0.1 * in.DeepVal[j]
			}
			in.B[row] += 1e-2 * (uniform - in.B[row])
		}
	}
}

// perturb moves the constants of the potentials by up to 1e-2.
func perturb(ins []*lcqp.Instance) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, in := range ins {
		for k := in.Constraints; k < in.Rows(); k++ {
			in.B[k] += 1e-2 * (2*rng.Float64() - 1)
		}
	}
}
