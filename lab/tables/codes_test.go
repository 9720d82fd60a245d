package tables_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/lab/tables"
)

// TestOneProgram: a difference or ratio is marked, and a cell of several commits, unless
// their code is known to be one; what no commit holds is never known.
func TestOneProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	split := func(row string, first int) tables.Cell {
		c := fixed(row, "a", values(1, 3)...)
		c.Splits = c.Splits[first : first+1]
		return c
	}
	for row, versions := range map[string][2]string{
		"base": {"c1", "c1"}, "equal": {"c1", "c2"}, "other": {"c3", "c3"}, "half": {"c2", "c3"},
		"unlisted": {"c4", "c4"}, "nowhere": {"c5", "c5"}, "changed": {"c1+changes", "c1+changes"},
	} {
		for i, version := range versions {
			run(t, path, split(row, i), version, nil)
		}
	}
	list := ""
	for _, c := range []string{`c1","digest":"x"`, `c2","digest":"x"`, `c3","digest":"y"`, `c5","digest":""`} {
		list += `{"package":"p","commit":"` + c + "}\n"
	}
	list += `{"package":"q","commit":"c3","digest":"x"}` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "code.jsonl"), []byte(list), 0o600))
	rows := []string{"equal", "other", "half", "unlisted", "nowhere", "changed"}
	table := &tables.Table{Number: 9, Title: "trial", Unit: "points", Code: "p", Comparisons: []tables.Comparison{
		{Title: "Less base", Base: "base", Rows: rows}, {Title: "Times", Base: "base", Rows: rows, Ratio: true},
		{Title: "Less unlisted", Base: "unlisted", Rows: []string{"unlisted", "nowhere"}},
		{Title: "Less nowhere", Base: "nowhere", Rows: []string{"nowhere"}},
		{Title: "Less changed", Base: "changed", Rows: []string{"changed"}},
	}}
	for _, row := range append([]string{"base"}, rows...) {
		require.NoError(t, table.Add(fixed(row, "a", values(1, 3)...), nil))
	}
	const same, apart = "+0.00 ± 0.00 (2) |", "+0.00 ± 0.00 (2)§ |"
	compared := func(title string, of ...string) string {
		s := "## " + title + "\n\n| | a |\n|---|---|\n"
		for i := 0; i < len(of); i += 2 {
			s += "| " + of[i] + " | " + of[i+1] + "\n"
		}
		return s + "\n"
	}
	wants(t, printed(t, path, table),
		"| equal | 2.00 ± 1.41 (2) |", "| half | 2.00 ± 1.41 (2)‡ |", "| changed | 2.00 ± 1.41 (2)† |", "\n\n- half: a (c2, c3)\n\n",
		compared("Less base", "equal", same, "other", apart, "half", apart, "unlisted", apart, "nowhere", apart, "changed", apart)+"§ The two sides",
		compared("Times", "equal", "1 (2) |", "other", "1 (2)§ |", "half", "1 (2)§ |", "unlisted", "1 (2)§ |", "nowhere", "1 (2)§ |", "changed", "1 (2)§ |")+"§ The two sides",
		compared("Less unlisted", "unlisted", same, "nowhere", apart),
		compared("Less nowhere", "nowhere", same)+"## Less changed", // no legend where nothing is marked
		compared("Less changed", "changed", apart))
	table.Code = "" // then every commit is a program of its own
	wants(t, printed(t, path, table), "| equal | 2.00 ± 1.41 (2)‡ |", compared("Less base", "equal", apart, "other", apart, "half", apart, "unlisted", apart, "nowhere", apart, "changed", apart))
}

// TestListCodes: each commit is asked for once and kept, one that fails is asked for
// again, and one that is no commit never.
func TestListCodes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	cells := []tables.Cell{fixed("one", "a", values(1)...), fixed("two", "a", values(1)...), fixed("three", "a", values(1)...), fixed("four", "a", values(1)...)}
	for i, version := range []string{"c1", "c1", "c2", "c3+changes"} {
		run(t, path, cells[i], version, nil)
	}
	page := []*tables.Table{{Number: 9, Code: "p", Cells: cells}, {Number: 8, Code: "r"}}
	asked := ""
	list := func(fails string) error {
		asked = ""
		return tables.ListCodes(page, path, func(commit, pkg string) (string, error) {
			asked += commit + " " + pkg + ";"
			if commit == fails {
				return "", errors.New("no such commit")
			}
			return "digest of " + commit, nil
		})
	}
	if err := list("c2"); err == nil || !strings.Contains(err.Error(), "c2 is not known: no such commit") || asked != "c1 p;c2 p;" {
		t.Errorf("%v, asked for %s", err, asked)
	}
	if err := list(""); err != nil || asked != "c2 p;" {
		t.Errorf("%v, asked for %s", err, asked)
	}
	if err := list(""); err != nil || asked != "" {
		t.Errorf("%v, asked for %s", err, asked)
	}
	got, err := jsonl.Read[tables.Code](filepath.Join(filepath.Dir(path), "code.jsonl"))
	if err != nil || len(got) != 2 || got[1] != (tables.Code{Commit: "c2", Package: "p", Digest: "digest of c2"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestMissed: a cell says what its runs did not solve to its tolerance, of all splits.
func TestMissed(t *testing.T) {
	out := values(1, 1, 1)
	for i, n := range []float64{2, 0, 22} {
		out[i].More = map[string]float64{"left": n}
	}
	table := &tables.Table{Number: 9, Title: "trial", Unit: "s", Missed: "left", Cells: []tables.Cell{fixed("some", "a", out...), fixed("none", "a", out[1])}}
	table.Cells[0].Paper = &tables.Figure{Mean: 5}
	r := tables.Runner{Records: filepath.Join(t.TempDir(), "r.jsonl")}
	require.NoError(t, r.Run(context.Background(), table))
	wants(t, page(t, table), "| some | 1.00 ± 0.00 (3) (24 missed) [5.00] |\n| none | 1.00 |\n")
}
