//go:build long

package modelfile

import (
	"context"
	"path/filepath"
	"testing"

	"hinge/symbolic/shortcut"
)

// TestShortcutsOfExamples: the examples have the maps that their READMEs say.
func TestShortcutsOfExamples(t *testing.T) {
	for file, want := range map[string]int64{
		"mnist-half/model.json": 3, "mnist-half/one-label.json": 1, "mnist-evenodd/model.json": 36, "mnist-evenodd/one-label-each.json": 1,
	} {
		r, err := CountShortcuts(context.Background(), filepath.Join("..", "..", "examples", file), shortcut.Options{})
		if err != nil || !r.Complete || r.Number().Int64() != want || len(r.Ignored) != 0 || r.Contrary != 0 {
			t.Errorf("%s: %+v, %v; want %d maps", file, r, err, want)
		}
	}
}
