package modelfile

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/train/learning"
)

// byHand is a program of two targets and four neural outputs whose rows are: one for each
// target, one of an output of the second target's and another one, one of outputs that no
// target sees, a second one of these, and a constant.
func byHand(t *testing.T, change func(p *hlmrf.Program)) *lcqp.Template {
	t.Helper()
	p := &hlmrf.Program{
		Targets: []string{"y0", "y1"}, Deep: []string{"g0", "g1", "g2", "g3"},
		Rules: []hlmrf.Rule{{Weight: 1, Squared: true}, {Weight: 1}}, PotentialRule: []int32{0, 0, 1, 1, 1, 1},
	}
	p.Potentials.Append([]int32{0}, []float64{1}, []int32{0}, []float64{-1}, 0.5)
	p.Potentials.Append([]int32{1}, []float64{1}, []int32{1}, []float64{-1}, 0.5)
	p.Potentials.Append(nil, nil, []int32{1, 2}, []float64{1, 1}, -0.5)
	p.Potentials.Append(nil, nil, []int32{3}, []float64{1}, -0.5)
	p.Potentials.Append(nil, nil, []int32{3}, []float64{2}, -0.5)
	p.Potentials.Append(nil, nil, nil, nil, 0.5)
	if change != nil {
		change(p)
	}
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	return template
}

// TestBlocks: rows without targets go with what shares their outputs.
func TestBlocks(t *testing.T) {
	want := []block{{[]int32{0}, []int32{0, 5}}, {[]int32{1}, []int32{1, 2}}, {nil, []int32{3, 4}}}
	assert.Equal(t, want, blocksOf(byHand(t, nil)), "blocks")
}

// TestStructure: programs are shared where nothing but names differs.
func TestStructure(t *testing.T) {
	base := structure(byHand(t, nil))
	if structure(byHand(t, func(p *hlmrf.Program) { p.Targets[0], p.Deep[0] = "a", "b" })) != base {
		t.Error("names make another program")
	}
	for what, change := range map[string]func(p *hlmrf.Program){
		"coefficients":        func(p *hlmrf.Program) { p.Potentials.Val[0] = 2 },
		"targets":             func(p *hlmrf.Program) { p.Potentials.Col[0] = 1 },
		"neural coefficients": func(p *hlmrf.Program) { p.Potentials.DeepVal[0] = 2 },
		"neural outputs":      func(p *hlmrf.Program) { p.Potentials.DeepCol[0] = 1 },
		"constants":           func(p *hlmrf.Program) { p.Potentials.Const[0] = 2 },
		"rules":               func(p *hlmrf.Program) { p.PotentialRule[5] = 0 },
		"powers":              func(p *hlmrf.Program) { p.Rules[0].Squared = false },
		"numbers of targets":  func(p *hlmrf.Program) { p.Targets = append(p.Targets, "y2") },
	} {
		if structure(byHand(t, change)) == base {
			t.Errorf("other %s make the same program", what)
		}
	}
}

// TestDigest: what a run learns from tells weights, rows, labels and features apart, and nothing else. What it validates by
// counts, too, and what it is tested on for the test alone.
func TestDigest(t *testing.T) {
	of := func(src string, files map[string]string, parts ...learning.Part) string {
		m, _ := open(t, write(t, src, files), "energy", nil)
		var b strings.Builder
		m.Digest(&b, parts...)
		return b.String()
	}
	digest := func(src string, files map[string]string) string {
		return of(src, files, learning.TrainPart, learning.ValidPart)
	}
	first := digest(tiny, tinyFiles)
	require.Equal(t, first, digest(tiny+"\n", tinyFiles))
	for old, with := range map[string]string{
		`[["c", 0]]`: `[["c", 1]]`, `["c", 1, 0.6]`: `["c", 1, 0.7]`, `0.5 * Q`: `0.6 * Q`, `["b", "c"]`: `["a", "c"]`,
	} {
		require.NotEqual(t, first, digest(replaced(t, old, with), tinyFiles), old)
	}
	const truth, end = `"truth": {"learn": [["a", 0, 1], ["a", 1, 0]], `, `"infer": [["a", 0], ["b", 0], ["c", 1]]`
	valid := replaced(t, truth, truth+`"validation": [["a", 0], ["b", 1]], `)
	require.NotEqual(t, digest(valid, tinyFiles), digest(strings.Replace(valid, `["b", 1]]`, `["b", 0]]`, 1), tinyFiles))
	other := replaced(t, end, `"infer": [["a", 1]]`)
	require.Equal(t, first, digest(other, tinyFiles))
	require.NotEqual(t, of(tiny, tinyFiles, learning.TestPart), of(other, tinyFiles, learning.TestPart))
	files := maps.Clone(tinyFiles)
	files["a.txt"] = strings.Replace(files["a.txt"], "0.25", "0.75", 1)
	require.NotEqual(t, first, digest(tiny, files))
}
