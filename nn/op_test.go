package nn

import (
	"testing"

	"gorgonia.org/gorgonia"
)

func TestValues(t *testing.T) {
	f32, f64 := []float32{1, 2, 3}, []float64{1, 2, 3}
	if v := values[float32](valueOf(f32, []int{3})); &v[0] != &f32[0] {
		t.Error("a float32 tensor was copied")
	}
	if v := values[float64](valueOf(f64, []int{3, 1})); &v[0] != &f64[0] {
		t.Error("a float64 tensor was copied")
	}
	// Shapes of ones are tensors for gorgonia, not scalars.
	if v := values[float64](valueOf(f64[:1], []int{1, 1})); len(v) != 1 || &v[0] != &f64[0] {
		t.Error("a 1×1 tensor is not its slice")
	}
	for _, v := range []gorgonia.Value{valueOf(f32[1:2], nil), gorgonia.NewF32(2)} {
		if got := values[float32](v); len(got) != 1 || got[0] != 2 {
			t.Errorf("scalar %v read as %v", v, got)
		}
	}
	if got := values[float64](valueOf(f64[2:], nil)); got[0] != 3 {
		t.Errorf("float64 scalar read as %v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("an integer value was accepted")
		}
	}()
	values[float32](gorgonia.NewI(1))
}

// TestOpsAreNotMerged builds two layers of equal shape on the same input: the
// hash must keep gorgonia from computing one of them only.
func TestOpsAreNotMerged(t *testing.T) {
	a, b := &op[float64]{name: "x", id: 1}, &op[float64]{name: "x", id: 2}
	if a.Hashcode() == b.Hashcode() {
		t.Error("two instances share a hash")
	}
	f := newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		x := leaf(b, "x", 3, 4)
		return gorgonia.Must(gorgonia.Sub(b.Linear("l1", x, 2), b.Linear("l2", x, 2)))
	})
	f.loss(t)
	for _, v := range f.g.Result() {
		if v == 0 {
			t.Fatal("the difference of two layers is zero")
		}
	}
}
