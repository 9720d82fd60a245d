package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	for _, method := range []string{"bcd", "ipm"} {
		var rows []Row
		task := &Task{Cell: cell("add1-soft", 1094, method), Limit: 20 * time.Second, Repeat: time.Millisecond, Profiles: t.TempDir()}
		if err := Measure(context.Background(), task, func(r Row) { rows = append(rows, r) }); err != nil {
			t.Fatal(err)
		}
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
		{cell("chain", 10, "magic"), "magic"}, {cell("maze", 10, "bcd"), "maze"},
		{cell("case:none", 0, "bcd"), "case.json"}, {cell(CoraName, 0, "bcd"), "cora.content"},
	} {
		var row Row
		err := Measure(context.Background(), &Task{Cell: c.cell, Limit: time.Second}, func(r Row) { row = r })
		if err == nil || row.Status != Failed || row.Stage != Started || !strings.Contains(row.Error, c.want) {
			t.Errorf("%s: %v, %+v", c.cell, err, row)
		}
	}
}

// The optimum of a case is compared with; a wrong one shows.
func TestCase(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "tiny")
	for name, text := range map[string]string{
		// min (1 - y)² + 1·((1 - y)² + y²): y = 2/3, value 2/9 + 4/9.
		"model.json": `{"rules": ["1: A(X) -> B(X) ^2"], "options": {"inference.normalize": false},
			"predicates": {"A/1": {"observations": [["x"]]}, "B/1": {"targets": [["x"]]}}}`,
		"case.json": `{"epsilon": 1, "optimum": {"regularised": 0.6666666666666666}}`,
	} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	names, err := CaseNames(root)
	if err != nil || len(names) != 1 || names[0] != "tiny" {
		t.Fatal(names, err)
	}
	if _, err := CaseNames(dir); err == nil {
		t.Error("a folder without cases is accepted")
	}
	var row Row
	task := &Task{Cell: cell("case:tiny", 0, "bcd"), Sources: Sources{Cases: root}, Limit: time.Second, Repeat: 1}
	if err := Measure(context.Background(), task, func(r Row) { row = r }); err != nil {
		t.Fatal(err)
	}
	if row.ValueError == nil || *row.ValueError > 1e-9 || math.Abs(row.Value-2.0/3) > 1e-9 {
		t.Errorf("%+v", row)
	}
	if row.Warm.Wall == 0 || row.WarmStatus != "solved" {
		t.Errorf("the constants were not moved: %+v", row)
	}
}

func TestServedCases(t *testing.T) {
	root := os.Getenv("HINGE_CASES")
	if root == "" {
		t.Skip("set HINGE_CASES to the folder of the solved cases to run this test")
	}
	task := &Task{Cell: cell("case:acquaintances", 0, "bcd"), Sources: Sources{Cases: root}, Limit: 20 * time.Second, Repeat: 1}
	var row Row
	if err := Measure(context.Background(), task, func(r Row) { row = r }); err != nil {
		t.Fatal(err)
	}
	if row.Terms != 4532 || *row.ValueError > 1e-5*max(1, row.Value) {
		t.Errorf("%+v", row)
	}
}

func suite(t *testing.T, path string) *Suite {
	t.Helper()
	log, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	command, err := Self("-serve")
	if err != nil {
		t.Fatal(err)
	}
	return &Suite{Command: command, Log: log, Limit: 20 * time.Second, Repeat: time.Millisecond, Build: "b", Version: "v"}
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
	if err := s.Run(context.Background(), cells[:3]); err != nil {
		t.Fatal(err)
	}
	// As an interruption in the middle of a line leaves it.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"model":"kn`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	again := suite(t, path)
	again.Progress = s.Progress
	if err := again.Run(context.Background(), cells); err != nil {
		t.Fatal(err)
	}
	want := "solved solved solved solvedknown solvedknown solvedknown solved"
	if got := strings.Join(notes, " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	log, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := log.Latest()
	if len(rows) != 4 || len(log.rows) != 4 || rows[2].Cell != cells[2] || rows[3].Build != "b" {
		t.Errorf("%d rows: %+v", len(log.rows), rows)
	}
	other := suite(t, path)
	other.Build = "c"
	if err := other.Run(context.Background(), cells[:1]); err != nil {
		t.Fatal(err)
	}
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
	if err := s.Run(context.Background(), []Cell{cell("add1-soft", 1e5, "ipm"), cell("add1-soft", 2e5, "ipm")}); err != nil {
		t.Fatal(err)
	}
	if r := s.Log.rows[0]; r.Status != MemoryLimit || len(s.Log.rows) != 1 || left != 1 {
		t.Errorf("%+v", s.Log.rows)
	}
	s.Memory = 0
	if err := s.Run(context.Background(), []Cell{cell("crash", 0, "bcd"), cell("hang", 0, "bcd"), cell("maze", 1, "bcd")}); err != nil {
		t.Fatal(err)
	}
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
	if err := s.Run(ctx, []Cell{cell("chain", 100, "bcd")}); err == nil {
		t.Error("a cancelled run goes on")
	}
	s.Command = func(ctx context.Context, _ string) *exec.Cmd { return exec.CommandContext(ctx, "/nonexistent") }
	if err := s.Run(context.Background(), []Cell{cell("chain", 100, "bcd")}); err == nil {
		t.Error("a program that cannot be started is no error")
	}
}

func TestLogMistakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte("{}\n{bad}\n{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(path); err == nil || !strings.Contains(err.Error(), "log.jsonl:2:") {
		t.Error(err)
	}
}

