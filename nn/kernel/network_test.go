package kernel

import (
	"math"
	"sync"
	"testing"
)

// network is a small residual network built from every kernel a ResNet needs:
// stem, normalisation, pooling, a residual block whose skip is a strided 1×1
// convolution, global pooling, a linear layer and the cross-entropy.
type network[T Float] struct {
	stem, a, b, skip              *Conv[T]
	pool                          PoolShape
	classes                       int
	params, grads                 [][]T // stem, a, b, skip weights; gamma, beta of 4 norms; linear
	hs, hp, ha, hb, hk, ys, ya, y []T
	dh, dhp, dya, dys, dy, dpool  []T
	mean, vari, inv               [4][]T
	index                         []uint8
	feat, logits, dfeat, dlogits  []T
}

const netBatch, netClasses = 6, 5

func newNetwork[T Float](seed uint64) *network[T] {
	n := &network[T]{classes: netClasses}
	n.stem = NewConv[T](ConvShape{N: netBatch, H: 10, W: 10, InC: 1, OutC: 9, K: 5, Stride: 2, Pad: 2})
	n.pool = PoolShape{N: netBatch, H: 5, W: 5, C: 9, K: 3, Stride: 2, Pad: 1}
	n.a = NewConv[T](ConvShape{N: netBatch, H: 3, W: 3, InC: 9, OutC: 18, K: 3, Stride: 2, Pad: 1})
	n.b = NewConv[T](ConvShape{N: netBatch, H: 2, W: 2, InC: 18, OutC: 18, K: 3, Stride: 1, Pad: 1})
	n.skip = NewConv[T](ConvShape{N: netBatch, H: 3, W: 3, InC: 9, OutC: 18, K: 1, Stride: 2})
	rng := newRand(seed)
	for _, c := range []*Conv[T]{n.stem, n.a, n.b, n.skip} {
		n.params = append(n.params, normals[T](rng, c.Shape().WeightLen()))
	}
	for i, c := range []int{9, 18, 18, 18} {
		gamma, beta := normals[T](rng, c), normals[T](rng, c)
		n.params = append(n.params, gamma, beta)
		n.mean[i], n.vari[i], n.inv[i] = make([]T, c), make([]T, c), make([]T, c)
	}
	n.params = append(n.params, normals[T](rng, 18*netClasses))
	for _, p := range n.params {
		n.grads = append(n.grads, make([]T, len(p)))
	}
	for _, s := range []struct {
		c    *Conv[T]
		bufs []*[]T
	}{{n.stem, []*[]T{&n.hs, &n.ys, &n.dys}}, {n.a, []*[]T{&n.ha, &n.ya, &n.dya}}, {n.b, []*[]T{&n.hb, &n.y, &n.dy, &n.dh, &n.dpool, &n.hk}}} {
		for _, p := range s.bufs {
			*p = make([]T, s.c.Shape().OutLen())
		}
	}
	n.hp, n.dhp, n.index = make([]T, n.pool.OutLen()), make([]T, n.pool.OutLen()), make([]uint8, n.pool.OutLen())
	n.feat, n.dfeat = make([]T, netBatch*18), make([]T, netBatch*18)
	n.logits, n.dlogits = make([]T, netBatch*netClasses), make([]T, netBatch*netClasses)
	return n
}

func (n *network[T]) norm(i int, c *Conv[T], h, res, y []T, relu bool) {
	s := c.Shape()
	BatchNormForward(h, n.params[4+2*i], n.params[5+2*i], res, y, n.mean[i], n.vari[i], n.inv[i], relu, 1e-3, s.OutLen()/s.OutC, s.OutC)
}

func (n *network[T]) normBack(i int, c *Conv[T], dy, h, y []T, relu bool, dh, dres []T) {
	s := c.Shape()
	BatchNormBackward(dy, h, y, n.params[4+2*i], n.mean[i], n.inv[i], relu, dh, n.grads[4+2*i], n.grads[5+2*i], dres, s.OutLen()/s.OutC, s.OutC)
}

// loss runs the network forward and returns the mean cross-entropy.
func (n *network[T]) loss(x []T, labels []int) float64 {
	n.stem.Forward(x, n.params[0], n.hs)
	n.norm(0, n.stem, n.hs, nil, n.ys, true)
	MaxPoolForward(n.pool, n.ys, n.hp, n.index)
	n.a.Forward(n.hp, n.params[1], n.ha)
	n.norm(1, n.a, n.ha, nil, n.ya, true)
	n.skip.Forward(n.hp, n.params[3], n.hk)
	n.norm(3, n.skip, n.hk, nil, n.dh, false) // dh is free until the backward pass
	n.b.Forward(n.ya, n.params[2], n.hb)
	n.norm(2, n.b, n.hb, n.dh, n.y, true)
	GlobalAvgPool(n.y, n.feat, 4)
	Gemm(false, false, netBatch, n.classes, 18, 1, n.feat, 18, n.params[12], n.classes, 0, n.logits, n.classes)
	LogSoftmax(n.logits, n.logits, netBatch, n.classes)
	var sum float64
	for i, l := range labels {
		sum -= float64(n.logits[i*n.classes+l])
	}
	return sum / netBatch
}

