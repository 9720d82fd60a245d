package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain is the measuring process when asked for by the suites below.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "-serve" {
		if strings.Contains(os.Args[2], `"model":"crash"`) {
			panic("as asked")
		}
		if strings.Contains(os.Args[2], `"model":"hang"`) {
			time.Sleep(time.Minute)
		}
		if err := Serve(context.Background(), os.Args[2], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func cell(model string, size int, method string) Cell {
	return Cell{Model: model, Size: size, Method: method, Seed: 1, Gap: 1e-6}
}

func TestMeasure(t *testing.T) {
	for _, method := range []string{"auto", "ipm"} {
		var rows []Row
		task := &Task{Cell: cell("add1-soft", 1094, method), Limit: 20 * time.Second, Repeat: time.Millisecond, Profiles: t.TempDir()}
		require.NoError(t, Measure(context.Background(), task, func(r Row) { rows = append(rows, r) }))
		if len(rows) != 3 || rows[0].Stage != Grounded || rows[1].Stage != Cold || rows[2].Stage != Done {
			t.Fatalf("%s: stages of %+v", method, rows)
		}
		r := rows[2]
		if r.Terms != 1094 || r.Targets != 82 || r.Components != 2 || r.Largest != 41 {
			t.Errorf("%s: sizes %+v", method, r)
		}
		if !r.Solved() || r.WarmStatus != "solved" || r.Gap > 1e-6 || r.Violation > 1e-6 || r.Iterations < 1 {
			t.Errorf("%s: quality %+v", method, r)
		}
		for i, v := range []Time{r.Generate, r.Ground, r.Compile, r.First, r.Again, r.Changed, r.Warm} {
			if !(v.Wall > 0 && v.Wall < 20) {
				t.Errorf("%s: time %d is %+v", method, i, v)
			}
		}
		if r.GroundPeak < 1<<20 || r.Peak < r.GroundPeak {
			t.Errorf("%s: memory %d, %d", method, r.GroundPeak, r.Peak)
		}
		for _, kind := range []string{"cold", "warm"} {
			if _, err := os.Stat(filepath.Join(task.Profiles, "add1-soft-1094-"+method+"."+kind+".pprof")); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestMeasureFails(t *testing.T) {
	for _, c := range []struct {
		cell Cell
		want string
	}{
		{cell("chain", 10, "magic"), "magic"}, {cell("maze", 10, "auto"), "maze"},
		{cell("case:none", 0, "auto"), "case.json"}, {cell(CoraName, 0, "auto"), "cora.content"},
	} {
		var row Row
		err := Measure(context.Background(), &Task{Cell: c.cell, Limit: time.Second}, func(r Row) { row = r })
		if err == nil || row.Status != Failed || row.Stage != Started || !strings.Contains(row.Error, c.want) {
			t.Errorf("%s: %v, %+v", c.cell, err, row)
		}
	}
}

func suite(t *testing.T, path string) *Suite {
	t.Helper()
	log, err := OpenLog(path)
	require.NoError(t, err)
	command, err := Self("-serve")
	require.NoError(t, err)
	return &Suite{Command: command, Log: log, Limit: 20 * time.Second, Baseline: 20 * time.Second, Repeat: time.Millisecond, Build: "b", Version: "v"}
}

func TestSuiteResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	cells := Plan{Models: []string{"chain", "knn-labels"}, Sizes: []int{400, 100}, Methods: []string{"ipm"}, Seed: 1, Gap: 1e-6}.Cells()
	if len(cells) != 4 || cells[0].Size != 100 || cells[3] != cell("knn-labels", 400, "ipm") {
		t.Fatal(cells)
	}
	s := suite(t, path)
	var notes []string
	s.Progress = func(done, of int, r Row, note string) { notes = append(notes, r.Status+note) }
	require.NoError(t, s.Run(context.Background(), cells[:3]))
	// As an interruption in the middle of a line leaves it.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"model":"kn`)
	require.NoError(t, err)
	f.Close()
	again := suite(t, path)
	again.Progress = s.Progress
	require.NoError(t, again.Run(context.Background(), cells))
	want := "solved solved solved solvedknown solvedknown solvedknown solved"
	assert.Equal(t, want, strings.Join(notes, " "))
	log, err := OpenLog(path)
	require.NoError(t, err)
	rows := log.Latest()
	if len(rows) != 4 || len(log.rows) != 4 || rows[2].Cell != cells[2] || rows[3].Build != "b" {
		t.Errorf("%d rows: %+v", len(log.rows), rows)
	}
	other := suite(t, path)
	other.Build = "c"
	require.NoError(t, other.Run(context.Background(), cells[:1]))
	if len(other.Log.rows) != 5 || len(other.Log.Latest()) != 4 {
		t.Error("a row of another build was taken")
	}
}

func TestSuiteSurvives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	s := suite(t, path)
	s.Limit = 100 * time.Millisecond
	got := map[string]Row{}
	left := 0
	s.Progress = func(_, _ int, r Row, note string) {
		if note != "" {
			left++
		}
		got[r.Model] = r
	}
	s.Memory = 1 << 20 // less than any process
	require.NoError(t, s.Run(context.Background(), []Cell{cell("add1-soft", 1e5, "ipm"), cell("add1-soft", 2e5, "ipm")}))
	if r := s.Log.rows[0]; r.Status != MemoryLimit || len(s.Log.rows) != 1 || left != 1 {
		t.Errorf("%+v", s.Log.rows)
	}
	s.Memory = 0
	require.NoError(t, s.Run(context.Background(), []Cell{cell("crash", 0, "auto"), cell("hang", 0, "auto"), cell("maze", 1, "auto")}))
	if r := got["crash"]; r.Status != Failed || !strings.Contains(r.Error, "as asked") {
		t.Errorf("%+v", r)
	}
	if r := got["hang"]; r.Status != TimeLimit {
		t.Errorf("%+v", r)
	}
	if r := got["maze"]; r.Status != Failed || !strings.Contains(r.Error, "maze") {
		t.Errorf("%+v", r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.Error(t, s.Run(ctx, []Cell{cell("chain", 100, "auto")}), "a cancelled run goes on")
	s.Command = func(ctx context.Context, _ string) *exec.Cmd { return exec.CommandContext(ctx, "/nonexistent") }
	assert.Error(t, s.Run(context.Background(), []Cell{cell("chain", 100, "auto")}), "a program that cannot be started is no error")
}

func TestUsage(t *testing.T) {
	if n, ok := HighWater([]byte("VmPeak: 9 kB\nVmHWM:\t   123 kB\n")); !ok || n != 123<<10 {
		t.Error(n, ok)
	}
	if _, ok := HighWater([]byte("VmHWM:\n")); ok {
		t.Error("an empty line is accepted")
	}
	if PeakMemory() < 1<<20 {
		t.Error(PeakMemory())
	}
}
