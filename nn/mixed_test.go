package nn

import (
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/chewxy/hm"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// energy is an op from outside: from float32 outputs [N][C] and float64 weights
// [C] to the float64 scalar Σ w_j g_ij², as a value function would be.
type energy struct {
	n, c int
	dg   *tensor.Dense // float32
	dw   *tensor.Dense // float64
	pick int           // 0: the value; 1, 2: gradient by input 0, 1
	out  *gorgonia.F64
}

var energyTypes = []hm.Type{
	gorgonia.TensorType{Dims: 2, Of: tensor.Float32}, gorgonia.TensorType{Dims: 1, Of: tensor.Float64},
}

func (e *energy) Arity() int { return []int{2, 1, 1}[e.pick] }
func (e *energy) Type() hm.Type {
	if e.pick == 0 {
		return hm.NewFnType(energyTypes[0], energyTypes[1], tensor.Float64)
	}
	return hm.NewFnType(tensor.Float64, energyTypes[e.pick-1])
}
func (e *energy) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) {
	return []tensor.Shape{{}, {e.n, e.c}, {e.c}}[e.pick], nil
}
func (e *energy) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	if e.pick > 0 {
		k := float64(*in[0].(*gorgonia.F64))
		if e.pick == 1 {
			for i, v := range e.dg.Data().([]float32) {
				e.dg.Data().([]float32)[i] = float32(k) * v
			}
			return e.dg, nil
		}
		for i, v := range e.dw.Data().([]float64) {
			e.dw.Data().([]float64)[i] = k * v
		}
		return e.dw, nil
	}
	g, w := in[0].Data().([]float32), in[1].Data().([]float64)
	dg, dw := e.dg.Data().([]float32), e.dw.Data().([]float64)
	clear(dw)
	sum := 0.
	for i, v := range g {
		sq := float64(v) * float64(v)
		sum += w[i%e.c] * sq
		dg[i] = float32(2 * w[i%e.c] * float64(v))
		dw[i%e.c] += sq
	}
	*e.out = gorgonia.F64(sum)
	return e.out, nil
}
func (e *energy) ReturnsPtr() bool      { return true }
func (e *energy) CallsExtern() bool     { return false }
func (e *energy) OverwritesInput() int  { return -1 }
func (e *energy) WriteHash(h hash.Hash) { fmt.Fprintf(h, "energy %d", e.pick) }
func (e *energy) Hashcode() uint32      { h := fnv.New32a(); e.WriteHash(h); return h.Sum32() }
func (e *energy) String() string        { return "energy" }
func (e *energy) DiffWRT(n int) []bool  { return []bool{true, true}[:n] }
func (e *energy) SymDiff(_ gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	g, w := *e, *e
	g.pick, w.pick = 1, 2
	dg, err := gorgonia.ApplyOp(&g, grad)
	if err != nil {
		return nil, err
	}
	dw, err := gorgonia.ApplyOp(&w, grad)
	return gorgonia.Nodes{dg, dw}, err
}

// TestMixedPrecision puts a float64 loss on a float32 network: gorgonia has to
// carry a float32 gradient out of an op with a float64 result, and scale it by
// stock float64 arithmetic.
func TestMixedPrecision(t *testing.T) {
	const n, c = 4, 5
	net := smallNet(t, 3)
	g, err := net.Graph(n, true)
	require.NoError(t, err)
	weights := []float64{1, 2, 3, 4, 5}
	w := gorgonia.NewVector(g.ExprGraph(), gorgonia.Float64, gorgonia.WithName("w"), gorgonia.WithShape(c),
		gorgonia.WithValue(valueOf(weights, []int{c})))
	e := &energy{n: n, c: c, out: gorgonia.NewF64(0),
		dg: tensor.New(tensor.WithShape(n, c), tensor.Of(tensor.Float32)),
		dw: tensor.New(tensor.WithShape(c), tensor.Of(tensor.Float64))}
	v, err := gorgonia.ApplyOp(e, g.Output, w)
	require.NoError(t, err)
	loss := gorgonia.Must(gorgonia.Mul(v, gorgonia.NewConstant(10.)))
	extra, err := g.Compile(loss, w)
	require.NoError(t, err)
	x := make([]float32, n*36)
	normal[float32](1)(x, rand.New(rand.NewPCG(5, 6)))
	for range 2 { // the second run must not see the first
		require.NoError(t, g.Run(x))
		sum, dw, db := 0., make([]float64, c), make([]float64, c)
		for i, y := range g.Result() {
			sq := float64(y) * float64(y)
			sum += 10 * weights[i%c] * sq
			dw[i%c] += 10 * sq
			db[i%c] += 20 * weights[i%c] * float64(y)
		}
		near(t, "loss", []float64{g.Loss()}, []float64{sum}, 1e-12)
		near(t, "dw", extra[0].Value().Data().([]float64), dw, 1e-12)
		got := make([]float64, c)
		for i, v := range net.Params().Get("fc.bias").Grad {
			got[i] = float64(v)
		}
		near(t, "fc.bias", got, db, 1e-5)
	}
}
