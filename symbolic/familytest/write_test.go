package familytest

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	modelfile "hinge/symbolic/model"
)

// A model that was written and read again has as many ground terms; outputs have become
// observations, which can satisfy a rule.
func TestWrite(t *testing.T) {
	for _, name := range []string{"knn-labels", "citation"} {
		m := model(t, name, 2000)
		dir := t.TempDir()
		require.NoError(t, m.Write(dir))
		read, err := modelfile.Load(filepath.Join(dir, "model.json"), modelfile.LoadOptions{Partition: modelfile.Infer})
		require.NoError(t, err)
		want, err := m.Ground(t.Context())
		require.NoError(t, err)
		got, err := ground.Ground(t.Context(), read.Rules, read.Data, read.GroundOptions())
		require.NoError(t, err)
		if len(got.Targets) != len(want.Targets) || got.Constraints.Len() != want.Constraints.Len() || got.Potentials.Len() != want.Potentials.Len() {
			t.Errorf("%s: %d targets, %d constraints, %d potentials, want %d, %d, %d", name, len(got.Targets), got.Constraints.Len(),
				got.Potentials.Len(), len(want.Targets), want.Constraints.Len(), want.Potentials.Len())
		}
	}
}
