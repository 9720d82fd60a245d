package difftest

import "testing"

// counter counts the errors of a test.
type counter struct {
	testing.TB
	errors int
}

func (c *counter) Helper()               {}
func (c *counter) Errorf(string, ...any) { c.errors++ }

// TestCheck: a right gradient passes and keeps x; each wrong entry is an error.
func TestCheck(t *testing.T) {
	x := []float64{1, -2, 3}
	loss := func() float64 { return x[0]*x[0] + x[1]*x[2] }
	for _, test := range []struct {
		grad   []float64
		errors int
	}{{[]float64{2, 3, -2}, 0}, {[]float64{2, 3.001, -2}, 1}, {[]float64{0, 0, 0}, 3}} {
		c := &counter{}
		if Check(c, "x", x, test.grad, 3, 1e-6, loss); c.errors != test.errors || x[0] != 1 || x[1] != -2 || x[2] != 3 {
			t.Errorf("%v: %d errors, want %d; x is %v", test.grad, c.errors, test.errors, x)
		}
	}
}
