package lcqptest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The sizes are those of the ground programs of the paper's experiments.
func TestAdditionSizes(t *testing.T) {
	for _, c := range []struct {
		a                    *Addition
		targets, rows, deeps int
	}{{Add1(1e-3), 41, 547, 20}, {Add2(1e-3), 233, 3605, 40}} {
		if c.a.Targets != c.targets || c.a.Rows() != c.rows || c.a.Deep != c.deeps {
			t.Errorf("%d targets, %d rows, %d neural outputs, want %d, %d, %d",
				c.a.Targets, c.a.Rows(), c.a.Deep, c.targets, c.rows, c.deeps)
		}
		assert.Len(t, c.a.Components, 1)
	}
}

// The columns of places and carries are those of the targets that are named so.
func TestAdditionColumns(t *testing.T) {
	for _, c := range []struct {
		a    *Addition
		want map[int]string
	}{
		{Add1(1e-3), map[int]string{0: "Sum(0,1,0)", 19: "Place(0,1,1,0)", 29: "Place(0,1,10,0)", 39: "Carry(0,1,0)"}},
		{Add2(1e-3), map[int]string{0: "Sum(0,1,2,3,0)", 199: "Place(0,1,2,3,1,0)", 229: "Carry(0,2,0)", 231: "Carry(1,3,0)"}},
	} {
		for i, want := range c.want {
			assert.Equalf(t, want, c.a.Program().Targets[i], "target %d", i)
		}
	}
}
