package train

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCurvesOfARun: a run leaves its curves behind, also of a model without
// figures of its own.
func TestCurvesOfARun(t *testing.T) {
	dir := t.TempDir()
	c := toyConfig()
	if _, err := Run(context.Background(), c, newToy(1), Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(filepath.Join(dir, curvesFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"polyline", "train", "valid", "test"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q in the curves", want)
		}
	}
}

func TestSmooth(t *testing.T) {
	y := []float64{1, 1, 2}
	smooth(y)
	if y[0] != 1 || y[1] != 1 || y[2] != 1.1 {
		t.Errorf("running mean %v", y)
	}
}
