package bench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/familytest"
	"hinge/symbolic/lcqp"
)

// grounded is the compiled program of a model.
func grounded(t *testing.T, m *familytest.Model) *lcqp.Template {
	t.Helper()
	p, err := m.Ground(t.Context())
	require.NoError(t, err)
	tpl, err := lcqp.Compile(p)
	require.NoError(t, err)
	return tpl
}

// Cora as published, where it lies below HINGE_DATA.
func TestCoraFiles(t *testing.T) {
	root := os.Getenv("HINGE_DATA")
	if root == "" {
		t.Skip("set HINGE_DATA to a folder with cora/linqs to test with Cora itself")
	}
	m, err := cora(filepath.Join(root, "cora", "linqs"), 1)
	require.NoError(t, err)
	tpl := grounded(t, m)
	largest := 0
	for _, c := range tpl.Components {
		largest = max(largest, len(c.Targets))
	}
	if tpl.Targets < 9000 || tpl.Targets > 10000 || tpl.Rows() < 60000 || tpl.Rows() > 75000 || largest < 5000 {
		t.Errorf("%d targets, %d terms, largest component %d", tpl.Targets, tpl.Rows(), largest)
	}
}
