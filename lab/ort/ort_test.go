package main

import (
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServe: our side answers each line with a time and the outputs of the network, which
// can be written as a file.
func TestServe(t *testing.T) {
	for _, n := range networks {
		var out strings.Builder
		require.NoError(t, n.serve(strings.NewReader("1 0\n2 0\n"), &out))
		var answers []answer
		for d := json.NewDecoder(strings.NewReader(out.String())); d.More(); {
			var a answer
			require.NoError(t, d.Decode(&a))
			answers = append(answers, a)
		}
		if len(answers) != 3 || answers[1].MS <= 0 || answers[1].Passes != 1 {
			t.Fatalf("%s: %+v", n.name, answers)
		}
		// The first image of both batches is the same.
		assert.NoError(t, agree(answers[1].Out, answers[2].Out), n.name)
		assert.Error(t, n.serve(strings.NewReader("many 0\n"), &out))
		assert.NoError(t, n.export(io.Discard), n.name)
	}
}

// TestAgree: outputs that differ by more than rounding, or are missing, are an error.
func TestAgree(t *testing.T) {
	for _, c := range []struct {
		a, b []float32
		want bool
	}{
		{[]float32{1, 2}, []float32{1.001, 2}, true},
		{[]float32{1, 2}, []float32{1.01, 2}, false},
		{[]float32{1, 2}, []float32{1}, false},
		{nil, nil, false},
		{[]float32{float32(math.NaN())}, []float32{1}, false},
	} {
		if err := agree(c.a, c.b); (err == nil) != c.want {
			t.Errorf("%v, %v: %v", c.a, c.b, err)
		}
	}
}

// TestPage: times are an image's, and the ratio is of the alternations.
func TestPage(t *testing.T) {
	p := page{command: "go run ./lab/ort", rounds: 3, seconds: 1, rows: []row{
		{"LeNet", 64, 2, []float64{64, 128, 640}, []float64{128, 128, 1280}, []float64{.5, 1, .5}},
	}}
	var out strings.Builder
	require.NoError(t, p.write(&out))
	if want := "| LeNet | 64 | 2 | 2.0000 | 2.0000 | 0.50 | 0.50 | 1.00 |\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("%s\nwant %s", out.String(), want)
	}
}
