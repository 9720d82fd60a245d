package tables_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/lab/tables"
)

// counted is a table whose runs leave a trace in calls.
func counted(calls *[]string, fail string) *tables.Table {
	t := &tables.Table{Number: 9, Title: "trial", Unit: "points", Text: []string{"A text."}}
	for _, row := range []string{"Energy", "BCE"} {
		for _, column := range []string{"small", "large"} {
			t.Cells = append(t.Cells, tables.Cell{
				Row: row, Column: column, Splits: []int{0, 1}, Settings: row + column,
				Run: func(_ context.Context, split int) (tables.Outcome, error) {
					name := fmt.Sprintf("%s-%s-%d", row, column, split)
					*calls = append(*calls, name)
					if name == fail {
						return tables.Outcome{}, errors.New("out of luck")
					}
					return tables.Outcome{Value: float64(10 * (split + 1)), WallS: 0.08, SolverS: 0.02, NeuralS: 0.05,
						More: map[string]float64{"further figure": 1}}, nil
				},
			})
		}
	}
	t.Cells[0].Paper = &tables.Figure{Mean: 14, SD: 1}
	return t
}

func Example() {
	dir, _ := os.MkdirTemp("", "tables")
	defer os.RemoveAll(dir)
	t := &tables.Table{Number: 9, Title: "an example", Unit: "accuracy (%)", Cells: []tables.Cell{{
		Row: "Energy", Column: "small", Splits: []int{0, 1}, Paper: &tables.Figure{Mean: 14, SD: 1},
		Run: func(_ context.Context, split int) (tables.Outcome, error) {
			return tables.Outcome{Value: float64(10 * (split + 1))}, nil
		},
	}}}
	r := tables.Runner{Records: filepath.Join(dir, "table9.jsonl"), Version: "v1", Machine: "this one"}
	if err := r.Run(context.Background(), t); err != nil {
		fmt.Println(err)
	}
	var text strings.Builder
	if err := tables.Report(&text, []*tables.Table{t}, r.Records, "bench -table 9"); err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "| ") {
			fmt.Print(line)
		}
	}
	// Output:
	// | | small |
	// | Energy | 15.00 ± 7.07 (2) [14.00 ± 1.00] |
}

func TestRunsAreMadeOnceSplitBySplit(t *testing.T) {
	var calls []string
	table := counted(&calls, "")
	r := tables.Runner{Records: filepath.Join(t.TempDir(), "r.jsonl")}
	var found int
	r.Progress = func(_, of int, _ tables.Record, old bool, err error) {
		if of != 8 || err != nil {
			t.Errorf("of %d, %v", of, err)
		}
		if old {
			found++
		}
	}
	require.NoError(t, r.Run(context.Background(), table))
	want := []string{"Energy-small-0", "Energy-large-0", "BCE-small-0", "BCE-large-0",
		"Energy-small-1", "Energy-large-1", "BCE-small-1", "BCE-large-1"}
	require.Equal(t, want, calls)
	calls = nil
	require.NoError(t, r.Run(context.Background(), table))
	if len(calls) != 0 || found != 8 {
		t.Fatalf("ran again: %v; found %d", calls, found)
	}
	// Other settings are another experiment.
	table.Cells[1].Settings = "changed"
	require.NoError(t, r.Run(context.Background(), table))
	require.Equal(t, []string{"Energy-large-0", "Energy-large-1"}, calls)
}

func TestShardsShareTheRuns(t *testing.T) {
	var calls []string
	table := counted(&calls, "")
	dir := t.TempDir()
	for shard := range 3 {
		r := tables.Runner{Records: filepath.Join(dir, fmt.Sprint(shard)), Shard: shard, Shards: 3}
		require.NoError(t, r.Run(context.Background(), table))
	}
	require.Len(t, calls, 8)
	slices.Sort(calls)
	require.Equal(t, 8, len(slices.Compact(calls)), "a run was made twice")
}

func TestFailuresDoNotStopTheRest(t *testing.T) {
	var calls []string
	table := counted(&calls, "BCE-small-0")
	r := tables.Runner{Records: filepath.Join(t.TempDir(), "r.jsonl")}
	err := r.Run(context.Background(), table)
	require.ErrorContains(t, err, "Table 9, BCE, small, split 0: out of luck")
	records, err := jsonl.Read[tables.Record](r.Records)
	if err != nil || len(records) != 7 || len(calls) != 8 {
		t.Fatalf("%d records, %d calls, %v", len(records), len(calls), err)
	}
}

func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var calls []string
	table := counted(&calls, "")
	inner := table.Cells[1].Run
	table.Cells[1].Run = func(ctx context.Context, split int) (tables.Outcome, error) {
		cancel()
		if _, err := inner(ctx, split); err != nil {
			return tables.Outcome{}, err
		}
		return tables.Outcome{}, ctx.Err()
	}
	r := tables.Runner{Records: filepath.Join(t.TempDir(), "r.jsonl")}
	require.ErrorIs(t, r.Run(ctx, table), context.Canceled)
	require.Lenf(t, calls, 2, "went on: %v", calls)
}

