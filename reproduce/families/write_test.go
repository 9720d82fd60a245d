package families

import (
	"path/filepath"
	"testing"

	"hinge/symbolic/ground"
	modelfile "hinge/symbolic/model"
)

// A model that was written and read again has as many ground terms; outputs have become
// observations, which can satisfy a rule.
func TestWrite(t *testing.T) {
	for _, name := range []string{"knn-labels", "citation"} {
		f, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Model(2000, 1)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := m.Write(dir); err != nil {
			t.Fatal(err)
		}
		read, err := modelfile.Load(filepath.Join(dir, "model.json"), modelfile.LoadOptions{Partition: modelfile.Infer})
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Ground(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := ground.Ground(t.Context(), read.Rules, read.Data, read.GroundOptions())
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Targets) != len(want.Targets) || got.Constraints.Len() != want.Constraints.Len() || got.Potentials.Len() != want.Potentials.Len() {
			t.Errorf("%s: %d targets, %d constraints, %d potentials, want %d, %d, %d", name, len(got.Targets), got.Constraints.Len(),
				got.Potentials.Len(), len(want.Targets), want.Constraints.Len(), want.Potentials.Len())
		}
	}
}
