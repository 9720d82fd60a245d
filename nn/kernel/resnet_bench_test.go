package kernel

import (
	"testing"
	"time"
)

// benchLayer is one convolution with its batch normalisation and all buffers.
type benchLayer struct {
	shape                          ConvShape
	conv                           *Conv[float32]
	rows, c                        int
	x, w, h, y, dy, dh, dx, dw     []float32
	gamma, beta, mean, vari, inv   []float32
	dgamma, dbeta, m, v, res, dres []float32
}

func newBenchLayer(s ConvShape, residual bool) *benchLayer {
	rng := newRand(3)
	l := &benchLayer{shape: s, conv: NewConv[float32](s), rows: s.OutLen() / s.OutC, c: s.OutC}
	l.x, l.dx = normals[float32](rng, s.InLen()), make([]float32, s.InLen())
	l.w, l.dw = normals[float32](rng, s.WeightLen()), make([]float32, s.WeightLen())
	l.m, l.v = make([]float32, s.WeightLen()), make([]float32, s.WeightLen())
	l.h, l.y, l.dh = make([]float32, s.OutLen()), make([]float32, s.OutLen()), make([]float32, s.OutLen())
	l.dy = normals[float32](rng, s.OutLen())
	l.gamma = normals[float32](rng, s.OutC)
	for _, p := range []*[]float32{&l.beta, &l.mean, &l.vari, &l.inv, &l.dgamma, &l.dbeta} {
		*p = make([]float32, s.OutC)
	}
	if residual {
		l.res, l.dres = normals[float32](rng, s.OutLen()), make([]float32, s.OutLen())
	}
	return l
}

// BenchmarkResNetStep is the numeric work of one training step of ResNet18 on
// one-channel 28×28 images at batch 64, without the graph around it: all
// convolutions, normalisations, the pooling and Adam on the live weights.
func BenchmarkResNetStep(b *testing.B) {
	var layers []*benchLayer
	for _, l := range resnetLayers {
		for i := range l.count {
			layers = append(layers, newBenchLayer(l.s, i%2 == 1))
		}
	}
	pool := PoolShape{N: 64, H: 14, W: 14, C: 64, K: 3, Stride: 2, Pad: 1}
	px, py, index := normals[float32](newRand(4), pool.InLen()), make([]float32, pool.OutLen()), make([]uint8, pool.OutLen())
	o := AdamParams[float32]{LR: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Correction1: 0.1, Correction2: 0.001}

	parts := []struct {
		name string
		run  func()
	}{
		{"conv-forward", func() {
			for _, l := range layers {
				l.conv.Forward(l.x, l.w, l.h)
			}
		}},
		{"norm-forward", func() {
			for _, l := range layers {
				batchNormForward(l.h, l.gamma, l.beta, l.res, l.y, l.mean, l.vari, l.inv, true, 1e-5, l.rows, l.c)
			}
		}},
		{"pool", func() {
			MaxPoolForward(pool, px, py, index)
			MaxPoolBackward(pool, py, index, px)
		}},
		{"norm-backward", func() {
			for _, l := range layers {
				batchNormBackward(l.dy, l.h, l.y, l.gamma, l.mean, l.inv, true, l.dh, l.dgamma, l.dbeta, l.dres, l.rows, l.c)
			}
		}},
		{"conv-input", func() {
			for _, l := range layers {
				if !l.conv.stem {
					l.conv.BackwardInput(l.dh, l.w, l.dx)
				}
			}
		}},
		{"conv-weight", func() {
			for _, l := range layers {
				l.conv.BackwardWeight(l.x, l.dh, l.dw)
			}
		}},
		{"adam", func() {
			for _, l := range layers {
				for _, r := range l.shape.LiveRanges() {
					AdamStep(l.w[r.Lo:r.Hi], l.dw[r.Lo:r.Hi], l.m[r.Lo:r.Hi], l.v[r.Lo:r.Hi], o)
				}
			}
		}},
	}
	best := make([]time.Duration, len(parts)+1)
	for b.Loop() {
		var total time.Duration
		for i, p := range parts {
			start := time.Now()
			p.run()
			d := time.Since(start)
			total += d
			if best[i] == 0 || d < best[i] {
				best[i] = d
			}
		}
		if i := len(parts); best[i] == 0 || total < best[i] {
			best[i] = total
		}
	}
	for i, p := range parts {
		b.ReportMetric(float64(best[i].Microseconds())/1e3, "ms-"+p.name)
	}
	b.ReportMetric(float64(best[len(parts)].Microseconds())/1e3, "ms-best-step")
	b.ReportMetric(float64(best[len(parts)].Microseconds())/64e3, "ms/image")
}
