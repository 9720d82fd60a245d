package ground

import "testing"

// TestBuilder: columns count in order, and the first error stays.
func TestBuilder(t *testing.T) {
	b := NewBuilder()
	b.Observe("Link", "a", "b")
	if i, j := b.Target("Cat", "a"), b.Target("Cat", "b"); i != 0 || j != 1 {
		t.Errorf("targets %d, %d", i, j)
	}
	if i := b.Deep("Neural", "a", "x"); i != 0 || b.Err != nil {
		t.Errorf("neural output %d, %v", i, b.Err)
	}
	b.Target("Link", "c")
	first := b.Err
	if b.Observe("Fine", "x"); first == nil || b.Err != first || b.DB.lookup("Fine") != nil {
		t.Errorf("after %v: %v", first, b.Err)
	}
}
