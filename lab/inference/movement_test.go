package inference

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// scripted is a method whose one target takes the given values in turn and stays
// at the last one.
type scripted struct {
	values  *[]float64
	settles infer.Progress
}

func (s scripted) Name() string { return "scripted" }
func (s scripted) Capabilities() infer.Capabilities {
	return infer.Capabilities{MaxIterations: 100, CheckEvery: 10}
}
func (s scripted) NewSolver() infer.Solver { return &script{scripted: s} }
func (s *script) Init(*infer.Problem)      { s.at = 0 }
func (s *script) Point(p *infer.Problem)   { p.Y[0] = (*s.values)[s.at] }
func (s *script) Iterate(p *infer.Problem) infer.Progress {
	s.at = min(s.at+1, len(*s.values)-1)
	return s.settles
}

type script struct {
	scripted
	at int
}

func later() *deadline { return &deadline{at: time.Now().Add(time.Hour)} }

// iterate makes n iterations and returns what each said.
func iterate(m movement, p *infer.Problem, n int) (list []infer.Progress) {
	s := m.NewSolver()
	s.Init(p)
	for range n {
		list = append(list, s.Iterate(p))
	}
	return list
}

// TestMovementWaitsForConstraints: a point that breaks a hard constraint is no
// end, however little moves.
func TestMovementWaitsForConstraints(t *testing.T) {
	for _, kind := range []lcqp.Kind{lcqp.HardEQ, lcqp.HardLE} {
		// y − 0.5 = 0 or ≤ 0.
		p := &infer.Problem{Targets: 1, Rows: 1, Y: []float64{0}, Kind: []lcqp.Kind{kind},
			Ptr: []int32{0, 1}, Col: []int32{0}, Val: []float64{1}, B: []float64{-0.5}}
		values := []float64{0.51, 0.5099, 0.5049, 0.5048}
		got := iterate(movement{scripted{&values, infer.Moving}, later()}, p, 3)
		if got[0] != infer.Moving || got[1] != infer.Moving || got[2] != infer.Settled {
			t.Errorf("kind %v: %v", kind, got)
		}
	}
	// Far below is no violation of ≤, but one of =.
	p := &infer.Problem{Targets: 1, Rows: 1, Y: []float64{0.2}, Kind: []lcqp.Kind{lcqp.HardLE},
		Ptr: []int32{0, 1}, Col: []int32{0}, Val: []float64{1}, B: []float64{-0.5}}
	if v := violation(p); v != 0 {
		t.Errorf("violation %v", v)
	}
	p.Kind[0] = lcqp.HardEQ
	assert.Equal(t, 0.3, violation(p), "violation")
}

// TestMovementPassesOn: what the wrapped method says of its end is passed on, and
// past the deadline nothing is done, and that is told.
func TestMovementPassesOn(t *testing.T) {
	values := []float64{0, 0.5, 0.6}
	p := &infer.Problem{Targets: 1, Y: []float64{0}}
	for _, end := range []infer.Progress{infer.Settled, infer.Refused} {
		assert.Equal(t, end, iterate(movement{scripted{&values, end}, later()}, p, 1)[0])
	}
	end := &deadline{at: time.Now()}
	got := iterate(movement{scripted{&values, infer.Moving}, end}, p, 1)
	if got[0] != infer.Settled || p.Y[0] != 0 || !end.missed.Load() {
		t.Errorf("past the deadline: %v, point %v, missed %v", got[0], p.Y[0], end.missed.Load())
	}
}
