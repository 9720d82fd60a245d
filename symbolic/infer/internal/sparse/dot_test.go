package sparse

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDot(t *testing.T) {
	for n := range 13 {
		x, y, want := make([]float64, n), make([]float64, n), 0.0
		for i := range x {
			x[i], y[i] = float64(i+1), float64(2*i-3)
			want += x[i] * y[i]
		}
		assert.Equalf(t, want, Dot(x, y), "n = %d", n)
	}
}