func TestReport(t *testing.T) {
	var calls []string
	table := counted(&calls, "BCE-large-1")
	r := tables.Runner{Records: filepath.Join(t.TempDir(), "r.jsonl"), Version: "abc", Machine: "box", Watch: quiet(0.01)}
	require.Error(t, r.Run(context.Background(), table))
	wants(t, printed(t, r.Records, table), "The records also have of each run: further figure.\n")
	table.Shown = []string{"further figure"}
	wants(t, printed(t, r.Records, table),
		"# Table 9: trial\n", "`bench -table 9`", "A text.",
		"| Energy | 15.00 ± 7.07 (2) [14.00 ± 1.00] | 15.00 ± 7.07 (2) |\n",
		"| BCE | 15.00 ± 7.07 (2) | 10.00 |\n",
		"On box:\n\n", "| Energy | 0.08 [0.02 / 0.05] (2) | 0.08 [0.02 / 0.05] (2) |\n", "| BCE | 0.08 [0.02 / 0.05] (2) | 0.08 [0.02 / 0.05] |\n",
		"## further figure\n", "| BCE | 1.00 ± 0.00 (2) | 1.00 |\n",
		"- on box, ", ", by commits abc (7)\n", "machine to themselves: 7 of 7.")
}

// TestPage: the tables of a page share a file of records, each with its own label,
// and the command stands once.
func TestPage(t *testing.T) {
	paper := &tables.Table{Number: 9, Title: "trial", Unit: "points", Cells: []tables.Cell{fixed("Energy", "a", values(1, 3)...)}}
	ours := &tables.Table{Number: 9, Name: "our recipe", Title: "trial", Unit: "points", Cells: []tables.Cell{fixed("Energy", "a", values(7, 9)...)}}
	paper.Cells[0].Paper = &tables.Figure{Mean: 2}
	r := tables.Runner{Records: filepath.Join(t.TempDir(), "r.jsonl")}
	for _, table := range []*tables.Table{paper, ours} {
		require.NoError(t, r.Run(context.Background(), table))
	}
	text := printed(t, r.Records, paper, ours)
	first, second, ok := strings.Cut(text, "# Table 9, our recipe: trial\n\nFigures are points: mean ± standard deviation over splits (number of splits, if several).\n")
	if !ok || !strings.HasPrefix(first, "# Table 9: trial\n") || strings.Count(text, "bench -table 9") != 1 ||
		!strings.Contains(first, "and the paper's in brackets") ||
		!strings.Contains(first, "| Energy | 2.00 ± 1.41 (2) [2.00] |\n") || !strings.Contains(second, "| Energy | 8.00 ± 1.41 (2) |\n") {
		t.Error(text)
	}
}

// TestSelect: over all tables of a page, so that a row of one is no mistake.
func TestSelect(t *testing.T) {
	var calls []string
	one := counted(&calls, "")
	other := &tables.Table{Name: "other", Cells: []tables.Cell{fixed("GCN", "large", values(1, 2)...)}}
	page := []*tables.Table{one, other}
	got, err := tables.Select(page, []string{"b ce"}, []string{" LARGE"}, []int{1, 5})
	require.NoError(t, err)
	if len(got) != 1 || len(got[0].Cells) != 1 || got[0].Cells[0].Row != "BCE" || !slices.Equal(got[0].Cells[0].Splits, []int{1}) {
		t.Fatalf("got %+v", got)
	}
	if got, err = tables.Select(page, []string{"BCE", "GCN"}, []string{"large"}, nil); err != nil || len(got) != 2 || got[1].Label() != "other" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if len(one.Cells) != 4 || len(one.Cells[0].Splits) != 2 || len(other.Cells) != 1 {
		t.Error("the tables themselves were changed")
	}
	for _, c := range []struct {
		rows, columns []string
		splits        []int
		want          string
	}{
		{[]string{"CNN"}, nil, nil, "no row fits \"CNN\"; there are Energy, BCE, GCN"},
		{nil, []string{"huge"}, nil, "no column fits \"huge\"; there are small, large"},
		{nil, nil, []int{7}, "nothing fits the selection"},
		{[]string{"GCN"}, []string{"small"}, nil, "nothing fits the selection"},
	} {
		if _, err := tables.Select(page, c.rows, c.columns, c.splits); err == nil || err.Error() != "Table 9: "+c.want {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

// TestNoGridOfBlanks: beside a table with runs one without has no grid, and by itself it has.
func TestNoGridOfBlanks(t *testing.T) {
	ran := &tables.Table{Number: 8, Title: "run", Cells: []tables.Cell{fixed("row", "a", values(1)...)}}
	blank := &tables.Table{Number: 9, Title: "blank", Cells: []tables.Cell{fixed("empty", "a", values(1)...)}}
	r := tables.Runner{Records: filepath.Join(t.TempDir(), "r.jsonl")}
	require.NoError(t, r.Run(context.Background(), ran))
	for _, c := range []struct {
		page []*tables.Table
		grid bool
	}{{[]*tables.Table{ran, blank}, false}, {[]*tables.Table{blank}, true}} {
		text := printed(t, r.Records, c.page...)
		if strings.Contains(text, "| empty |") != c.grid || !strings.Contains(text, "No run of it") == !c.grid {
			t.Errorf("%d tables:\n%s", len(c.page), text)
		}
	}
}
