package bench

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/train/machine"
)

func row(size int, cpu float64, status string) Row {
	return Row{Cell: cell("chain", size, "auto"), Stage: Done, Status: status, Terms: size, Limit: 7,
		Ground: Time{1, 1}, First: Time{cpu / 2, cpu}, Changed: Time{1, 2}, Warm: Time{0.1, 0.5}, WarmStatus: "solved",
		Gap: 2e-9, Version: "abc", Peak: 5e6, Date: time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC)}
}

// written is the report with all rows of tables equally wide.
func written(t *testing.T, rows []Row) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Report(&out, rows, "run it"))
	width := 0
	for line := range strings.Lines(out.String()) {
		n := strings.Count(line, "|")
		if n > 0 && width > 0 && n != width {
			t.Errorf("%d bars, want %d: %s", n, width, line)
		}
		width = n
	}
	return out.String()
}

func mustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, want := range parts {
		assert.Contains(t, text, want)
	}
}

func TestReport(t *testing.T) {
	rows := []Row{row(1000, 1, "solved"), row(10000, 100, "solved"), row(100000, 9, TimeLimit)}
	mustContain(t, written(t, rows), "commit: abc\n", "date: 2030-01-02\n", "command: `run it`", "| method | 1,000 | 10,000 | 100,000 | MB |\n",
		"| grounding | 1.00 | 1.00 | 1.00 |  |\n", "| auto | 0.500 / 0.100 | 50.0 / 0.100 | > 7.00 (2.0e-09) / 0.100 | 5 |\n")
	mustContain(t, written(t, nil), "Nothing has been measured")
}

// Every way in which a cell can end is told.
func TestReportStatuses(t *testing.T) {
	refused := row(1000, 1, word(infer.TooLarge))
	refused.Stage, refused.First = Cold, Time{}
	crashed := row(2000, 1, Failed)
	crashed.Stage, crashed.First = Started, Time{}
	full := row(3000, 1, MemoryLimit)
	full.Stage, full.First = Grounded, Time{}
	half := row(4000, 8, "solved")
	half.Stage, half.WarmStatus, half.Warm = Cold, TimeLimit, Time{}
	stuck := row(5000, 8, word(infer.NoProgress))
	mustContain(t, written(t, []Row{refused, crashed, full, half, stuck}),
		"| auto | too large for the method (2.0e-09) / 0.100 | "+Failed+" / 0.100 | "+MemoryLimit+" / 0.100 | 4.00 / "+TimeLimit+
			" | 4.00 no further progress possible, tolerances not met (2.0e-09) / 0.100 | 5 |\n")
}

// Rows of several programs, days, machines and tolerances are all named, once each and in
// whatever order they come.
func TestReportOrigin(t *testing.T) {
	a, b, c := row(1000, 1, "solved"), row(2000, 1, "solved"), row(3000, 1, "solved")
	b.Version, b.Date = "def", b.Date.AddDate(0, 0, 2)
	b.Machine = machine.Machine{CPU: "Other", Cores: 64, Memory: 8e9, System: "linux/arm64", Go: "go1"}
	b.Cell.Gap = 1e-3
	c.Date = c.Date.AddDate(0, 0, 1)
	for _, rows := range [][]Row{{a, b, c}, {c, b, a}, {b, a, c, b, a}} {
		head, _, _ := strings.Cut(written(t, rows), "\n## ")
		mustContain(t, head, "date: 2030-01-02 to 2030-01-04\n", a.Machine.String(), b.Machine.String())
		for _, name := range []string{"abc", "def", "Other, 64 cores", "1.0e-06", "1.0e-03"} {
			if n := strings.Count(head, name); n != 1 {
				t.Errorf("%s is named %d times in\n%s", name, n, head)
			}
		}
	}
}

// brokenWriter takes so many writes and no more.
type brokenWriter struct{ left, after int }

var errBroken = errors.New("broken")

func (w *brokenWriter) Write(text []byte) (int, error) {
	if w.left--; w.left >= 0 {
		return len(text), nil
	}
	w.after++
	return 0, errBroken
}

// A report that could not be written to its end is an error, wherever it broke off, and
// nothing is written behind that place.
func TestReportWriter(t *testing.T) {
	rows := []Row{row(1000, 1, "solved"), row(2000, 2, "solved")}
	for n := 0; ; n++ {
		w := &brokenWriter{left: n}
		err := Report(w, rows, "x")
		if w.after == 0 {
			if err != nil || n < 5 {
				t.Errorf("%d writes: %v", n, err)
			}
			return
		}
		if !errors.Is(err, errBroken) || w.after != 1 {
			t.Errorf("broken after %d writes: %v, %d writes more", n, err, w.after)
		}
	}
}
