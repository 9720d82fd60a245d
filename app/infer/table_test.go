package infer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hinge/app/cli"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/facts"
	_ "hinge/symbolic/facts/drivers"
)

// TestResultTables: atoms go to files and tables, and a model reads them back.
func TestResultTables(t *testing.T) {
	_, text := ran(t, smokers)
	_, want, _ := strings.Cut(text, "violation")
	want = want[strings.Index(want, "Smokes"):]
	dir := t.TempDir()
	for _, out := range []string{dir + "/atoms.csv", dir + "/atoms.jsonl.gz", dir + "/atoms.parquet", "sqlite:" + dir + "/a.db#atoms"} {
		r, text := ran(t, smokers, "-out", out)
		if !strings.Contains(text, "values     in "+out+"\n") || strings.Contains(text, want) {
			t.Errorf("%s: printed\n%s", out, text)
		}
		src := facts.Source{Format: "sql", Path: strings.TrimSuffix(out, "#atoms"), Query: "SELECT * FROM atoms"}
		if !facts.IsAddress(out) {
			src.Format, src.Path = strings.Split(filepath.Base(out), ".")[1], out
		}
		src.Columns, src.Value = facts.Named("arg1"), &facts.Column{Name: "value"}
		src.Where = []facts.Condition{{Column: facts.Column{Name: "predicate"}, Text: "Smokes"}}
		n := 0
		err := src.Read(t.Context(), 1, func(row *facts.Row) error {
			i, ok := r.Data.TargetIndex("Smokes", row.Args...)
			if !ok || evaluate.Value(r.Y[i]) != row.Value {
				return row.Fail(fmt.Sprintf("%v is %v, inferred was %v", row.Args, row.Value, r.Y[max(i, 0)]))
			}
			n++
			return nil
		})
		if err != nil || n != r.Data.Targets() {
			t.Errorf("%s: %d of %d atoms, %v", out, n, r.Data.Targets(), err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 4 {
		t.Errorf("%d files, %v", len(left), err)
	}
}

// TestResultTableMistakes are found before anything is solved, and show no secret.
func TestResultTableMistakes(t *testing.T) {
	t.Setenv("SHOP", "postgres://ann:s3cret@127.0.0.1:1/shop?connect_timeout=2")
	dir := t.TempDir()
	for _, test := range []struct{ out, want string }{
		{dir + "/x.csv -learn=mse", "-learn writes rules, not atoms"},
		{dir + "/none/atoms.csv", "-out: open " + dir + "/none/"},
		{"sqlite:" + dir + "/none/a.db#t", "unable to open database file"},
		{"sqlite:a.db", "-out: sqlite:a.db names no table: write sqlite:a.db#TABLE"},
		{"env:SHOP", "-out: env:SHOP names no table: write env:SHOP#TABLE"},
		{"postgres://ann:s3cret@localhost/shop#t", "-out: the address of the database holds a password"},
		{"env:SHOP#t", "-out: env:SHOP: failed to connect"},
		{"env:NOT_SET#t", "-out: the environment variable NOT_SET"},
	} {
		c, _ := testCommand(t, smokers, strings.Fields("-out "+test.out)...)
		_, err := c.run()
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cret") || cli.ExitCode(err) != 2 {
			t.Errorf("%s: %v, exit code %d", test.out, err, cli.ExitCode(err))
		}
	}
}

// TestResultFolderQuotes: constants with tabs and line ends come back from a results folder, in
// which the file of their predicate is CSV.
func TestResultFolderQuotes(t *testing.T) {
	dir := t.TempDir()
	constants := []string{"a\tb", "line\nend", "plain"}
	data := `["a\tb"], ["line\nend"], ["plain"]`
	model := `{"rules": ["1: Seen(A) -> Out(A)", "1: Plain(A) -> Plain(A)"], "predicates": {"Seen/1": {"observations": [` + data + `]}, "Out/1": {"targets": [` + data + `]}, "Plain/1": {"targets": [["plain"]]}}}`
	ran(t, model, "-out", dir)
	for file, there := range map[string]bool{"OUT.csv": true, "OUT.txt": false, "PLAIN.txt": true} {
		if _, err := os.Stat(filepath.Join(dir, file)); (err == nil) != there {
			t.Errorf("%s: %v", file, err)
		}
	}
	r, _ := ran(t, `{"rules": ["1: Out(A) -> Q(A)"], "predicates": {"Q/1": {"targets": [`+data+`]}, "Out/1": {"observations": [{"csv": "`+dir+`/OUT.csv", "columns": ["arg1"], "value": "value"}]}}}`)
	for _, c := range constants {
		if v, ok := r.Data.Observation("Out", c); !ok || v < 0.9 {
			t.Errorf("%q is %v, %v", c, v, ok)
		}
	}
}
