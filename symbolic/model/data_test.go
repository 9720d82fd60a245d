package model

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
)

// dataModel has one predicate with data of every kind.
func dataModel(options, observations string) string {
	return `{"rules": ["1: !P(A, B)"], "options": {` + options + `}, "predicates": {"P/2": {"observations": ` + observations + `, "targets": [["t", "u"]]}}}`
}

// Where data files are looked for.
func TestLocate(t *testing.T) {
	model := dataModel("", `["../data/set/x.txt"]`)
	value := func(dir string, opts LoadOptions) (float64, error) {
		m, err := Load(filepath.Join(dir, "cli", "model.json"), opts)
		if err != nil {
			return 0, err
		}
		v, _ := m.Data.Observation("P", "a", "b")
		return v, nil
	}
	dir := folder(t, map[string]string{
		"cli/model.json": model, "data/set/x.txt": "a\tb\t0.1", "full/data/set/x.txt": "a\tb\t0.2",
		"full/x.txt": "a\tb\t0.9", "part/set/x.txt": "a\tb\t0.3", "flat/x.txt.gz": "a\tb\t0.4", "empty/y.txt": "",
	})
	for data, want := range map[string]float64{"": 0.1, "full": 0.2, "full/data": 0.2, "part": 0.3, "part/set": 0.3, "flat": 0.4} {
		opts := LoadOptions{}
		if data != "" {
			opts.Data = filepath.Join(dir, data)
		}
		if v, err := value(dir, opts); err != nil || v != want {
			t.Errorf("-data %q: %v, %v, want %v", data, v, err, want)
		}
	}
	// With a folder given, no other is read.
	_, err := value(dir, LoadOptions{Data: filepath.Join(dir, "empty")})
	var data *facts.Error
	if !errors.As(err, &data) || !strings.Contains(err.Error(), `model.json:1:83: the data file "../data/set/x.txt" is not in `) {
		t.Errorf("a missing file gave %v", err)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "data/set/x.txt")))
	_, err = value(dir, LoadOptions{})
	assert.ErrorContains(t, err, "model.json:1:83: there is no data file ", "a missing file")
}

// A path may be absolute; .gz may be written out; the reader hears of files.
func TestFiles(t *testing.T) {
	dir := folder(t, map[string]string{"a.txt": "a\tb\n", "b.txt.gz": "c\td\t0.5\n"})
	var read []string
	m := mustLoad(t, map[string]string{
		"model.json": dataModel("", `["`+filepath.ToSlash(filepath.Join(dir, "a.txt"))+`", "`+filepath.ToSlash(filepath.Join(dir, "b.txt.gz"))+`", ["e", "f"]]`),
	}, LoadOptions{Data: t.TempDir(), Reading: func(path string) { read = append(read, filepath.Base(path)) }})
	if n := m.Data.Predicates()[0].Observations; n != 3 || strings.Join(read, " ") != "a.txt b.txt.gz" {
		t.Errorf("%d observations from %v", n, read)
	}
}

func TestDataErrors(t *testing.T) {
	for _, test := range []struct{ options, observations, file, want string }{
		{"", `["x.txt"]`, "a\tb\tc\td\n", "x.txt:1:1: the line has 4 fields, the atom has 2 arguments (fields are separated by tabs)"},
		{"", `["x.txt"]`, "a\tb\na\n", "x.txt:2:1: the line has 1 field, the first line has 2"},
		{"", `["x.txt"]`, "\n\na\tb\t1.5\n", `x.txt:3:5: the value 1.5 is not in [0, 1] ("scale": [LOW, HIGH] in the model takes LOW to 0 and HIGH to 1)`},
		{"", `["x.txt"]`, "t\tu\na\tb\n", "model.json:1:"}, // also a target
		{`"runtime.db.intids": true`, `["x.txt"]`, "1\t2\n3\t x \n", `x.txt:2:3: "x" is not an integer, but the argument has the type UniqueIntID`},
		{"", `[["a"]]`, "", "model.json:1:83: P has 2 arguments, the row has 1 field"},
		{"", `[["a", "b", "c", "d"]]`, "", "model.json:1:83: P has 2 arguments, the row has 4 fields"},
		{"", `[["a", " "]]`, "", "model.json:1:89: argument 2 is empty"},
		{"", `[["a", "b", 2]]`, "", `model.json:1:94: the value "2" is not a number in [0, 1]`},
		{"", `[["a", ["b"]]]`, "", "model.json:1:89: a field is a list, want a text or a number"},
		{"", `[["a", null]]`, "", "model.json:1:89: a field is null, want a text or a number"},
		{"", `[["a", "b"], ["a", "b", 0.5]]`, "", "model.json:1:95: P(a,b) is observed as 1 and as 0.5"},
		{`"runtime.db.intids": true`, `[[1, "b"]]`, "", `model.json:1:112: "b" is not an integer, but the argument has the type UniqueIntID`},
	} {
		_, err := load(t, map[string]string{"model.json": dataModel(test.options, test.observations), "x.txt": test.file}, LoadOptions{})
		if !errors.As(err, new(*facts.Error)) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s %q\n got %v\nwant %s", test.observations, test.file, err, test.want)
		}
	}
}

func TestDamagedGzip(t *testing.T) {
	const path = "x.txt.gz"
	mustLoad(t, map[string]string{"model.json": dataModel("", `["x.txt"]`), path: strings.Repeat("a\tb\n", 1000)}, LoadOptions{})
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, bad := range map[string][]byte{"cut": good[:len(good)-5], "not gzip": []byte("a\tb\n"), "empty": nil} {
		require.NoError(t, os.WriteFile(path, bad, 0o666))
		_, err := Load("model.json", LoadOptions{})
		if !errors.As(err, new(*facts.Error)) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzData reads a data file of any kind with types to check.
func FuzzData(f *testing.F) {
	for _, s := range []string{"1\ta\n2\tb\t\n", "1\ta\t0.5\r\n\n \n3\tb\t1\n", "\uFEFF7\tx", "1\t\xff", "a\tb", "1\ta\t2", "1", strings.Repeat("1\t", 70)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		m, err := load(t, map[string]string{"fuzz.txt": src, "model.json": `{"rules": ["1: !P(A, B)"], "predicates": {"P": {"types": ["UniqueIntID", "UniqueStringID"], "observations": ["fuzz.txt"]}}}`}, LoadOptions{})
		var data *facts.Error
		if err != nil && (!errors.As(err, &data) || data.Line < 1 || data.Col < 1 || data.Source != "fuzz.txt") {
			t.Fatalf("an error without a place: %v", err)
		}
		if err != nil {
			return
		}
		for a := range m.Data.Atoms("P") {
			if problem := checkConstant("UniqueIntID", a.Args[0]); problem != "" || !(a.Value >= 0 && a.Value <= 1) {
				t.Fatalf("%v was accepted: %s", a, problem)
			}
		}
	})
}
