package watch

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"hinge/app/cli"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]Size{"800M": 800 << 20, "1.5GiB": 3 << 29, "2000000": 2000000, "4k": 4096, "1 TB": 1 << 40, "7B": 7} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "M", "-1G", "0", "1e30", "NaN", "1Q", "12x"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for s, want := range map[Size]string{0: "0 bytes", 1023: "1023 bytes", 800 << 20: "800 MiB", 1000 << 20: "1000 MiB", 1<<30 - 1: "1024 MiB", 3 << 29: "1.5 GiB", 1 << 41: "2 TiB"} {
		assert.Equalf(t, want, s.String(), "%d is printed as %s, want", s, s)
	}
	if m := MachineMemory(); runtime.GOOS == "linux" && m < 1<<26 || MemoryInUse() < 1<<20 {
		t.Errorf("the machine has %v, the process %v", m, MemoryInUse())
	}
}

// A limit below what the process has is exceeded at once, and the error says what was
// going on; one far above is not.
func TestMemoryWatch(t *testing.T) {
	exceeded, done := make(chan error, 1), make(chan struct{})
	LimitMemory(1<<50, func() string { return "nothing" }, exceeded, done)
	time.Sleep(120 * time.Millisecond)
	close(done)
	assert.Empty(t, exceeded)
	done = make(chan struct{})
	defer close(done)
	LimitMemory(1<<20, func() string { return "grounding" }, exceeded, done)
	err := <-exceeded
	if want := "more than 1 MiB of memory are in use (-max-memory) while grounding"; err.Error() != want || cli.ExitCode(err) != 2 {
		t.Errorf("%v, exit code %d", err, cli.ExitCode(err))
	}
}
