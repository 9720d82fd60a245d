package onnxnet

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/nn"
)

// TestBatchAsNumber: a network that computes with the size of its batch is refused, one that
// has it in shapes alone, or computes with another size, is not: by hand.
func TestBatchAsNumber(t *testing.T) {
	size := []*node{of("Shape", "s", []string{"x"}), of("Gather", "n", []string{"s", "first"})}
	weights := []*tensor{list("first", 0), list("second", 1), list("two", 2), list("wide", 4, -1), list("back", -1, 2), number("k", 2),
		{name: "table", shape: []int{9, 2}, kind: kindFloat, floats: make([]float32, 18)}, list("zero", 0), list("one", 1),
		{name: "row", shape: []int{1, 2}, kind: kindFloat, floats: make([]float32, 2)}}
	for name, i := range map[string]int{"z": 0, "o": 1} {
		weights = append(weights, &tensor{name: name, kind: kindInt64, doubles: []float64{float64(i)}})
	}
	asFloat := append(slices.Clip(size), of("Cast", "f", []string{"n"}, "to", kindFloat))
	long := append(slices.Clip(size), of("Concat", "t", []string{"n", "two"}, "axis", 0))
	zeros := append(slices.Clip(long), of("ConstantOfShape", "c", []string{"t"}))
	const along = "it works along axis 0 of the shape [2 2], that of the examples"
	const counts, moves = "it reads numbers that depend on the size of the batch", "with the examples elsewhere in another batch"
	for name, c := range map[string]struct {
		nodes []*node
		want  string
	}{
		"by the batch":       {append(slices.Clip(asFloat), of("Div", "y", []string{"x", "f"})), counts},
		"by all sizes":       {[]*node{of("Size", "n", []string{"x"}), of("Cast", "f", []string{"n"}, "to", kindFloat), of("Mul", "y", []string{"x", "f"})}, counts},
		"a row of the count": {append(slices.Clip(size), of("Squeeze", "m", []string{"n"}), of("Gather", "r", []string{"table", "m"}), of("Add", "y", []string{"x", "r"})), counts},
		"numbers in a row":   {append(slices.Clip(size), of("Squeeze", "m", []string{"n"}), of("Range", "i", []string{"z", "m", "o"}), of("Gather", "r", []string{"table", "i"}), of("Add", "y", []string{"x", "r"})), counts},
		"as often as rows":   {append(slices.Clip(size), of("Concat", "t", []string{"n", "n", "two"}, "axis", 0), of("Unsqueeze", "u", []string{"x", "second"}), of("Expand", "e", []string{"u", "t"}), of("ReduceSum", "y", []string{"e", "second"}, "keepdims", 0)), counts},
		"up to the count":    {append(slices.Clip(size), of("Slice", "y", []string{"x", "zero", "n", "one"})), counts},
		"four rows":          {[]*node{of("Reshape", "u", []string{"x", "wide"}), of("Softmax", "v", []string{"u"}), of("Reshape", "y", []string{"v", "back"})}, moves},
		"a row for each":     {append(slices.Clip(size), of("Concat", "t", []string{"n", "one"}, "axis", 0), of("Tile", "r", []string{"row", "t"}), of("Add", "y", []string{"x", "r"})), ""},
		"columns by rows":    {append(slices.Clip(size), of("Concat", "t", []string{"one", "n"}, "axis", 0), of("Tile", "r", []string{"row", "t"}), of("ReduceSum", "u", []string{"r", "second"}), of("Add", "y", []string{"x", "u"})), counts},
		"a sum over rows":    {append(slices.Clip(zeros), of("Exp", "e", []string{"c"}), of("ReduceSum", "r", []string{"e"}, "keepdims", 0), of("Mul", "y", []string{"x", "r"})), along},
		"a share of rows":    {append(slices.Clip(zeros), of("Softmax", "r", []string{"c"}, "axis", 0), of("Mul", "y", []string{"x", "r"})), along},
		"repeated rows":      {append(slices.Clip(long), of("Expand", "e", []string{"row", "t"}), of("ReduceSum", "r", []string{"e", "zero"}), of("Add", "y", []string{"x", "r"})), along},
		"tiled rows":         {append(slices.Clip(size), of("Concat", "t", []string{"n", "one"}, "axis", 0), of("Tile", "e", []string{"row", "t"}), of("ReduceSum", "r", []string{"e", "zero"}), of("Add", "y", []string{"x", "r"})), along},
		"rows of a table":    {append(slices.Clip(size), of("ConstantOfShape", "c", []string{"n"}), of("Cast", "i", []string{"c"}, "to", kindInt64), of("Gather", "e", []string{"table", "i"}), of("ReduceSum", "r", []string{"e", "zero"}), of("Add", "y", []string{"x", "r"})), along},
		"a count of a count": {append(slices.Clip(zeros), of("Shape", "u", []string{"c"}), of("Gather", "v", []string{"u", "first"}), of("Cast", "g", []string{"v"}, "to", kindFloat), of("Mul", "y", []string{"x", "g"})), counts},
		"ones by rows":       {append(slices.Clip(zeros), of("Exp", "e", []string{"c"}), of("Mul", "y", []string{"x", "e"})), ""},
		"a row by rows":      {append(slices.Clip(long), of("Expand", "e", []string{"row", "t"}), of("Add", "y", []string{"x", "e"})), ""},
		"a table by rows":    {append(slices.Clip(size), of("ConstantOfShape", "c", []string{"n"}), of("Cast", "i", []string{"c"}, "to", kindInt64), of("Gather", "e", []string{"table", "i"}), of("Add", "y", []string{"x", "e"})), ""},
		"all rows":           {append(slices.Clip(size), of("Slice", "y", []string{"x", "zero", "n", "zero"})), ""},
		"as many as rows":    {append(slices.Clip(size), of("Concat", "t", []string{"n", "one", "two"}, "axis", 0), of("Unsqueeze", "u", []string{"x", "second"}), of("Expand", "e", []string{"u", "t"}), of("Squeeze", "y", []string{"e", "second"})), ""},
		"a view":             {append(slices.Clip(size), of("Concat", "t", []string{"n", "one", "two"}, "axis", 0), of("Reshape", "u", []string{"x", "t"}), of("Squeeze", "y", []string{"u", "one"})), ""},
		"by the columns":     {[]*node{of("Shape", "s", []string{"x"}), of("Gather", "n", []string{"s", "second"}), of("Cast", "f", []string{"n"}, "to", kindFloat), of("Sub", "g", []string{"f", "k"}), of("Add", "y", []string{"x", "g"})}, ""},
		"a count by itself":  {append(slices.Clip(asFloat), of("Div", "g", []string{"f", "f"}), of("Mul", "y", []string{"x", "g"})), ""},
	} {
		f, err := small(17, []int{2}, weights, c.nodes...)
		require.NoError(t, err, name)
		_, err = nn.New([]int{2}, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
		if c.want != "" {
			require.ErrorContains(t, err, c.want, name)
			continue
		}
		require.NoError(t, err, name)
		x := []float64{1, 2, 3, 4, 5, 6}
		assert.Equal(t, x, answer(t, f, 3, x...), name)
	}
}

// TestRoom: a small file does not ask for more memory than there is, or forever: a number that no
// shape can hold, or a range to no number, is refused before anything is made of it.
func TestRoom(t *testing.T) {
	weights := []*tensor{list("far", 0, 1<<40, 0, 1<<40), list("cut", 0, -1<<62, 0, 0), list("huge", 1, 1<<62), list("over", 1<<40, 1<<40), list("sizes", 1, 1<<50),
		number("zero", 0), number("one", 1), number("nan", float32(math.NaN())), number("inf", float32(math.Inf(1)))}
	for want, nodes := range map[string][]*node{
		"an array of the shape [1099511627776]":               {of("Pad", "y", []string{"x", "far"})},
		"an array of the shape [4611686018427387904]":         {of("Pad", "y", []string{"x", "cut"})},
		"an array of the shape [4 4611686018427387904]":       {of("Tile", "y", []string{"x", "huge"})},
		"an array of the shape [2 1125899906842624]":          {of("Resize", "y", []string{"x", "", "", "sizes"}, "mode", "linear")},
		"an array of the shape [1099511627776 1099511627776]": {of("ConstantOfShape", "c", []string{"over"}), of("Add", "y", []string{"x", "c"})},
		"Range":                         {of("Range", "r", []string{"zero", "nan", "one"}), of("Add", "y", []string{"x", "r"})},
		"the Range (Range): its bounds": {of("Range", "r", []string{"zero", "one", "inf"}), of("Add", "y", []string{"x", "r"})},
	} {
		f, err := small(18, []int{2}, weights, nodes...)
		require.NoError(t, err, want)
		_, err = nn.New([]int{2}, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
		require.ErrorContains(t, err, want)
	}
}
