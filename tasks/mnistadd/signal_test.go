package mnistadd

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/train/learning"
)

// TestSignalComesThroughTheSolver: with the shipped defaults of the main tasks, but for
// a smaller network, what the network learns from is Σ_k share_k·Bᵀμ*_k over the Gumbel draws, where μ*_k
// solves the whole program of draw k with the labels fixed and share_k is its part of
// the soft minimum. The programs are solved here one by one, without the conditioning
// and the batches of training, to a far tighter gap; the gradient is compared where it
// has gone through the output layer, at the bias of the last linear layer, and so is
// that of the rule weights, Σ_k share_k·Φ(y*_k).
func TestSignalComesThroughTheSolver(t *testing.T) {
	for _, size := range []struct{ digits, additions int }{{1, 300}, {2, 150}, {2, 1500}} {
		digits := size.digits
		t.Run(fmt.Sprintf("%d-add%d", size.additions, digits), func(t *testing.T) {
			c := Defaults(digits, "energy", "best", size.additions)
			c.Task = fmt.Sprintf("mnist-add%d", digits)
			c.Training.Batch = 3
			small(&c)
			model, err := Open(c, digits, "")
			require.NoError(t, err)
			m := model.(*Model)
			const temperature = 0.8
			batch := []int{5, 0, 11}
			work, err := m.Gradient(learning.Step{Progress: 0.3, Temperature: temperature}, batch)
			require.NoError(t, err)
			draws := c.Neural.Samples
			if draws < 2 || c.Neural.DrawTemperature <= 0 || work.Solves != draws*len(batch) {
				t.Fatalf("%d draws at temperature %v, %d solves", draws, c.Neural.DrawTemperature, work.Solves)
			}
			s := &signal{m: m, g: m.Graph.Result(), draws: draws, batch: batch}
			loss, dg, dw := s.solve(t)
			assert.InDelta(t, work.Loss, loss, 1e-4*math.Abs(loss))
			compareNorm(t, "rule weights", m.WeightGradient(), dw)
			want, got := make([]float64, 10), make([]float64, 10)
			for i := 0; i < len(dg); i += 10 {
				y, d := s.g[i:i+10], dg[i:i+10]
				draw := float64(i / (len(dg) / draws))
				hot := temperature * math.Pow(cmp.Or(c.Neural.TemperatureSpread, 1), draw/float64(draws-1))
				mean := 0.0
				for x, v := range y {
					mean += float64(v) * d[x]
				}
				for x, v := range y {
					want[x] += float64(v) * (d[x] - mean) / hot
				}
			}
			params := m.Params()
			bias := params[len(params)-1]
			require.Lenf(t, bias.Grad, 10, "the last parameter, %s", bias.Name)
			for x, v := range bias.Grad {
				got[x] = float64(v)
			}
			compareNorm(t, bias.Name, got, want)
		})
	}
}

// signal solves the programs of a training step once more.
type signal struct {
	m     *Model
	g     []float32 // [draw][addition][image][digit]
	draws int
	batch []int
}

// solve returns the loss and its gradients for the outputs and for the rule weights.
func (s *signal) solve(t *testing.T) (loss float64, dg, dw []float64) {
	sym, cfg := s.m.sym, &s.m.cfg
	n, rules, p := sym.Template.Deep, sym.Template.Rules, float64(len(s.batch))
	dg, dw = make([]float64, len(s.g)), make([]float64, rules)
	for i, addition := range s.batch {
		values, phi := make([]float64, s.draws), make([][]float64, s.draws)
		low := math.Inf(1)
		for k := range s.draws {
			in, err := sym.Template.NewInstance(cfg.Symbolic.Epsilon)
			require.NoError(t, err)
			at := (k*len(s.batch) + i) * n
			g := make([]float64, n)
			for j := range g {
				g[j] = float64(s.g[at+j])
			}
			var res infer.Result
			for _, err := range []error{
				sym.FixLabels(in, s.m.split.Train.Sums[addition]), in.SetWeights(s.m.Weights()), in.SetDeep(g),
				infer.Solve(in, nil, infer.Settings{GapAbsolute: 1e-11}, &res),
			} {
				require.NoError(t, err)
			}
			phi[k] = make([]float64, rules)
			in.DeepGradient(&res.Solution, dg[at:at+n])
			in.Incompatibility(&res.Solution, phi[k])
			values[k], low = res.DualValue, min(low, res.DualValue)
		}
		sum := 0.0
		for k, v := range values {
			values[k] = math.Exp((low - v) / cfg.Neural.DrawTemperature)
			sum += values[k]
		}
		loss += (low - cfg.Neural.DrawTemperature*math.Log(sum/float64(s.draws))) / p
		for k, v := range values {
			share := v / sum / p
			for r, d := range phi[k] {
				dw[r] += share * d
			}
			at := (k*len(s.batch) + i) * n
			for j := range dg[at : at+n] {
				dg[at+j] *= share
			}
		}
	}
	return loss, dg, dw
}

// compareNorm asks for a relative error of at most one in a thousand.
func compareNorm(t *testing.T, name string, got, want []float64) {
	t.Helper()
	d, n := 0.0, 0.0
	for i, v := range want {
		d += (got[i] - v) * (got[i] - v)
		n += v * v
	}
	if n == 0 || !(math.Sqrt(d/n) < 1e-3) {
		t.Errorf("%s: gradient %.5g, want %.5g: relative error %.2g", name, got, want, math.Sqrt(d/n))
	}
}
