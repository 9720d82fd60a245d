package bench

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
)

// calibration returns rows in which every approach takes what a table says, but for ±a tenth.
func calibration(c *infer.Costs) []Row {
	var rows []Row
	add := func(model string, size int, method string, a infer.Approach, f infer.Features) {
		off := 1 + 0.1*float64(len(rows)%2*2-1)
		seconds := off * c.Seconds(a, f)
		if math.IsInf(seconds, 1) { // ascent, and what follows it
			seconds = off * c.Ascent[f.Shape] * f.Size
		}
		rows = append(rows, Row{Cell: Cell{Model: model, Size: size, Method: method}, Status: "solved",
			Again: Time{CPU: seconds}, Begun: infer.Choice{Approach: a, Features: f}})
	}
	for i, size := range []int{1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6} {
		n := float64(size)
		for shape, model := range []string{infer.Smooth: "citation", infer.Kinked: "knn", infer.Lattice: "grid", infer.Forest: "chain"} {
			shape := infer.Shape(shape)
			f := infer.Features{Size: n, Shape: shape}
			g := f
			if g.Fill = n; shape != infer.Forest {
				g.Fill, g.Work = 5*n*math.Log(n), math.Pow(n, 1.5)*float64(1+i%3)
			}
			add(model, size, Approaches[2], infer.ByInterior, g)
			if shape <= infer.Kinked {
				add(model, size, Approaches[1], infer.ByAscent, f)
			}
			if shape != infer.Lattice {
				add(model, size, Approaches[3], infer.ByPatches, f)
			}
			add(model, size, Approaches[0], infer.ByInterior, g)
		}
	}
	return rows
}

func TestCalibrate(t *testing.T) {
	want := infer.Costs{Entry: 2e-8, Multiplication: 1e-9,
		Interior: infer.Rates{5e-7, 6e-7, 6e-7, 7e-7}, Ascent: infer.Rates{1e-6, 2e-6, 2e-6, 2e-6}, Patches: infer.Rates{4e-6, 5e-6, 6e-6, 3e-7}}
	rows := calibration(&want)
	got, err := Calibrate(rows)
	require.NoError(t, err)
	for i := range rows {
		b := rows[i].Begun
		if r := got.Seconds(b.Approach, b.Features) / want.Seconds(b.Approach, b.Features); !math.IsNaN(r) && math.Abs(math.Log(r)) > 0.2 {
			t.Errorf("%s: predicted %v times", rows[i].Cell, r)
		}
	}
	require.InEpsilon(t, want.Multiplication, got.Multiplication, 0.3)

	var text strings.Builder
	WriteRegret(&text, rows, &want)
	require.Contains(t, text.String(), "citation 1e4: ascent 0.0")
	require.Contains(t, text.String(), "of 24 cells; predictions are off by a factor of 1.1")
	text.Reset()
	want.Patches[infer.Forest] *= 100 // the wrong choice for chains
	WriteRegret(&text, rows, &want)
	require.Contains(t, text.String(), "patches 0.0033 (0.3); ×1.96\n")

	_, err = Calibrate(rows[:1])
	require.ErrorContains(t, err, "was begun with")
}

func TestMethod(t *testing.T) {
	for name, want := range map[string]infer.Method{"auto": infer.Auto{}, "auto:patches": infer.Auto{Begin: infer.ByPatches}, "ipm": infer.InteriorPoint{}} {
		m, err := Method(name)
		require.NoError(t, err)
		require.Equal(t, want, m)
	}
	_, err := Method("auto:luck")
	require.Error(t, err)
}
