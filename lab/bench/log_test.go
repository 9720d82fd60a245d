package bench

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
)

func openLog(t *testing.T) *Log {
	t.Helper()
	log, err := OpenLog(filepath.Join(t.TempDir(), "log.jsonl"))
	require.NoError(t, err)
	return log
}

// What cannot be read or written is an error. Package jsonl's own tests are of the lines.
func TestLogErrors(t *testing.T) {
	log := openLog(t)
	log.path = filepath.Join(t.TempDir(), "no", "folder")
	assert.Error(t, log.Append(Row{}), "a row is lost without an error")
	if _, err := OpenLog(t.TempDir()); err == nil {
		t.Error("a folder is a log")
	}
}

// A row answers for a cell when program and cell are the same and a longer
// limit would have changed nothing.
func TestLogFind(t *testing.T) {
	log := openLog(t)
	c := cell("chain", 1000, "auto")
	row := func(status string, limit float64, build string) Row {
		return Row{Cell: c, Status: status, Limit: limit, Build: build}
	}
	log.rows = []Row{row("solved", 10, "old"), row(TimeLimit, 10, "new")}
	for _, q := range []struct {
		cell  Cell
		build string
		limit float64
		want  bool
	}{
		{c, "old", 10, true}, {c, "old", 99, true}, // solved in time: more time changes nothing
		{c, "new", 10, true}, {c, "new", 5, true}, {c, "new", 20, false},
		{c, "other", 10, false}, {cell("chain", 1001, "auto"), "old", 10, false}, {cell("chain", 1000, "ipm"), "old", 10, false},
	} {
		if _, ok := log.find(q.cell, q.build, q.limit); ok != q.want {
			t.Errorf("%s of %s with %v s: %v", q.cell, q.build, q.limit, ok)
		}
	}
	log.rows = append(log.rows, row("solved", 20, "new"))
	if r, ok := log.find(c, "new", 5); !ok || r.Status != "solved" {
		t.Errorf("the last row does not count: %+v", r)
	}
}

// What stops a measurement from outside leaves a finished first solve alone.
func TestStopped(t *testing.T) {
	for _, c := range []struct {
		stage        Stage
		status, warm string
	}{
		{Started, TimeLimit, ""}, {Grounded, TimeLimit, ""}, {Cold, "solved", TimeLimit},
	} {
		r := Row{Stage: c.stage, Status: "solved"}
		if c.stage != Cold {
			r.Status = ""
		}
		r.stopped(TimeLimit)
		if r.Status != c.status || r.WarmStatus != c.warm {
			t.Errorf("%s: %q and %q", c.stage, r.Status, r.WarmStatus)
		}
	}
}

// Larger sizes are left out after limits and refusals only.
func TestLimited(t *testing.T) {
	for status, want := range map[string]bool{
		TimeLimit: true, MemoryLimit: true, word(infer.TooLarge): true, word(infer.TimeLimit): true,
		"solved": false, word(infer.AlmostSolved): false, word(infer.NoProgress): false, Failed: false, "": false,
	} {
		r := Row{Status: status}
		if r.Limited() != want {
			t.Errorf("%q: limited is %v", status, !want)
		}
		if solved := status == "solved" || status == "almost solved"; r.Solved() != solved {
			t.Errorf("%q: solved is %v", status, !solved)
		}
	}
}
