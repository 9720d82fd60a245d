//go:build unix

package console

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train"
)

// noted hands notes on.
type noted struct {
	train.Observer
	text chan string
}

func (n noted) Note(text string) { n.text <- text }
func (noted) Start(train.Plan)   {}
func (noted) Done()              {}

// TestSIGUSR1 asks before the start, in the middle and after the end, where nobody
// answers and the process lives on.
func TestSIGUSR1(t *testing.T) {
	n := noted{text: make(chan string)}
	w, err := Watch(n, "")
	require.NoError(t, err)
	asked := func(want string) {
		t.Helper()
		require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGUSR1))
		select {
		case got := <-n.text:
			assert.Equal(t, want, got)
		case <-time.After(30 * time.Second):
			t.Fatal("no answer")
		}
	}
	asked("not training yet: data or pre-training")
	w.Start(train.Plan{Steps: 8})
	asked("step 0 of 8; seconds 0.0 neural, 0.0 symbolic; 0 s")
	w.Done()
	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGUSR1))
}