// backward fills grads from what loss left behind.
func (n *network[T]) backward(x []T, labels []int) {
	clear(n.dlogits)
	for i, l := range labels {
		n.dlogits[i*n.classes+l] = -1.0 / netBatch
	}
	LogSoftmaxBackward(n.dlogits, n.logits, n.dlogits, netBatch, n.classes)
	Gemm(true, false, 18, n.classes, netBatch, 1, n.feat, 18, n.dlogits, n.classes, 0, n.grads[12], n.classes)
	Gemm(false, true, netBatch, 18, n.classes, 1, n.dlogits, n.classes, n.params[12], n.classes, 0, n.dfeat, 18)
	GlobalAvgPoolBackward(n.dfeat, n.dy, 4)
	n.normBack(2, n.b, n.dy, n.hb, n.y, true, n.dh, n.dpool) // dpool: gradient of the skip
	n.b.BackwardWeight(n.ya, n.dh, n.grads[2])
	n.b.BackwardInput(n.dh, n.params[2], n.dya)
	n.normBack(3, n.skip, n.dpool, n.hk, nil, false, n.dpool, nil)
	n.skip.BackwardWeight(n.hp, n.dpool, n.grads[3])
	n.skip.BackwardInput(n.dpool, n.params[3], n.dhp)
	n.normBack(1, n.a, n.dya, n.ha, n.ya, true, n.dya, nil)
	n.a.BackwardWeight(n.hp, n.dya, n.grads[1])
	through := make([]T, len(n.hp))
	n.a.BackwardInput(n.dya, n.params[1], through)
	for i, v := range through {
		n.dhp[i] += v
	}
	MaxPoolBackward(n.pool, n.dhp, n.index, n.dys)
	n.normBack(0, n.stem, n.dys, n.hs, n.ys, true, n.dys, nil)
	n.stem.BackwardWeight(x, n.dys, n.grads[0])
}

func netData[T Float](seed uint64) ([]T, []int) {
	rng := newRand(seed)
	x, labels := normals[T](rng, 10*10*netBatch), make([]int, netBatch)
	for i := range labels {
		labels[i] = rng.IntN(netClasses)
	}
	return x, labels
}

func TestNetworkFiniteDifferences(t *testing.T) {
	n := newNetwork[float64](81)
	x, labels := netData[float64](82)
	loss := func() float64 { return n.loss(x, labels) }
	loss()
	n.backward(x, labels)
	rng := newRand(83)
	for i, p := range n.params {
		checkGradient(t, rng, label("parameter %d", i), p, n.grads[i], 12, loss)
	}
}

// On every path float32 gives the gradients of float64 but for rounding.
func TestNetworkGradientsOnEveryPath(t *testing.T) {
	ref := newNetwork[float64](84)
	x, labels := netData[float64](85)
	eachPath(t, func(t *testing.T) {
		n := newNetwork[float32](84)
		x32 := make([]float32, len(x))
		for i, v := range x {
			x32[i] = float32(v)
		}
		for i, p := range n.params { // the same parameters to the last bit
			copy(ref.params[i], to64(p))
		}
		want := ref.loss(to64(x32), labels)
		ref.backward(to64(x32), labels)
		if got := n.loss(x32, labels); math.Abs(got-want) > 1e-5*want {
			t.Fatalf("loss %v, want %v", got, want)
		}
		n.backward(x32, labels)
		for i, g := range n.grads {
			near(t, label("gradient %d", i), g, ref.grads[i], 1e-4)
		}
	})
}

func TestNetworkLearns(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		n := newNetwork[float32](86)
		x, labels := netData[float32](87)
		moments := make([][2][]float32, len(n.params))
		for i, p := range n.params {
			moments[i] = [2][]float32{make([]float32, len(p)), make([]float32, len(p))}
		}
		first := n.loss(x, labels)
		for step := 1; step <= 60; step++ {
			n.loss(x, labels)
			n.backward(x, labels)
			o := AdamParams[float32]{LR: 0.02, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8}
			o.Correction1, o.Correction2 = 1-float32(math.Pow(0.9, float64(step))), 1-float32(math.Pow(0.99, float64(step)))
			for i, p := range n.params {
				AdamStep(p, n.grads[i], moments[i][0], moments[i][1], o)
			}
		}
		if last := n.loss(x, labels); !(last < first/20) {
			t.Errorf("loss %v after training, %v before", last, first)
		}
	})
}

// Networks on separate buffers may run at the same time.
func TestNetworksConcurrently(t *testing.T) {
	x, labels := netData[float32](88)
	want := newNetwork[float32](89)
	want.loss(x, labels)
	want.backward(x, labels)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n := newNetwork[float32](89)
			for range 5 {
				n.loss(x, labels)
				n.backward(x, labels)
			}
			for i, g := range n.grads {
				for j, v := range g {
					if v != want.grads[i][j] {
						t.Errorf("gradient %d differs", i)
						return
					}
				}
			}
		}()
	}
	wg.Wait()
}
