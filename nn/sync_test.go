package nn

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/optim/collective"
)

// syncParts, syncRows: three parts of four examples.
const syncParts, syncRows, syncWidth = 3, 4, 5

// synced is a network with two batch normalisations, the second with a residual, for
// each part of a batch, and one for all of it.
type synced struct {
	parts [syncParts]*fixture
	whole *fixture
	ranks []collective.Comm
}

func newSynced(t *testing.T) *synced {
	t.Helper()
	net := func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		h := b.BatchNorm("one", b.Linear("in", x, 6), BatchNorm{ReLU: true})
		return b.BatchNorm("two", b.Linear("out", h, 6), BatchNorm{ReLU: true, Residual: b.Linear("short", x, 6)})
	}
	s := &synced{whole: newFixture(t, syncParts*syncRows, []int{syncWidth}, net), ranks: collective.Local(syncParts)}
	for p := range s.parts {
		f := newFixture(t, syncRows, []int{syncWidth}, net)
		copy(f.x, s.whole.x[p*syncRows*syncWidth:])
		copy(f.target, s.whole.target[p*syncRows*6:])
		f.net.State().Sync = func(own []float64) ([]float64, error) { return collective.GatherEqual(s.ranks[p], own) }
		s.parts[p] = f
	}
	rng := rand.New(rand.NewPCG(3, 5))
	for _, q := range s.whole.net.Params().Trainable() {
		for i := range q.Value {
			q.Value[i] += rng.NormFloat64() / 2
		}
		for _, f := range s.parts {
			copy(f.net.Params().Get(q.Name).Value, q.Value)
		}
	}
	return s
}

// run runs all parts at the same time and returns the mean of their losses.
func (s *synced) run(t *testing.T) float64 {
	t.Helper()
	var all sync.WaitGroup
	var errs [syncParts]error
	for p, f := range s.parts {
		all.Go(func() { errs[p] = f.g.Run(f.x) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs[:]...))
	mean := 0.0
	for _, f := range s.parts {
		mean += f.g.Loss() / syncParts
	}
	return mean
}

// gradient is the mean of the parts' gradients.
func (s *synced) gradient(name string) []float64 {
	mean := make([]float64, len(s.whole.net.Params().Get(name).Value))
	for _, f := range s.parts {
		for i, v := range f.net.Params().Get(name).Grad {
			mean[i] += v / syncParts
		}
	}
	return mean
}

// TestSyncIsWholeBatch: parts that share their statistics have the outputs, gradients
// and running statistics of one pass over all of them, with the same bits in all parts;
// parts that do not, have not.
func TestSyncIsWholeBatch(t *testing.T) {
	s := newSynced(t)
	want := s.whole.loss(t)
	if got := s.run(t); math.Abs(got-want) > 1e-13 {
		t.Errorf("loss %v, of the whole batch %v", got, want)
	}
	var out []float64
	for _, f := range s.parts {
		out = append(out, f.g.Result()...)
	}
	near(t, "output", out, s.whole.g.Result(), 1e-13)
	for _, p := range s.whole.net.Params().All() {
		if p.Buffer {
			first := s.parts[0].net.Params().Get(p.Name).Value
			near(t, p.Name, first, p.Value, 1e-14)
			for _, f := range s.parts[1:] {
				assert.Equalf(t, first, f.net.Params().Get(p.Name).Value, "%s differs between the parts", p.Name)
			}
			continue
		}
		near(t, p.Name, s.gradient(p.Name), p.Grad, 1e-12)
	}
	for _, f := range s.parts {
		f.net.State().Sync = nil
	}
	if got := s.run(t); math.Abs(got-want) < 1e-3 {
		t.Errorf("loss %v without sharing, %v with: the test would not see it", got, want)
	}
}

// An error of Sync, numbers that do not fit and parts at different layers end the run.
func TestSyncRefuses(t *testing.T) {
	broken := errors.New("no connection")
	for want, f := range map[string]func(own []float64) ([]float64, error){
		"norm one: no connection": func([]float64) ([]float64, error) { return nil, broken },
		"returned 3 numbers":      func([]float64) ([]float64, error) { return make([]float64, 3), nil },
		"at another layer": func(own []float64) ([]float64, error) {
			other := slices.Clone(own)
			other[0]++
			return append(other, own...), nil
		},
	} {
		s := newSynced(t)
		s.whole.net.State().Sync = f
		err := s.whole.g.Run(s.whole.x)
		assert.ErrorContains(t, err, want)
	}
}
