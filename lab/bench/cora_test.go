package bench

import (
	"os"
	"path/filepath"
	"strings"
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

// Cora in files, of small graphs and, where it lies below HINGE_DATA, as published.
func TestCoraFiles(t *testing.T) {
	write := func(content, cites string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{"cora.content": content, "cora.cites": cites} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		}
		return dir
	}
	good := "a\t0\tT1\nb\t0\tT2\nc\t0\tT3\nd\t0\tT4\ne\t0\tT5\nf\t0\tT6\ng\t0\tT7\nh\t0\tT1\n"
	m, err := cora(write(good, "a\th\nb\th\n"), 1)
	require.NoError(t, err)
	grounded(t, m)
	for _, c := range [][3]string{
		{good, "a\tz\n", "1 that are not in"}, {good, "a\ta\n", "1 papers that cite themselves"},
		{good, "a\th\nb\n", "cora.cites: line 2: "}, {good + "a\t0\tT1\n", "", "cora.content: line 9: "}, {"a\t0\tT1\n", "", "7"},
	} {
		if _, err := cora(write(c[0], c[1]), 1); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%v, want %s", err, c[2])
		}
	}
	if _, err := cora(t.TempDir(), 1); err == nil {
		t.Error("no files is no error")
	}
	root := os.Getenv("HINGE_DATA")
	if root == "" {
		t.Skip("set HINGE_DATA to a folder with cora/linqs to test with Cora itself")
	}
	m, err = cora(filepath.Join(root, "cora", "linqs"), 1)
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
