package ground_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
)

// dump prints the atoms of a predicate.
func dump(db *ground.Database, pred string) string {
	var b strings.Builder
	for a := range db.Atoms(pred) {
		fmt.Fprintf(&b, "%s %q", a.Kind, a.Args)
		if a.Kind == ground.Observed {
			fmt.Fprintf(&b, " %v", a.Value)
		}
		b.WriteString("; ")
	}
	return b.String()
}

func TestLoad(t *testing.T) {
	for _, c := range []struct {
		name    string
		section ground.Section
		data    string
		want    string
	}{
		{"values", ground.Observations, "a\tb\t0.5\nb\ta\t1e-3\n", `observation ["a" "b"] 0.5; observation ["b" "a"] 0.001; `},
		{"no values", ground.Observations, "a\tb\nb\ta", `observation ["a" "b"] 1; observation ["b" "a"] 1; `},
		{"blank lines", ground.Observations, "\n\na\tb\n \t \nb\ta\n\n", `observation ["a" "b"] 1; observation ["b" "a"] 1; `},
		{"spaces", ground.Observations, " a x \t b\t 0.25 \r\n", `observation ["a x" "b"] 0.25; `},
		{"byte order mark", ground.Observations, "\uFEFFa\tb\n", `observation ["a" "b"] 1; `},
		{"tabs at the end", ground.Observations, "a\tb\t\nb\ta\n", `observation ["a" "b"] 1; observation ["b" "a"] 1; `},
		{"repeated", ground.Observations, "a\tb\t0.5\na\tb\t0.5\n", `observation ["a" "b"] 0.5; `},
		{"targets", ground.Targets, "a\tb\nb\ta\n", `target ["a" "b"]; target ["b" "a"]; `},
		{"targets with values", ground.Targets, "a\tb\t0.5\n", `target ["a" "b"]; `},
		{"deep", ground.DeepAtoms, "a\tb\n", `deep atom ["a" "b"]; `},
		{"truth", ground.Truths, "a\tb\t0.5\n", ""},
		{"empty", ground.Targets, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := declare(t, "P/2")
			require.NoError(t, db.Load(c.section, "P", "data.tsv", iotest.OneByteReader(strings.NewReader(c.data))))
			assert.Equal(t, c.want, dump(db, "P"))
			if c.section == ground.Truths && db.Predicates()[0].Truths != 1 {
				t.Error("no truth value")
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"few fields", "a\n", "data.tsv:1:1: P has 2 arguments, the line has 1 fields"},
		{"spaces for tabs", "a b\n", "data.tsv:1:1: P has 2 arguments, the line has 1 fields (fields are separated by tabs)"},
		{"many fields", "\na\tb\t1\t1\n", "data.tsv:2:1: P has 2 arguments, the line has 4 fields"},
		{"unequal lines", "a\tb\t1\n\nb\tc\n", "data.tsv:3:1: the line has 2 fields, the first line has 3"},
		{"empty argument", "ä\t \n", "data.tsv:1:3: argument 2 is empty"},
		{"not a value", "a\tb\tx\n", `data.tsv:1:5: the value "x" is not a number in [0, 1]`},
		{"large value", "größe\tb\t1.5\n", `data.tsv:1:9: the value "1.5" is not a number in [0, 1]`},
		{"negative value", "a\tb\t-0.5\n", `data.tsv:1:5: the value "-0.5" is not`},
		{"NaN", "a\tb\tNaN\n", `data.tsv:1:5: the value "NaN" is not`},
		{"two values", "a\tb\t0\nb\tb\t0\na\tb\t1\n", "data.tsv:3:1: P(a,b) is observed as 0 and as 1"},
		{"target", "x\ty\n", "data.tsv:1:1: P(x,y) is given as target and as observation"},
		{"not UTF-8", "a\tb\na\t\xff\n", "data.tsv:2:1: the line is not UTF-8 text"},
		{"long line", "a\tb\na\t" + strings.Repeat("x", 1<<20) + "\n", "data.tsv:2:1: the line has more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := declare(t, "P/2")
			fill(t, db, "target P(x,y)")
			err := db.Load(ground.Observations, "P", "data.tsv", strings.NewReader(c.data))
			var d *ground.DataError
			if !errors.As(err, &d) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
	db := declare(t, "P/2")
	assert.ErrorContains(t, db.Load(ground.Targets, "Q", "data.tsv", strings.NewReader("a")), "Q is not declared")
	broken := io.MultiReader(strings.NewReader("a\tb\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if err := db.Load(ground.Targets, "P", "data.tsv", broken); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "data.tsv: after line 1") {
		t.Errorf("error %v", err)
	}
}

func TestLoadFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o666))
		return path
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err := w.Write([]byte("c\td\n"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	plain, packed := write("plain.tsv", []byte("a\tb\n")), write("packed.tsv.gz", z.Bytes())
	cut := write("cut.tsv.gz", z.Bytes()[:z.Len()-9])
	noGzip := write("no.tsv.gz", []byte("a\tb\n"))
	db := declare(t, "P/2")
	for _, path := range []string{plain, packed, strings.TrimSuffix(packed, ".gz")} {
		assert.NoError(t, db.LoadFile(ground.Targets, "P", path))
	}
	if got := dump(db, "P"); got != `target ["a" "b"]; target ["c" "d"]; ` {
		t.Errorf("got %s", got)
	}
	if err := db.LoadFile(ground.Targets, "P", filepath.Join(dir, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	for _, path := range []string{cut, noGzip} {
		assert.ErrorContains(t, db.LoadFile(ground.Targets, "P", path), path)
	}
}

// FuzzLoad feeds arbitrary bytes: Load must not panic, and its errors must
// have a place.
func FuzzLoad(f *testing.F) {
	f.Add([]byte("a\tb\t0.5\nb\tc\t1\n"))
	f.Add([]byte("a\tb\n\n a \t c\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for section := ground.Observations; section <= ground.Truths; section++ {
			db := declare(t, "P/2")
			err := db.Load(section, "P", "fuzz.tsv", bytes.NewReader(data))
			var d *ground.DataError
			if err != nil && (!errors.As(err, &d) || d.Line < 1 || d.Col < 1 || d.Msg == "") {
				t.Fatalf("error %#v", err)
			}
			for a := range db.Atoms("P") {
				if a.Args[0] == "" || a.Args[1] == "" || a.Kind == ground.Observed && !(a.Value >= 0 && a.Value <= 1) {
					t.Fatalf("atom %v", a)
				}
			}
		}
	})
}
