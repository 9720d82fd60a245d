package bench

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cell's ratio is to the last run of another program on the same machine, one that
// failed has its status, one that was not measured is empty.
func TestSummary(t *testing.T) {
	log := openLog(t)
	add := func(size int, build string, day int, cores int, cpu float64, status string) {
		r := row(size, cpu, status)
		r.Build, r.Date, r.Machine.Cores, r.Iterations = build, time.Date(2030, 1, day, 0, 0, 0, 0, time.UTC), cores, 7
		require.NoError(t, log.Append(r))
	}
	add(1000, "old", 1, 2, 8, "solved")
	add(1000, "new", 2, 2, 2, "solved")
	add(10000, "other machine", 1, 4, 8, "solved")
	add(10000, "new", 2, 2, 3, "solved")
	add(100000, "new", 2, 2, 9, TimeLimit)
	var out bytes.Buffer
	require.NoError(t, log.Summary(&out, "auto"))
	mustContain(t, out.String(), "1e3", "1e4", "1e5", "2.00 7 0.25 ×0.25", "3.00 7 0.25 -", "9.00 time limit")
	if lines := strings.Count(out.String(), "\n"); lines != 3 {
		t.Errorf("%d lines, want a title, the sizes and one model:\n%s", lines, &out)
	}
	out.Reset()
	if err := log.Summary(&out, "ipm"); err != nil || out.Len() > 0 {
		t.Errorf("a method without rows: %q, %v", out.String(), err)
	}
}

// The regret is against the fastest of the methods on the same machine, at least 1, and cells that
// no other method has solved do not count.
func TestRegret(t *testing.T) {
	log := openLog(t)
	add := func(size int, method string, cpu, warm float64, cores int) {
		r := row(size, cpu, "solved")
		r.Method, r.Warm.CPU, r.Machine.Cores = method, warm, cores
		require.NoError(t, log.Append(r))
	}
	add(1000, "auto", 3, 1, 2)
	add(1000, "ipm", 2, 4, 2)
	add(1000, "bcd", 9, 9, 2)
	add(10000, "auto", 1, 1, 2)
	add(10000, "ipm", 2, 2, 2)
	add(100000, "auto", 50, 50, 2)
	add(100000, "ipm", 1, 1, 4)
	var out bytes.Buffer
	require.NoError(t, log.Summary(&out, "auto"))
	mustContain(t, out.String(),
		"regret from zero, × the fastest method: mean 1.22, most 1.50 (chain 1e3 auto), 1 of 2 above 1.2\n",
		"regret warm, × the fastest method: mean 1.00, most 1.00 (chain 1e3 auto), 0 of 2 above 1.2\n")
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 4}, 4}, {[]float64{4, 1, 2, 9}, 3}} {
		assert.Equalf(t, c.want, Median(c.v), "median of %v", c.v)
	}
}
