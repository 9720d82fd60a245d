package infer

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{"800M": 800 << 20, "1.5GiB": 3 << 29, "2000000": 2000000, "4k": 4096, "1 TB": 1 << 40, "7B": 7} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "M", "-1G", "0", "1e30", "NaN", "1Q", "12x"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for s, want := range map[size]string{0: "0 bytes", 1023: "1023 bytes", 800 << 20: "800 MiB", 3 << 29: "1.5 GiB", 1 << 41: "2 TiB"} {
		assert.Equalf(t, want, s.String(), "%d is printed as %s, want", s, s)
	}
	if m := machineMemory(); runtime.GOOS == "linux" && m < 1<<26 || memoryInUse() < 1<<20 {
		t.Errorf("the machine has %v, the process %v", m, memoryInUse())
	}
}

// A limit below what the process has is exceeded at once, and the error says what was
// going on; one far above is not.
func TestMemoryWatch(t *testing.T) {
	exceeded, done := make(chan error, 1), make(chan struct{})
	watchMemory(1<<50, func() string { return "nothing" }, exceeded, done)
	time.Sleep(120 * time.Millisecond)
	close(done)
	assert.Empty(t, exceeded)
	done = make(chan struct{})
	defer close(done)
	watchMemory(1<<20, func() string { return "grounding" }, exceeded, done)
	err := <-exceeded
	if want := "more than 1 MiB of memory are in use (-max-memory) while grounding"; err.Error() != want || exitCode(err) != 2 {
		t.Errorf("%v, exit code %d", err, exitCode(err))
	}
}

// While grounding, progress and memory errors name the rule, its rows, the estimate
// and the literal to add.
func TestGroundingNow(t *testing.T) {
	var names []string
	for i := range 300 {
		names = append(names, `["`+strings.Repeat("a", i+1)+`"]`)
	}
	all := strings.Join(names, ",")
	c, _ := testCommand(t, `{"rules": ["1: P(A) & P(B) & P(C) & P(D) -> Q(A)"], "predicates": {"P/1": {"observations": [`+all+`]}, "Q/1": {"targets": [`+all+`]}}}`)
	go func() {
		for !strings.Contains(c.progress.doing(), "ground rules so far") {
			time.Sleep(time.Millisecond)
		}
		c.stop.cancel()
	}()
	if _, err := c.upToSolve(); err == nil {
		t.Fatal("the grounding ended")
	}
	text := c.progress.doing()
	for _, want := range []string{"grounding 1 rule, rule 1 at ", "model.json:1:13, ", " ground rules so far of about 8.1e+09: 1: P(A) & P(B) & P(C) & P(D) -> Q(A) (add a literal that joins the two, such as Block("} {
		if !strings.Contains(text, want) {
			t.Errorf("now: %s, want %s", text, want)
		}
	}
	if w := c.listed(); len(w) != 1 || !strings.Contains(w[0].Message, "very many groundings") || !strings.Contains(w[0].Message, "such as Block(") {
		t.Errorf("warnings %+v", w)
	}
}
