package facts_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
)

func TestTSV(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		src              facts.Source
	}{
		{"values", "a\tb\t0.5\nb\ta\t1e-3\n", `["a" "b"]=0.5 ["b" "a"]=0.001`, facts.Source{NoHeader: true}},
		{"no values", "a\tb\nb\ta", `["a" "b"]=1 ["b" "a"]=1`, facts.Source{NoHeader: true}},
		{"precision", "a\tb\t0.5f\nb\ta\t1D\n", `["a" "b"]=0.5 ["b" "a"]=1`, facts.Source{NoHeader: true}},
		{"truth values", "a\tb\ttrue\nb\ta\tFalse\n", `["a" "b"]=1 ["b" "a"]=0`, facts.Source{NoHeader: true}},
		{"blank lines", "\n\na\tb\n \t \nb\ta\n\n", `["a" "b"]=1 ["b" "a"]=1`, facts.Source{NoHeader: true}},
		{"spaces", " a x \t b\t 0.25 \r\n", `["a x" "b"]=0.25`, facts.Source{NoHeader: true}},
		{"quotes", "\"a\t\"b\"\"\n", `["\"a" "\"b\"\""]=1`, facts.Source{NoHeader: true}},
		{"carriage returns alone", "a\tb\rb\ta\r\nc\ta\n\rd\ta\r", `["a" "b"]=1 ["b" "a"]=1 ["c" "a"]=1 ["d" "a"]=1`, facts.Source{NoHeader: true}},
		{"byte order mark", "\uFEFFa\tb\n", `["a" "b"]=1`, facts.Source{NoHeader: true}},
		{"tabs at the end", "a\tb\t\nb\ta\n", `["a" "b"]=1 ["b" "a"]=1`, facts.Source{NoHeader: true}},
		{"tabs at later ends", "a\tb\t1\nb\ta\t0.5\t\t\n", `["a" "b"]=1 ["b" "a"]=0.5`, facts.Source{NoHeader: true}},
		{"empty", "", "", facts.Source{NoHeader: true}},
		{"by number", "x\tu1\ti1\n", `["i1" "u1"]=1`, facts.Source{NoHeader: true, Columns: []facts.Column{{Number: 3}, {Number: 2}}}},
		{"by name", "stars\titem\tuser\n5\ti1\tu1\n", `["u1" "i1"]=1`, facts.Source{Columns: facts.Named("user", "item"), Value: &facts.Column{Name: "stars"}, Scale: facts.Between(1, 5)}},
		{"header alone", "user\titem\n", "", facts.Source{}},
		{"null left out", "u\t\t1\nu\ti\t1\n", `["u" "i"]=1`, facts.Source{NoHeader: true, SkipNull: true}},
	} {
		c.src.Format, c.src.Path = "tsv", file(t, "x.tsv", c.text)
		got, err := rows(&c.src, 2)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, got, c.name)
	}
}

func TestTSVErrors(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"few fields", "a\n", "1:1: the line has 1 field, the atom has 2 arguments"},
		{"spaces for tabs", "a b\n", "1:1: the line has 1 field, the atom has 2 arguments (fields are separated by tabs)"},
		{"commas", "a,b\n", `1:1: the line has 1 field, the atom has 2 arguments (fields are separated by tabs; for CSV write {"csv": PATH} in the model)`},
		{"many fields", "\na\tb\t1\t1\n", "2:1: the line has 4 fields, the atom has 2 arguments"},
		{"unequal lines", "a\tb\t1\n\nb\tc\n", "3:1: the line has 2 fields, the first line has 3"},
		{"empty argument", "ä\t \n", `1:3: nothing is here ("null": true in the model leaves such rows out)`},
		{"later empty argument", "a\tb\n\tb\n", "2:1: nothing is here"},
		{"later empty argument at the end", "a\tb\nä\t\n", "2:3: nothing is here"},
		{"not a value", "a\tb\tx\n", `1:5: the value "x" is not a number (if the line is a header, remove it)`},
		{"not a later value", "a\tb\t1\na\tb\tx\n", `2:5: the value "x" is not a number`},
		{"large value", "größe\tb\t1.5\n", `1:9: the value 1.5 is not in [0, 1]`},
		{"negative value", "a\tb\t-0.5\n", `1:5: the value -0.5 is not`},
		{"NaN", "a\tb\tNaN\n", `1:5: the value "NaN" is not`},
		{"not UTF-8", "a\tb\na\t\xff\n", "2:1: the line is not UTF-8 text"},
		{"long line", "a\tb\na\t" + strings.Repeat("x", 1<<24) + "\n", "2:1: the line has more than"},
	} {
		path := file(t, "data.tsv", c.data)
		_, err := rows(&facts.Source{Format: "tsv", Path: path, NoHeader: true}, 2)
		if d := (*facts.Error)(nil); !errors.As(err, &d) || !strings.HasPrefix(err.Error(), path+":"+c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
	folder := t.TempDir()
	_, err := rows(&facts.Source{Format: "tsv", Path: folder, NoHeader: true}, 2)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "line 0")
	broken := facts.NewLines("data.tsv", io.MultiReader(strings.NewReader("a\tb\n"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	require.NoError(t, broken.Next())
	if err := broken.Next(); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "data.tsv: after line 1") {
		t.Errorf("error %v", err)
	}
}

func TestTSVCompressed(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err := w.Write([]byte("c\td\n"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	read := func(name, data string) (string, error) {
		return rows(&facts.Source{Format: "tsv", Path: file(t, name, data), NoHeader: true}, 2)
	}
	got, err := read("packed.tsv.gz", z.String())
	require.NoError(t, err)
	assert.Equal(t, `["c" "d"]=1`, got)
	for name, bad := range map[string]string{"cut.tsv.gz": z.String()[:z.Len()-9], "no.tsv.gz": "a\tb\n", "packed.tsv": z.String()} {
		_, err := read(name, bad)
		assert.ErrorContains(t, err, name)
	}
	_, err = rows(&facts.Source{Format: "tsv", Path: filepath.Join(t.TempDir(), "nowhere")}, 2)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// FuzzTSV feeds arbitrary bytes: nothing panics, and errors have a place.
func FuzzTSV(f *testing.F) {
	f.Add("a\tb\t0.5\nb\tc\t1\n")
	f.Add("a\tb\n\n a \t c\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		err := (&facts.Source{Format: "tsv", Path: file(t, "fuzz.tsv", text), NoHeader: true}).Read(t.Context(), 2, func(r *facts.Row) error {
			if r.Args[0] == "" || r.Args[1] == "" || !(r.Value >= 0 && r.Value <= 1) {
				t.Fatalf("row %v", r)
			}
			return nil
		})
		var d *facts.Error
		if err != nil && (!errors.As(err, &d) || d.Line < 1 || d.Col < 1 || d.Msg == "") {
			t.Fatalf("error %#v", err)
		}
	})
}