func TestReport(t *testing.T) {
	made := func(size int, cpu float64, status string) Row {
		return Row{Cell: cell("chain", size, "bcd"), Stage: Done, Status: status, Terms: size, Limit: 7,
			Ground: Time{1, 1}, First: Time{cpu / 2, cpu}, Changed: Time{1, 2}, Warm: Time{0.1, 0.5}, WarmStatus: "solved",
			Gap: 2e-9, Version: "abc", Peak: 5e6, Date: time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC)}
	}
	var out bytes.Buffer
	rows := []Row{made(1000, 1, "solved"), made(10000, 100, "solved"), made(100000, 9, TimeLimit)}
	if err := Report(&out, rows, "run it"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"commit: abc\n", "date: 2030-01-02\n", "command: `run it`", "| 1,000 |", "| > 7.00 |", "| 0.25 |", "2.0e-09",
		"| chain | bcd | 1,000 | 10,000 | 0.00 | 2.00 |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	// All rows of a table have as many cells as its head.
	width := 0
	for line := range strings.Lines(out.String()) {
		n := strings.Count(line, "|")
		if n > 0 && width > 0 && n != width {
			t.Errorf("%d bars, want %d: %s", n, width, line)
		}
		width = n
	}
	out.Reset()
	if err := Report(&out, nil, "x"); err != nil || !strings.Contains(out.String(), "Nothing") {
		t.Error(err, out.String())
	}
}

func TestFormats(t *testing.T) {
	for _, c := range [][2]string{
		{magnitude(735), "735"}, {magnitude(100000), "1e5"}, {magnitude(25000), "2.5e4"}, {magnitude(999999), "1e6"},
		{seconds(0), ""}, {seconds(0.00123), "0.0012"}, {seconds(0.1234), "0.123"}, {seconds(1.234), "1.23"},
		{seconds(12.34), "12.3"}, {seconds(1234), "1234"}, {small(0), "0"}, {small(finite(math.NaN())), "∞"},
		{count(1234567), "1,234,567"}, {count(12), "12"}, {cell("chain", 1e4, "ipm").String(), "chain 1e4 ipm"},
		{lastLine("a\npanic: b\nc", nil), "panic: b"}, {lastLine("a\nb\n", nil), "b"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

func TestUsage(t *testing.T) {
	if n, ok := highWater([]byte("VmPeak: 9 kB\nVmHWM:\t   123 kB\n")); !ok || n != 123<<10 {
		t.Error(n, ok)
	}
	if _, ok := highWater([]byte("VmHWM:\n")); ok {
		t.Error("an empty line is accepted")
	}
	if peakMemory() < 1<<20 {
		t.Error(peakMemory())
	}
	if v, ok := field([]byte("a : b\nmodel name\t: X 1\n"), "model name"); !ok || v != "X 1" {
		t.Error(v, ok)
	}
	m := ThisMachine()
	if text, err := json.Marshal(m); err != nil || m.Cores < 1 || len(text) == 0 || !strings.Contains(m.String(), m.Go) {
		t.Errorf("%+v", m)
	}
	if b, err := Build(); err != nil || len(b) != 16 {
		t.Error(b, err)
	}
	if Version(context.Background()) == "" {
		t.Error("no version")
	}
}
