package model

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// The checker passes good files on unchanged and finds the first bad field,
// however the file is cut into pieces.
func TestColumnChecker(t *testing.T) {
	types := []Type{String, Integer, Double}
	for _, test := range []struct{ src, want string }{
		{"a\t1\t2.5\t0.5\nb\t-7\t1e-3\n", ""},
		{"\n  \na\t 12 \t 0.5 \r\n\n", ""},
		{"a\t\t\n", ""}, // empty fields are the database's business
		{"a\t1\t2\nb\tx\t3\n", `x.txt:2:3: "x" is not an integer, but the argument has the type Integer`},
		{"ä€\t1.5\t2", `x.txt:1:4: "1.5" is not an integer, but the argument has the type Integer`},
		{"a\t1\tz", `x.txt:1:5: "z" is not a number, but the argument has the type Double`},
		{"a\t1\t2\tz\n", ""}, // the value is not an argument
		{"a\t" + strings.Repeat("1", 100) + "\t2", `x.txt:1:3: "` + strings.Repeat("1", 60) + `…" is not an integer, but the argument has the type Integer`},
	} {
		for name, cut := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader,
			"halves": iotest.HalfReader, "end with data": iotest.DataErrReader,
		} {
			c := newColumnChecker(types, "x.txt", cut(strings.NewReader(test.src)))
			passed, err := io.ReadAll(c)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case test.want == "" && (c.err != nil || string(passed) != test.src):
				t.Errorf("%s %q: %v, passed %q", name, test.src, c.err, passed)
			case test.want != "" && (c.err == nil || c.err.Error() != test.want):
				t.Errorf("%s %q\n got %v\nwant %s", name, test.src, c.err, test.want)
			}
		}
	}
	if newColumnChecker([]Type{String, UniqueStringID}, "x.txt", nil) != nil {
		t.Error("texts need no checker")
	}
	if _, err := io.ReadAll(newColumnChecker(types, "x.txt", iotest.ErrReader(io.ErrNoProgress))); err != io.ErrNoProgress {
		t.Errorf("the error of the file became %v", err)
	}
}

// A byte order mark is no part of the first field.
func TestColumnCheckerMark(t *testing.T) {
	c := newColumnChecker([]Type{UniqueIntID}, "x.txt", strings.NewReader("\uFEFF1\n2\n"))
	if _, err := io.ReadAll(c); err != nil || c.err != nil {
		t.Errorf("%v, %v", err, c.err)
	}
}
