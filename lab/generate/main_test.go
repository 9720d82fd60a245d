package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The data in the repository are those of the generator.
func TestGenerate(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, generate(dir))
	for _, name := range append(slices.Collect(maps.Keys(examples)), "patterns", "shop") {
		made, err := filepath.Glob(filepath.Join(dir, name, "data", "*"))
		if err != nil || len(made) == 0 {
			t.Fatalf("%s: no data, %v", name, err)
		}
		kept, err := filepath.Glob(filepath.Join("..", "..", "examples", name, "data", "*"))
		if err != nil || len(kept) != len(made) {
			t.Errorf("%s: %d files made, %d in the repository", name, len(made), len(kept))
		}
		for _, path := range made {
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join("..", "..", "examples", name, "data", filepath.Base(path)))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s is not what the generator writes (%v): run go run ./lab/generate examples", name, filepath.Base(path), err)
			}
		}
	}
}
