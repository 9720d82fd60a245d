//go:build long

package infer

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"hinge/app/watch"
)

// TestDifferentialLong draws 20,000 models, or those of HINGE_MODELS=FROM:COUNT, a seed a
// model: with the seed of a failure it comes again. As many mutated ones follow the same
// seeds. The process may at no time have more than a gigabyte of memory.
func TestDifferentialLong(t *testing.T) {
	first, count := uint64(1000), uint64(20_000)
	if text := os.Getenv("HINGE_MODELS"); text != "" {
		from, n, _ := strings.Cut(text, ":")
		var err error
		if first, err = strconv.ParseUint(from, 10, 64); err == nil {
			count, err = strconv.ParseUint(n, 10, 64)
		}
		if err != nil {
			t.Fatalf("HINGE_MODELS=%s is not FROM:COUNT", text)
		}
	}
	dir := t.TempDir()
	failed := 0
	for seed := first; seed < first+count && failed < 20; seed++ {
		for name, run := range map[string]func(testing.TB, string, uint64) string{"": differential, "mutated, ": mutated} {
			if problem := run(t, dir, seed); problem != "" {
				t.Errorf("%sseed %d: %s\n%s", name, seed, problem, modelText(dir))
				failed++
			}
		}
		if seed%1000 == 999 {
			if m := watch.MemoryInUse(); m > 1<<30 {
				t.Fatalf("after seed %d the process has %v", seed, m)
			}
			runtime.GC()
			t.Logf("%d models done", seed-first+1)
		}
	}
	t.Logf("%d models and as many mutated ones from seed %d on, %v of memory", count, first, watch.MemoryInUse())
}
