package lcqp_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
)

func TestFix(t *testing.T) {
	in := instance(t, compile(t, program()), 0.1)
	require.NoError(t, in.Fix(2, 0.5))
	if in.Lower[2] != 0.5 || in.Upper[2] != 0.5 || in.Lower[1] != 0 || in.Upper[1] != 1 {
		t.Errorf("bounds %v, %v", in.Lower, in.Upper)
	}
	require.NoError(t, in.Free(2))
	if in.Lower[2] != 0 || in.Upper[2] != 1 {
		t.Errorf("bounds %v, %v after Free", in.Lower, in.Upper)
	}
	in.Fix(0, 1)
	require.NoError(t, in.SetBounds(slices.Repeat([]float64{-3}, 5), slices.Repeat([]float64{7}, 5)))
	if slices.Max(in.Lower) != -3 || slices.Min(in.Upper) != 7 {
		t.Errorf("bounds %v, %v after SetBounds", in.Lower, in.Upper)
	}
	in.FreeAll()
	if slices.Max(in.Lower) != 0 || slices.Min(in.Upper) != 1 {
		t.Errorf("bounds %v, %v after FreeAll", in.Lower, in.Upper)
	}
}

func TestSetProx(t *testing.T) {
	in := instance(t, compile(t, program()), 0.1)
	center := []float64{0.1, 0.2, 0.3, 0.4, 0.5}
	require.NoError(t, in.SetProx([]float64{2}, center))
	if slices.Min(in.Prox) != 2 || slices.Max(in.Prox) != 2 || !slices.Equal(in.Center, center) {
		t.Errorf("prox %v around %v", in.Prox, in.Center)
	}
	require.NoError(t, in.SetProx([]float64{1, 2, 3, 4, 5}, center))
	if in.Prox[3] != 4 {
		t.Errorf("prox %v", in.Prox)
	}
	center[0] = 9 // the instance holds a copy
	assert.Equal(t, 0.1, in.Center[0], "Center aliases its argument")
	in.ClearProx()
	if slices.Max(in.Prox) != 0 {
		t.Errorf("prox %v after ClearProx", in.Prox)
	}
}

// Every edit must refuse bad input and then leave the instance as it was.
func TestEditsReject(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	five := []float64{0, 0, 0, 0, 0}
	for name, edit := range map[string]func(*lcqp.Instance) error{
		"deep length":   func(in *lcqp.Instance) error { return in.SetDeep([]float64{1}) },
		"deep NaN":      func(in *lcqp.Instance) error { return in.SetDeep([]float64{1, nan}) },
		"weight length": func(in *lcqp.Instance) error { return in.SetWeights([]float64{1}) },
		"weight < 0":    func(in *lcqp.Instance) error { return in.SetWeights([]float64{1, -1e-9}) },
		"weight Inf":    func(in *lcqp.Instance) error { return in.SetWeights([]float64{inf, 1}) },
		"fix index":     func(in *lcqp.Instance) error { return in.Fix(5, 0) },
		"fix negative":  func(in *lcqp.Instance) error { return in.Fix(-1, 0) },
		"fix value":     func(in *lcqp.Instance) error { return in.Fix(0, 1.5) },
		"fix NaN":       func(in *lcqp.Instance) error { return in.Fix(0, nan) },
		"free index":    func(in *lcqp.Instance) error { return in.Free(7) },
		"one-hot index": func(in *lcqp.Instance) error { return in.FixOneHot([]int{0, 1, 5}, 1) },
		"one-hot place": func(in *lcqp.Instance) error { return in.FixOneHot([]int{0, 1}, 2) },
		"one-hot none":  func(in *lcqp.Instance) error { return in.FixOneHot([]int{0, 1}, -1) },
		"bounds length": func(in *lcqp.Instance) error { return in.SetBounds(five, five[:3]) },
		"bounds order":  func(in *lcqp.Instance) error { return in.SetBounds([]float64{0, 0, 1, 0, 0}, five) },
		"bounds Inf":    func(in *lcqp.Instance) error { return in.SetBounds([]float64{0, 0, 0, 0, -inf}, five) },
		"bounds NaN":    func(in *lcqp.Instance) error { return in.SetBounds(five, []float64{0, nan, 0, 0, 0}) },
		"prox length":   func(in *lcqp.Instance) error { return in.SetProx([]float64{1, 1}, five) },
		"prox < 0":      func(in *lcqp.Instance) error { return in.SetProx([]float64{-1}, five) },
		"centre length": func(in *lcqp.Instance) error { return in.SetProx([]float64{1}, five[:3]) },
		"centre NaN":    func(in *lcqp.Instance) error { return in.SetProx([]float64{1}, []float64{0, nan, 0, 0, 0}) },
		"ties length":   func(in *lcqp.Instance) error { return in.SetTies(five[:3]) },
		"ties NaN":      func(in *lcqp.Instance) error { return in.SetTies([]float64{0, nan, 0, 0, 0}) },
	} {
		in, fresh := instance(t, compile(t, program()), 0.1), instance(t, compile(t, program()), 0.1)
		err := edit(in)
		if err == nil || !strings.HasPrefix(err.Error(), "lcqp: ") {
			t.Errorf("%s: error %v", name, err)
		}
		if name == "deep NaN" {
			assert.ErrorContains(t, err, "is NaN; if it is a network that learns, a lower learning rate")
		}
		if in.Epsilon != fresh.Epsilon || !slices.Equal(in.B, fresh.B) || !slices.Equal(in.Weights, fresh.Weights) ||
			!slices.Equal(in.Lower, fresh.Lower) || !slices.Equal(in.Upper, fresh.Upper) || !slices.Equal(in.Prox, fresh.Prox) || !slices.Equal(in.Center, fresh.Center) {
			t.Errorf("%s: the instance has changed", name)
		}
	}
	for _, eps := range []float64{0, -1, nan, inf} {
		if _, err := compile(t, program()).NewInstance(eps); err == nil {
			t.Errorf("epsilon %v accepted", eps)
		}
	}
}
