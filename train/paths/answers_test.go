package paths

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/train"
)

// TestAnswersMixLess: answers are MAP states of the program of answers, where one path has
// the flow; that of learning spreads it over paths that come near.
func TestAnswersMixLess(t *testing.T) {
	m, g, _ := small(t, nil)
	s, err := m.NewSolver()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	beliefs, costs := make([]float32, g.Deep), make([]float64, len(g.next))
	for cell := range costs {
		costs[cell] = float64(float32(rng.Float64()))
		beliefs[classes*cell], beliefs[classes*cell+1] = float32(1-costs[cell]), float32(costs[cell])
	}
	if err := s.Solve(beliefs, 1, nil); err != nil {
		t.Fatal(err)
	}
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
	read := func(part train.Part) []float32 {
		out, err := g.Outputs(part, []int{0, 3})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	valid := read(train.ValidPart)
	if !slices.Equal(read(train.FinalValidPart), valid) || slices.Equal(read(train.TestPart), valid) {
		t.Error("the last validation does not read what others do")
	}
}
