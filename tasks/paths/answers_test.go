package paths

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/learning"
)

// TestAnswersMixLess: answers are MAP states of the program of answers, where one path has
// the flow; that of learning spreads it over paths that come near.
func TestAnswersMixLess(t *testing.T) {
	m, g, _ := small(t, nil)
	s, err := m.NewSolver()
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(7, 8))
	beliefs, costs := make([]float32, g.Deep), make([]float64, len(g.next))
	for cell := range costs {
		costs[cell] = float64(float32(rng.Float64()))
		beliefs[classes*cell], beliefs[classes*cell+1] = float32(1-costs[cell]), float32(costs[cell])
	}
	require.NoError(t, s.Solve(beliefs, 1, nil))
	learned, _ := solve(t, g.flow, costs, nil)
	mixed := func(y []float64) (n int) {
		for _, v := range y {
			if v > 0.01 && v < 0.99 {
				n++
			}
		}
		return n
	}
	if n, of := mixed(s.Result(0).Y), mixed(learned.Y); n > 0 || of < 20 {
		t.Errorf("%d steps of the answer are shared with others, %d of what is learned from", n, of)
	}
}

// TestFinalValidation: the last validation reads the grids of validation, as the others do,
// beside views of them.
func TestFinalValidation(t *testing.T) {
	m, g, _ := small(t, nil)
	g.cfg.Neural.Views = 0
	for _, p := range m.Params() { // away from the flat start
		for i := range p.Value {
			p.Value[i] *= 2
		}
	}
	read := func(part learning.Part) []float32 {
		out, err := g.Outputs(part, []int{0, 3})
		require.NoError(t, err)
		return out
	}
	valid := read(learning.ValidPart)
	if !slices.Equal(read(learning.FinalValidPart), valid) || slices.Equal(read(learning.TestPart), valid) {
		t.Error("the last validation does not read what others do")
	}
}

// TestViews: beliefs of the test are the normalised geometric mean over the plain picture and its views, which
// are distorted otherwise than what is learned from; those of validation are of the plain
// one.
func TestViews(t *testing.T) {
	_, g, _ := small(t, func(c *config.Config) {
		c.Neural.Augment, c.Neural.Views, c.Neural.ViewStrength = "light", 2, 1
	})
	some := []int{1, 4}
	for part, views := range map[learning.Part]int{learning.ValidPart: 0, learning.FinalValidPart: 2, learning.TestPart: 2} {
		got, err := g.Outputs(part, some)
		require.NoError(t, err)
		of := part
		if part == learning.FinalValidPart {
			of = learning.ValidPart
		}
		cells := g.pictures(of, some)
		ids := slices.Compact(slices.Sorted(slices.Values(cells)))
		product := slices.Repeat([]float64{1}, len(ids)*classes)
		for view := range views + 1 {
			aug := g.view
			if view == 0 {
				aug = nil
			}
			p, err := g.network.Forward(g.parts[of].inputs(ids, aug, uint64(view)), len(ids), 1)
			require.NoError(t, err)
			for i, v := range p {
				product[i] *= math.Pow(float64(v), 1/float64(views+1))
			}
		}
		for i, id := range cells {
			k, _ := slices.BinarySearch(ids, id)
			for c := range classes {
				if got, want := float64(got[i*classes+c]), product[k*classes+c]/(product[k*classes]+product[k*classes+1]); math.Abs(got-want) > 1e-6 {
					t.Fatalf("%s, cell %d: %v, want %v", part, i, got, want)
				}
			}
		}
	}
	s := g.parts[learning.TestPart]
	if ids := g.pictures(learning.TestPart, some); slices.Equal(s.inputs(ids, g.view, 1), s.inputs(ids, g.distort, 1)) {
		t.Error("views are the distorted pictures of learning")
	}
}
