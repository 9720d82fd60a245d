package infer

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkAdd1Cold solves the 500 additions of the case mnist-add1 from zero.
func BenchmarkAdd1Cold(b *testing.B) {
	in := readCase(b, "mnist-add1").instance(b)
	for _, method := range []string{"bcd", "ipm"} {
		b.Run(method, func(b *testing.B) {
			m, err := New(method)
			if err != nil {
				b.Fatal(err)
			}
			var res Result
			b.ReportAllocs()
			for b.Loop() {
				if err := Solve(in, nil, Settings{Method: m}, &res); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(res.Stats.BlockUpdates), "blocks/op")
			b.ReportMetric(float64(res.Stats.Newton), "newton/op")
		})
	}
}

// BenchmarkAdd1Warm solves them again after every constant has moved by up to
// 1e-2.
func BenchmarkAdd1Warm(b *testing.B) {
	in := readCase(b, "mnist-add1").instance(b)
	var res Result
	var warm Warm
	if err := Solve(in, nil, Settings{}, &res); err != nil {
		b.Fatal(err)
	}
	res.SaveWarm(&warm)
	rng := rand.New(rand.NewPCG(1, 2))
	for k := in.Constraints; k < in.Rows(); k++ {
		in.B[k] += 1e-2 * (2*rng.Float64() - 1)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := Solve(in, &warm, Settings{}, &res); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(res.Stats.BlockUpdates), "blocks/op")
	b.ReportMetric(float64(res.Stats.Newton), "newton/op")
}
