package jsonl_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
)

type point struct {
	X int    `json:"x"`
	S string `json:"s,omitempty"`
}

func TestMissingFileIsEmpty(t *testing.T) {
	list, err := jsonl.Read[point](filepath.Join(t.TempDir(), "none"))
	if err != nil || len(list) != 0 {
		t.Fatalf("got %v, %v", list, err)
	}
}

func TestReadSkipsTornEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte("{\"x\":1}\n{\"x\":"), 0o666))
	got, err := jsonl.Read[point](path)
	if err != nil || !slices.Equal(got, []point{{X: 1}}) {
		t.Fatalf("got %v, %v", got, err)
	}
}

func TestBrokenMiddleIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte("{\"x\":1}\n{\"x\":oops}\n{\"x\":2}\n"), 0o666))
	if _, err := jsonl.Read[point](path); err == nil || !strings.Contains(err.Error(), "log:2:") {
		t.Fatalf("got %v", err)
	}
}

func TestTooLongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x", 1<<21)+"\n"), 0o666))
	if _, err := jsonl.Read[point](path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}
