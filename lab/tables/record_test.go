package tables_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/lab/lines"
	"hinge/lab/tables"
)

// quiet is a watch that measures a share of others, on two threads.
func quiet(others float64) func() func() tables.Conditions {
	return func() func() tables.Conditions {
		return func() tables.Conditions { return tables.Conditions{Threads: 2, Processors: 2, Others: &others} }
	}
}

// run makes the runs of a table's first cell by a program and a machine.
func run(t *testing.T, path string, cell tables.Cell, version string, watch func() func() tables.Conditions) tables.Record {
	t.Helper()
	table := &tables.Table{Number: 9, Title: "trial", Unit: "points", Cells: []tables.Cell{cell}}
	r := tables.Runner{Records: path, Version: version, Machine: "box", Watch: watch}
	require.NoError(t, r.Run(context.Background(), table))
	records, err := jsonl.Read[tables.Record](path)
	require.NoError(t, err)
	return records[len(records)-1]
}

// timed has a wall time of its own and a further one.
func timed(wall float64) tables.Outcome {
	return tables.Outcome{Value: 1, WallS: wall, More: map[string]float64{"Seconds of sleep": wall, "Depth": 3}}
}

// TestRecordHoldsWhatItDependsOn: settings in full, commit, machine, threads and
// load.
func TestRecordHoldsWhatItDependsOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	got := run(t, path, fixed("Energy", "a", timed(0.05)), "abc", quiet(0.02))
	if got.Config != "Energya" || !strings.HasPrefix(got.Settings, "1-") || got.Version != "abc" || got.Machine != "box" ||
		got.Threads != 2 || got.Processors != 2 || got.Others == nil || *got.Others != 0.02 || !got.Quiet() {
		t.Errorf("%+v", got)
	}
	short := fixed("Energy", "e", timed(0))
	short.Config = "the whole text"
	if got = run(t, path, short, "abc", nil); got.Config != "the whole text" {
		t.Errorf("settings in full: %q", got.Config)
	}
	// Seconds of another sitting say nothing of this one's load, which is then not known.
	if got = run(t, path, fixed("Energy", "b", timed(30)), "abc", quiet(0.02)); got.Others != nil || got.Quiet() || got.Threads != 2 {
		t.Errorf("seconds that did not pass here: %+v", got)
	}
	slow := fixed("Energy", "c", timed(0.3))
	inner := slow.Run
	slow.Run = func(ctx context.Context, split int) (tables.Outcome, error) {
		time.Sleep(300 * time.Millisecond)
		return inner(ctx, split)
	}
	if got = run(t, path, slow, "abc", quiet(0.02)); !got.Quiet() {
		t.Errorf("seconds that passed here: %+v", got)
	}
	if got = run(t, path, fixed("Energy", "d", timed(0.05)), "abc", nil); got.Others != nil || got.Threads != 0 {
		t.Errorf("without a watch: %+v", got)
	}
}

// TestSecondsOfQuietRuns: a page shows the seconds of runs that had the machine to
// themselves and a processor for every thread, and no others.
func TestSecondsOfQuietRuns(t *testing.T) {
	starved := func() func() tables.Conditions {
		others := 0.0
		return func() tables.Conditions { return tables.Conditions{Threads: 2, Processors: 1, Others: &others} }
	}
	path := filepath.Join(t.TempDir(), "r.jsonl")
	cells := []tables.Cell{
		fixed("quiet", "a", timed(0.05)), fixed("busy", "a", timed(0.06)), fixed("starved", "a", timed(0.07)), fixed("unknown", "a", timed(0.08)),
	}
	run(t, path, cells[1], "abc", quiet(0.05))
	run(t, path, cells[2], "abc", starved)
	run(t, path, cells[3], "abc", nil)
	table := &tables.Table{Number: 9, Title: "trial", Unit: "points", Cells: cells, Shown: []string{"Depth", "Seconds of sleep"}}
	before := printed(t, path, table)
	if strings.Contains(before, "Seconds") || strings.Contains(before, "0.07") {
		t.Errorf("seconds of runs on a busy machine:\n%s", before)
	}
	wants(t, before, "## Depth\n", "machine to themselves: 1 of 3; of 1 it is not known") // starved, but quiet
	run(t, path, cells[0], "abc", quiet(0.049))
	after := printed(t, path, table)
	wants(t, after, "## Seconds a run\n", "On box:\n\n| | a |\n|---|---|\n| quiet | 0.05 |\n\n",
		"## Seconds of sleep\n\n| | a |\n|---|---|\n| quiet | 0.05 |\n\n", "machine to themselves: 2 of 4; of 1 it is not known")
}

