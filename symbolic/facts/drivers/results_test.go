package drivers_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
	_ "hinge/symbolic/facts/drivers"
)

// results are of two predicates with different numbers of arguments.
func results(n int) []facts.Atom {
	list := []facts.Atom{{Predicate: "LIKES", Args: []string{"ann, \"a\"", "bob"}, Value: 0.25}, {Predicate: "KIND", Args: []string{"ü\nv"}, Value: 1.0 / 3}}
	for i := range n {
		list = append(list, facts.Atom{Predicate: "LIKES", Args: []string{fmt.Sprint("u", i), fmt.Sprint("i", i%7)}, Value: float64(i%5) / 4})
	}
	return list
}

// write writes results to a destination.
func write(t *testing.T, to string, list []facts.Atom) error {
	t.Helper()
	d, err := facts.ParseDestination(to)
	if err != nil || d == nil {
		t.Fatalf("%s: %v, %v", to, d, err)
	}
	w, err := d.Create(t.Context(), 2)
	if err != nil {
		return err
	}
	for i := range list {
		if err := w.Write(&list[i]); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Commit()
}

// rows reads a source of two arguments into one text.
func rows(src facts.Source) (string, error) {
	var b strings.Builder
	err := src.Read(context.Background(), 2, func(r *facts.Row) error {
		_, err := fmt.Fprintf(&b, "%q=%v ", r.Args, r.Value)
		return err
	})
	return b.String(), err
}

// read reads the results of LIKES back.
func read(src facts.Source) (string, error) {
	src.Columns, src.Value = facts.Named("arg1", "arg2"), &facts.Column{Name: "value"}
	src.Where = []facts.Condition{{Column: facts.Column{Name: "predicate"}, Text: "LIKES"}}
	return rows(src)
}

// wanted is what read returns.
func wanted(list []facts.Atom) string {
	var b strings.Builder
	for _, a := range list {
		if a.Predicate == "LIKES" {
			fmt.Fprintf(&b, "%q=%v ", a.Args, a.Value)
		}
	}
	return b.String()
}

// testResults writes results to a destination twice and reads them back.
func testResults(t *testing.T, to string, src facts.Source) {
	t.Helper()
	for _, n := range []int{0, 1203} { // more than two statements and 512 values
		require.NoError(t, write(t, to, results(n)))
		got, err := read(src)
		if want := wanted(results(n)); err != nil || got != want {
			t.Fatalf("%s: %v\n got %.300s\nwant %.300s", to, err, got, want)
		}
	}
	// What is not committed leaves no trace.
	d, err := facts.ParseDestination(to)
	require.NoError(t, err)
	require.NoError(t, d.Check(t.Context(), 2))
	w, err := d.Create(t.Context(), 2)
	require.NoError(t, err)
	for range 1300 {
		require.NoError(t, w.Write(&facts.Atom{Predicate: "LIKES", Args: []string{"x", "y"}}))
	}
	// What results do not hold is refused, and not cut off.
	for _, a := range []facts.Atom{{Predicate: "LIKES", Args: []string{"x", "y", "z"}}, {Predicate: "LIKES", Value: math.NaN()}} {
		require.ErrorContains(t, w.Write(&a), "results have at most 2")
	}
	w.Abort()
	if got, err := read(src); err != nil || got != wanted(results(1203)) {
		t.Errorf("%s: after Abort: %v, %.300s", to, err, got)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, end := range facts.Ends {
		path := filepath.Join(dir, "atoms"+end)
		format := strings.TrimPrefix(strings.TrimSuffix(end, ".gz"), ".")
		testResults(t, path, facts.Source{Format: format, Path: path})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != len(facts.Ends) {
		t.Errorf("%d files in the folder, %v", len(left), err)
	}
	d, err := facts.ParseDestination(filepath.Join(dir, "nowhere", "x.csv"))
	if err != nil || d.Check(t.Context(), 1) == nil {
		t.Errorf("a folder that is not there: %v", err)
	}
	for _, folder := range []string{"results", "a.txt", "dir.csv/"} {
		if d, err := facts.ParseDestination(folder); d != nil || err != nil {
			t.Errorf("%s: %v, %v", folder, d, err)
		}
	}
}

func TestSQLite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a b?#.db") // the name is escaped
	testResults(t, "sqlite:"+path+"#atoms", facts.Source{Format: "sql", Path: "sqlite:" + path, Query: "SELECT * FROM atoms"})

	db, err := sql.Open("sqlite", filepath.Join(dir, "shop.db"))
	require.NoError(t, err)
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE ratings (user INTEGER, item TEXT, stars REAL, day DATE, sold BOOLEAN);
		CREATE TABLE visits (item TEXT, day DATE);
		CREATE TABLE versions (version NUMERIC, x FLOAT4);
		INSERT INTO versions VALUES ('1.10.0', 0.1234567891234), ('v2.0', 16777217), ('12.50', '0.50x');
		INSERT INTO visits VALUES ('a', '2024-05-06 07:08:09'), ('a', '2024-05-06 18:30:00'), ('b', '2024-05-06'), ('c', '2024-05-06 00:00:00+02:00');
		INSERT INTO ratings VALUES (1, 'a', 4.0, '2024-05-06', 1), (2, NULL, 2.5, NULL, 0)`); err != nil {
		t.Fatal(err)
	}
	shop := "sqlite:" + filepath.Join(dir, "shop.db")
	query := func(query string, skip bool) string {
		src := facts.Source{Format: "sql", Path: shop, Query: query, SkipNull: skip}
		if strings.HasPrefix(query, "SELECT user, item, ") { // and a value
			src.Scale = facts.Between(1, 5)
		}
		text, err := rows(src)
		if err != nil {
			return strings.ReplaceAll(err.Error(), dir, "")
		}
		return text
	}
	for _, c := range []struct{ query, want string }{
		{"SELECT user, item, stars FROM ratings WHERE user = 1", `["1" "a"]=0.75 `},
		{"SELECT stars, day FROM ratings WHERE user = 1", `["4" "2024-05-06"]=1 `},
		{"SELECT item, day FROM visits", `["a" "2024-05-06T07:08:09Z"]=1 ["a" "2024-05-06T18:30:00Z"]=1 ["b" "2024-05-06"]=1 ["c" "2024-05-05T22:00:00Z"]=1 `},
		{"SELECT user, item, stars FROM ratings ORDER BY 1", `sqlite:/shop.db: row 2: item: nothing is here ("null": true in the model leaves such rows out)`},
		{"SELECT user, item, 9 FROM ratings", `sqlite:/shop.db: row 1: 9: the value 9 becomes 2 by its scale, which is not in [0, 1]`},
		{"SELECT * FROM ratings", `the query has 5 columns for 2 arguments: user, item, stars, day, sold (name those of the arguments in "columns", that of the value in "value")`},
		{"SELECT 1234567.89, 1714979289123456.0", `["1234567.89" "1714979289123456"]=1 `},
		// As the program sqlite3 prints them: a text and eight bytes of a number are kept whatever the column's type.
		{"SELECT version, x FROM versions", `["1.10.0" "0.1234567891234"]=1 ["v2.0" "16777217"]=1 ["12.5" "0.50x"]=1 `},
		{"SELECT sold, user > 1 FROM ratings", `["1" "0"]=1 ["0" "1"]=1 `},
		{"SELECT x'0001', 1", `sqlite:/shop.db: row 1: x'0001': the value is binary, not text: convert it to text first`},
		{"SELECT x FROM nowhere", `sqlite:/shop.db: SQL logic error: no such table: nowhere (1)`},
	} {
		if got := query(c.query, false); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.query, got, c.want)
		}
	}
	if got := query("SELECT user, item, stars FROM ratings ORDER BY 1", true); got != `["1" "a"]=0.75 ` {
		t.Errorf("without nulls: %s", got)
	}
	// Reading changes nothing, whatever the query says, and makes no file.
	query("DELETE FROM ratings RETURNING user, item", false)
	var n int
	if err := db.QueryRow("SELECT count(*) FROM ratings").Scan(&n); err != nil || n != 2 {
		t.Errorf("%d rows are left, %v", n, err)
	}
	if _, err := read(facts.Source{Format: "sql", Path: "sqlite:" + filepath.Join(dir, "none.db"), Query: "SELECT 1"}); err == nil {
		t.Error("a file that is not there was read")
	}
	// A table that holds something else is not touched.
	if err := write(t, shop+"#Ratings", nil); err == nil || !strings.Contains(err.Error(), "the table Ratings is there and has the columns user, item, stars, day, sold") {
		t.Errorf("a table of others: %v", err)
	}
	// A file that is no database.
	text := filepath.Join(dir, "text.db")
	require.NoError(t, os.WriteFile(text, []byte("user,item\n"+strings.Repeat("a,b\n", 500)), 0o666))
	if _, err := read(facts.Source{Format: "sql", Path: "sqlite:" + text, Query: "SELECT 1"}); err == nil || !strings.Contains(err.Error(), "the file is not an SQLite database") {
		t.Errorf("no database: %v", err)
	}
	// Checking makes no file.
	d, err := facts.ParseDestination("sqlite:" + filepath.Join(dir, "new.db") + "#t")
	require.NoError(t, err)
	if err := d.Check(t.Context(), 2); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.db")); err == nil {
		t.Error("Check made a file")
	}
}
