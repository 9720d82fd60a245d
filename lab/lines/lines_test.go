package lines_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/lab/lines"
)

type point struct {
	X int    `json:"x"`
	S string `json:"s,omitempty"`
}

func Example() {
	dir, _ := os.MkdirTemp("", "jsonl")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "points.jsonl")
	for x := range 3 {
		if err := lines.Append(path, point{X: x}); err != nil {
			fmt.Println(err)
		}
	}
	points, err := jsonl.Read[point](path)
	fmt.Println(points, err)
	// Output: [{0 } {1 } {2 }] <nil>
}

// A file cut at any byte loses at most its last value, and takes the next one.
func TestEveryCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	want := []point{{1, "a"}, {2, "two words"}, {3, "ü"}}
	for _, p := range want {
		require.NoError(t, lines.Append(path, p))
	}
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := range whole {
		require.NoError(t, os.WriteFile(path, whole[:n], 0o666))
		// The line feed is part of the value: without it the line may be torn.
		complete := strings.Count(string(whole[:n]), "\n")
		require.NoError(t, lines.Append(path, point{X: 9}))
		got, err := jsonl.Read[point](path)
		require.NoErrorf(t, err, "cut at %d", n)
		require.Equalf(t, append(slices.Clone(want[:complete]), point{X: 9}), got, "cut at %d", n)
	}
}

func TestTooLongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := lines.Append(path, point{S: strings.Repeat("x", 1<<20)}); err == nil {
		t.Error("a line no reader takes was written")
	}
}

func TestValueThatDoesNotEncode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := lines.Append(path, func() {}); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was made for nothing")
	}
}