// TestMarks: a cell says that a run was made by a program that no commit holds, or
// by several programs.
func TestMarks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	two := func(row string) tables.Cell { return fixed(row, "a", timed(0), timed(0)) }
	cells := []tables.Cell{two("one"), two("changed"), two("lost"), two("several")}
	run(t, path, cells[0], "abc", nil)
	run(t, path, cells[1], "abc+changes", nil)
	run(t, path, cells[2], "unknown", nil)
	half := cells[3]
	half.Splits = half.Splits[:1]
	run(t, path, half, "abc", nil)
	run(t, path, cells[3], "def", nil)
	table := &tables.Table{Number: 9, Title: "trial", Unit: "points", Cells: cells}
	wants(t, printed(t, path, table),
		"| one | 1.00 ± 0.00 (2) |\n", "| changed | 1.00 ± 0.00 (2)† |\n", "| lost | 1.00 ± 0.00 (2)† |\n", "| several | 1.00 ± 0.00 (2)‡ |\n",
		"\n† At least one run was made by a program that no commit holds", "\n‡ Runs by commits that differ in the code that a run goes through:\n\n- several: a (abc, def)\n\n")
	table.Cells = cells[:1]
	if text := printed(t, path, table); strings.ContainsAny(text, "†‡") {
		t.Errorf("marks without a reason:\n%s", text)
	}
}

// TestMissing counts what Run would make, in this share.
func TestMissing(t *testing.T) {
	var calls []string
	table := counted(&calls, "")
	r := tables.Runner{Records: filepath.Join(t.TempDir(), "r.jsonl")}
	if n, err := r.Missing(table); n != 8 || err != nil {
		t.Errorf("%d missing, %v", n, err)
	}
	r.Shards = 3
	if n, err := r.Missing(table); n != 3 || err != nil {
		t.Errorf("%d missing of a third, %v", n, err)
	}
	require.NoError(t, r.Run(context.Background(), table))
	if n, err := r.Missing(table); n != 0 || err != nil {
		t.Errorf("%d missing after the run, %v", n, err)
	}
	r.Shards = 0
	if n, err := r.Missing(table); n != 5 || err != nil {
		t.Errorf("%d missing of all, %v", n, err)
	}
}

// TestFindsItsOwn: a cell shows the newest record of its table, row, column, split and
// settings, and one that differs in any of these is not taken for it, by Run either.
func TestFindsItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	cell := fixed("Energy", "small", values(50)...)
	table := &tables.Table{Number: 9, Title: "trial", Unit: "points", Cells: []tables.Cell{cell}}
	own := run(t, path, cell, "abc", nil)
	require.NoError(t, os.Remove(path))
	for name, change := range map[string]func(r *tables.Record){
		"table":    func(r *tables.Record) { r.Table = "Table 8" },
		"row":      func(r *tables.Record) { r.Row = "BCE" },
		"column":   func(r *tables.Record) { r.Column = "large" },
		"split":    func(r *tables.Record) { r.Split = 1 },
		"settings": func(r *tables.Record) { r.Settings = "0123456789abcdef" },
	} {
		other := own
		other.Value = 7
		change(&other)
		require.NoError(t, lines.Append(path, other))
		if n, err := (&tables.Runner{Records: path}).Missing(table); n != 1 || err != nil {
			t.Errorf("%d runs are missing where there is one of another %s, %v", n, name, err)
		}
		assert.Containsf(t, printed(t, path, table), "| Energy | – |", "a record of another %s", name)
	}
	for _, value := range []float64{1, 2, 3} {
		own.Value = value
		require.NoError(t, lines.Append(path, own))
		wants(t, printed(t, path, table), fmt.Sprintf("| Energy | %.2f |", value))
	}
	if n, err := (&tables.Runner{Records: path}).Missing(table); n != 0 || err != nil {
		t.Errorf("%d runs are missing, %v", n, err)
	}
}
