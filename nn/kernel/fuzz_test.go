package kernel

import "testing"

// FuzzGemm draws a product from its arguments and checks it on every path.
func FuzzGemm(f *testing.F) {
	f.Add(uint64(1), uint8(5), uint8(17), uint16(257), uint8(3))
	f.Add(uint64(2), uint8(96), uint8(16), uint16(1), uint8(0))
	f.Add(uint64(3), uint8(200), uint8(33), uint16(511), uint8(7))
	f.Fuzz(func(t *testing.T, seed uint64, m, n uint8, k uint16, mode uint8) {
		g := gemmCase{
			m: int(m), n: int(n), k: int(k % 600), transA: mode&1 != 0, transB: mode&2 != 0,
			alpha: []float64{1, -0.5, 0, 2}[mode>>2&3], beta: []float64{0, 1, 0.5, -1}[mode>>4&3],
			padA: int(mode >> 6), ld: int(mode >> 7),
		}
		eachPath(t, func(t *testing.T) { g.run(t, seed) })
	})
}

// FuzzConv draws a convolution from its arguments; shapes that Validate refuses
// must make NewConv panic, all others must compute on every path.
func FuzzConv(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(5), uint8(4), uint8(7), uint8(9), uint8(3), uint8(2), uint8(1))
	f.Add(uint64(2), uint8(1), uint8(1), uint8(1), uint8(16), uint8(32), uint8(3), uint8(1), uint8(1))
	f.Add(uint64(3), uint8(2), uint8(9), uint8(8), uint8(3), uint8(17), uint8(7), uint8(2), uint8(3))
	f.Add(uint64(4), uint8(2), uint8(2), uint8(2), uint8(3), uint8(3), uint8(5), uint8(1), uint8(0))
	f.Add(uint64(5), uint8(11), uint8(7), uint8(7), uint8(32), uint8(32), uint8(3), uint8(1), uint8(1))
	f.Add(uint64(6), uint8(11), uint8(4), uint8(8), uint8(32), uint8(32), uint8(3), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, n, h, w, in, out, k, stride, pad uint8) {
		s := ConvShape{
			N: int(n % 12), H: int(h % 10), W: int(w % 10), InC: int(in % 40), OutC: int(out % 50),
			K: int(k % 8), Stride: int(stride % 4), Pad: int(pad % 5),
		}
		if s.Validate() != nil {
			mustPanic(t, label("%+v", s), func() { NewConv[float32](s) })
			return
		}
		eachPath(t, func(t *testing.T) { runConv[float32](t, s, seed, 1e-5) })
	})
}

// FuzzMaxPool draws a pooling from its arguments.
func FuzzMaxPool(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(7), uint8(5), uint8(17), uint8(3), uint8(2), uint8(1))
	f.Add(uint64(2), uint8(1), uint8(1), uint8(1), uint8(1), uint8(1), uint8(1), uint8(0))
	f.Add(uint64(3), uint8(5), uint8(13), uint8(11), uint8(31), uint8(5), uint8(3), uint8(2))
	f.Fuzz(func(t *testing.T, seed uint64, n, h, w, c, k, stride, pad uint8) {
		s := PoolShape{N: int(n % 12), H: int(h % 14), W: int(w % 14), C: int(c % 70), K: int(k % 17), Stride: int(stride % 5), Pad: int(pad % 9)}
		if s.Validate() != nil {
			mustPanic(t, label("%+v", s), func() { MaxPoolForward[float32](s, nil, nil, nil) })
			return
		}
		eachPath(t, func(t *testing.T) { runPool[float32](t, s, seed) })
	})
}

// FuzzBatchNorm draws a batch normalisation from its arguments.
func FuzzBatchNorm(f *testing.F) {
	f.Add(uint16(1), uint8(1), uint8(0))
	f.Add(uint16(2), uint8(7), uint8(1))
	f.Add(uint16(131), uint8(31), uint8(2))
	f.Add(uint16(1009), uint8(97), uint8(3))
	f.Fuzz(func(t *testing.T, rows uint16, c, mode uint8) {
		s := bnShape{1 + int(rows%3000), 1 + int(c)}
		eachPath(t, func(t *testing.T) { runBN[float32](t, s, mode&1 != 0, mode&2 != 0, 2e-5) })
	})
}

// FuzzWinograd draws a shape that schemes can compute, whether they gain or not.
func FuzzWinograd(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		s := randomWinograd(newRand(seed))
		eachPath(t, func(t *testing.T) { checkConv(t, s, newConv(s, newWinograd[float32](s)), seed, 1e-5) })
	})
}
