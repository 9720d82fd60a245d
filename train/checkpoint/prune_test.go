package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrune(t *testing.T) {
	for _, c := range []struct {
		keep int
		want []int64
	}{{0, []int64{40, 50, 60}}, {1, []int64{60}}, {2, []int64{50, 60}}, {-1, []int64{10, 20, 30, 40, 50, 60}}} {
		s := open(t, Options{Keep: c.keep})
		save(t, s, 10, 20, 30, 40, 50, 60)
		assert.Equalf(t, c.want, steps(t, s), "keep %d", c.keep)
	}
}

// A damaged checkpoint takes no place among those kept.
func TestPruneDoesNotCountDamaged(t *testing.T) {
	s := open(t, Options{Keep: 2})
	save(t, s, 10, 20)
	require.NoError(t, os.Remove(filepath.Join(s.Dir(), "step-00000020", manifestName)))
	s, err := Open(s.Dir(), Options{Keep: 2}) // one that does not know step 20
	require.NoError(t, err)
	save(t, s, 30)
	assert.Equal(t, []int64{10, 30}, steps(t, s))
}

// A run restored from an earlier step passes the later ones again.
func TestSaveAgain(t *testing.T) {
	s := open(t, Options{Keep: 2})
	save(t, s, 10, 20, 30)
	require.NoError(t, os.Truncate(filepath.Join(s.Dir(), "step-00000030", tensorsName), 10))
	c, bad := latest(t, s)
	if c.Step != 20 || !slices.Equal(bad, []string{"step-00000030"}) {
		t.Fatalf("fell back to %d, damaged %v", c.Step, bad)
	}
	save(t, s, 25) // later checkpoints stay
	assert.Equal(t, []int64{20, 25, 30}, steps(t, s), "after step 25")
	save(t, s, 30)
	c, bad = latest(t, s)
	if c.Name != "step-00000030-2" || bad != nil {
		t.Errorf("after step 30: %s, damaged %v", c.Name, bad)
	}
	assert.NoError(t, verify(c))
	assert.Equal(t, []int64{25, 30}, steps(t, s), "after step 30")
	save(t, s, 30)
	if c, _ = latest(t, s); c.Name != "step-00000030-3" {
		t.Errorf("once more: %s", c.Name)
	}
}

// TestTrim: the newest complete checkpoint stays, whatever stands beside it.
func TestTrim(t *testing.T) {
	s := open(t, Options{Keep: -1})
	for step := range int64(4) {
		require.NoError(t, s.Save(step, nil, nil))
	}
	damage := filepath.Join(s.Dir(), newFolder(3, 1).name, manifestName)
	require.NoError(t, os.WriteFile(damage, []byte("{}"), 0o600))
	again, err := Open(s.Dir(), Options{}) // one that does not know step 3
	require.NoError(t, err)
	require.NoError(t, again.Trim())
	if steps, err := again.Steps(); err != nil || !slices.Equal(steps, []int64{2}) {
		t.Errorf("steps %v stay, %v; want 2", steps, err)
	}
	assert.NoError(t, open(t, Options{}).Trim(), "an empty store")
}
