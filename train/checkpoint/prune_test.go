package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestPrune(t *testing.T) {
	for _, c := range []struct {
		keep int
		want []int64
	}{{0, []int64{40, 50, 60}}, {1, []int64{60}}, {2, []int64{50, 60}}, {-1, []int64{10, 20, 30, 40, 50, 60}}} {
		s := open(t, Options{Keep: c.keep})
		save(t, s, 10, 20, 30, 40, 50, 60)
		if got := steps(t, s); !slices.Equal(got, c.want) {
			t.Errorf("keep %d: %v, want %v", c.keep, got, c.want)
		}
	}
}

func TestClear(t *testing.T) {
	s := open(t, Options{})
	save(t, s, 10, 20)
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(s.Dir()); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if _, err := s.Latest(nil); !errors.Is(err, ErrNone) {
		t.Errorf("the newest of none: %v", err)
	}
	save(t, s, 5)
	if got := steps(t, s); !slices.Equal(got, []int64{5}) {
		t.Errorf("after another save there are %v", got)
	}
	reader, err := Open(s.Dir(), Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Clear(); !errors.Is(err, ErrReadOnly) {
		t.Errorf("clearing what is open for reading: %v", err)
	}
}

// A damaged checkpoint takes no place among those kept.
func TestPruneDoesNotCountDamaged(t *testing.T) {
	s := open(t, Options{Keep: 2})
	save(t, s, 10, 20)
	if err := os.Remove(filepath.Join(s.Dir(), "step-00000020", manifestName)); err != nil {
		t.Fatal(err)
	}
	s, err := Open(s.Dir(), Options{Keep: 2}) // one that does not know step 20
	if err != nil {
		t.Fatal(err)
	}
	save(t, s, 30)
	if got := steps(t, s); !slices.Equal(got, []int64{10, 30}) {
		t.Errorf("%v, want 10 and 30", got)
	}
}

// A run restored from an earlier step passes the later ones again.
func TestSaveAgain(t *testing.T) {
	s := open(t, Options{Keep: 2})
	save(t, s, 10, 20, 30)
	if err := os.Truncate(filepath.Join(s.Dir(), "step-00000030", tensorsName), 10); err != nil {
		t.Fatal(err)
	}
	c, bad := latest(t, s)
	if c.Step != 20 || !slices.Equal(bad, []string{"step-00000030"}) {
		t.Fatalf("fell back to %d, damaged %v", c.Step, bad)
	}
	save(t, s, 25) // later checkpoints stay
	if got := steps(t, s); !slices.Equal(got, []int64{20, 25, 30}) {
		t.Errorf("after step 25: %v", got)
	}
	save(t, s, 30)
	c, bad = latest(t, s)
	if c.Name != "step-00000030-2" || bad != nil {
		t.Errorf("after step 30: %s, damaged %v", c.Name, bad)
	}
	if err := verify(c); err != nil {
		t.Error(err)
	}
	if got := steps(t, s); !slices.Equal(got, []int64{25, 30}) {
		t.Errorf("after step 30: %v", got)
	}
	save(t, s, 30)
	if c, _ = latest(t, s); c.Name != "step-00000030-3" {
		t.Errorf("once more: %s", c.Name)
	}
}

// TestTrim: the newest complete checkpoint stays, whatever stands beside it.
func TestTrim(t *testing.T) {
	s := open(t, Options{Keep: -1})
	for step := range int64(4) {
		if err := s.Save(step, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	damage := filepath.Join(s.Dir(), newFolder(3, 1).name, manifestName)
	if err := os.WriteFile(damage, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.Dir(), Options{}) // one that does not know step 3
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Trim(); err != nil {
		t.Fatal(err)
	}
	if steps, err := again.Steps(); err != nil || !slices.Equal(steps, []int64{2}) {
		t.Errorf("steps %v stay, %v; want 2", steps, err)
	}
	if err := open(t, Options{}).Trim(); err != nil {
		t.Errorf("an empty store: %v", err)
	}
}
