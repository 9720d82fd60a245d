package bench

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProcessorTime(t *testing.T) {
	busy, all, ok := processorTime([]byte("cpu  100 20 3 5000 400 6 7 80 90 10\ncpu0 1 2\n"))
	if !ok || busy != 2160*time.Millisecond || all != 56160*time.Millisecond {
		t.Errorf("%v of %v, %v", busy, all, ok)
	}
	for _, text := range []string{"", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 x 6 7 8"} {
		if _, _, ok := processorTime([]byte(text)); ok {
			t.Errorf("%q was understood", text)
		}
	}
}

// TestOthers: the work of another process counts, that of this one does not.
func TestOthers(t *testing.T) {
	if _, err := os.Stat("/proc/stat"); err != nil {
		if _, ok := StartLoad().Others(); ok {
			t.Error("a load is known without /proc/stat")
		}
		t.Skip("there is no /proc/stat")
	}
	_, err := strconv.ParseFloat(LoadAverage(), 64)
	require.NoError(t, err)
	if _, ok := StartLoad().Others(); ok {
		t.Error("a load is known at once")
	}
	// The machine may be busy with something else: compare what this process and
	// another one add.
	watch := func(work func()) (others, idle float64, all time.Duration) {
		load := StartLoad()
		work()
		share, ok := load.Others()
		if !ok {
			t.Fatal("a second of work tells nothing")
		}
		// This process may be kept to some of the processors.
		now := StartLoad()
		all = now.all - load.all
		return share, 1 - share - (now.own-load.own).Seconds()/all.Seconds(), all
	}
	spin := func() {
		for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); { //nolint:revive // work
		}
	}
	if others, idle, _ := watch(spin); others < 0 || idle < -0.2 {
		t.Errorf("%v by others and %v idle: this process's own work counts as others'", others, idle)
	}
	loop, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	var used time.Duration
	others, _, all := watch(func() {
		cmd := exec.Command(loop, "-c", "i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done; sleep .6")
		require.NoError(t, cmd.Run())
		used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	})
	least := used.Seconds() / all.Seconds()
	if others < least/2 {
		t.Errorf("%v by others, although one of them used %v", others, least)
	}
}
