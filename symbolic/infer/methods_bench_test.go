package infer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// BenchmarkToGap measures every method on every family from a cold start to a
// relative gap, violation and stationarity of 1e-3: time, iterations of all
// components together, those of the slowest component, and the share of
// components that got there. The case mnist-add1 takes part when HINGE_CASES is
// set.
func BenchmarkToGap(b *testing.B) {
	families := []struct {
		name string
		ins  func(b *testing.B) []*lcqp.Instance
	}{
		{"chain200", func(b *testing.B) []*lcqp.Instance { return []*lcqp.Instance{chain(b, 200, 0.01)} }},
		{"grid10", func(b *testing.B) []*lcqp.Instance { return []*lcqp.Instance{infertest.Grid(b, 10, 0.01)} }},
		{"add1x100", func(b *testing.B) []*lcqp.Instance { return infertest.Additions(b, lcqptest.Add1, 100, 3, false) }},
		{"add2x20", func(b *testing.B) []*lcqp.Instance { return infertest.Additions(b, lcqptest.Add2, 20, 3, false) }},
		{"mnist-add1", func(b *testing.B) []*lcqp.Instance {
			return []*lcqp.Instance{readCase(b, "mnist-add1").instance(b)}
		}},
	}
	for _, f := range families {
		for _, name := range Names() {
			b.Run(f.name+"/"+name, func(b *testing.B) {
				ins := f.ins(b)
				m, err := New(name)
				require.NoError(b, err)
				res := results(len(ins))
				for b.Loop() {
					require.NoError(b, SolveAll(ins, nil, within(m, 1e-3), res))
				}
				reportToGap(b, res)
			})
		}
	}
}

func reportToGap(b *testing.B, res []*Result) {
	total, most, solved, components := 0, 0, 0, 0
	for _, r := range res {
		total += r.Stats.Iterations
		for _, c := range r.Components {
			components++
			most = max(most, c.Stats.Iterations)
			if c.Status == Solved {
				solved++
			}
		}
	}
	b.ReportMetric(float64(total), "iterations/op")
	b.ReportMetric(float64(most), "most-iterations")
	b.ReportMetric(100*float64(solved)/float64(components), "%solved")
}
