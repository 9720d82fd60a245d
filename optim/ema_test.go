package optim

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEMAFollowsItsFormula(t *testing.T) {
	p := Param{Value: []float32{5, -1}}
	e, err := NewEMA([]Param{p}, 0.9)
	require.NoError(t, err)
	want := 5.0
	for step := range 200 {
		p.Value[0] = float32(math.Sin(float64(step)))
		d := math.Min(0.9, (1+float64(step))/(10+float64(step)))
		want = d*want + (1-d)*float64(p.Value[0])
		e.Update()
		if got := float64(e.State().Average[0][0]); math.Abs(got-want) > 1e-6 {
			t.Fatalf("step %d: average %v, want %v", step, got, want)
		}
	}
	if got := e.State().Average[0][1]; got != -1 {
		t.Errorf("a constant's average is %v", got)
	}
}

func TestEMASwap(t *testing.T) {
	p := Param{Value: []float32{0, 0}}
	e, err := NewEMA([]Param{p}, 0.5)
	require.NoError(t, err)
	copy(p.Value, []float32{10, 20})
	e.Update() // decay 1/10 at the first update
	e.Swap()
	assert.Equal(t, []float32{9, 18}, p.Value, "swapped in")
	for name, f := range map[string]func(){"Update": e.Update, "State": func() { e.State() }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s while swapped: no panic", name)
				}
			}()
			f()
		}()
	}
	e.Swap()
	if !slices.Equal(p.Value, []float32{10, 20}) || !slices.Equal(e.State().Average[0], []float32{9, 18}) {
		t.Errorf("swapped back: %v, average %v", p.Value, e.State().Average)
	}
}

// What is outside the live ranges stays where it is, also while the averages are swapped in.
func TestEMASwapsLiveRanges(t *testing.T) {
	p := Param{Value: []float32{1, 2, 3}, Live: []Range{{Lo: 1, Hi: 2}}}
	e, err := NewEMA([]Param{p}, 0.5)
	require.NoError(t, err)
	copy(p.Value, []float32{5, 12, 6})
	e.Update()
	e.Swap()
	assert.Equal(t, []float32{5, 11, 6}, p.Value)
	e.Swap()
	assert.Equal(t, []float32{5, 12, 6}, p.Value)
}

func TestEMADecayOutOfRange(t *testing.T) {
	for _, d := range []float64{-0.1, 1, math.NaN()} {
		_, err := NewEMA(nil, d)
		assert.Errorf(t, err, "decay %v: no error", d)
	}
}
