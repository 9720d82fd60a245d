package watch

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/train/exit"
)

// A first signal ends what has nothing to keep, a second one what has; while results
// are written none does.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		phase phase
		ends  []bool
	}{{idle, []bool{true}}, {holding, []bool{false, true}}, {writing, []bool{false, false}}} {
		notes := 0
		s := NewStopper(func(string) { notes++ })
		s.enter(c.phase)
		for i, want := range c.ends {
			if got := s.Signal(syscall.SIGTERM); got != want {
				t.Errorf("phase %d: signal %d ends: %v", c.phase, i+1, got)
			}
		}
		if c.phase != writing && s.Code.Load() != exit.Terminated || (c.phase == writing) != (s.Ctx.Err() == nil) || notes > 1 {
			t.Errorf("phase %d: code %d, %d notes", c.phase, s.Code.Load(), notes)
		}
		assert.Equal(t, "nothing written", s.Left(), "left")
		s.Wrote("a")
		assert.Equal(t, "written: a", s.Left(), "left")
		s.Close()
	}
}
