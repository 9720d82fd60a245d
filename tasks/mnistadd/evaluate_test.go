package mnistadd

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/learning"
)

// smallSplit is a split whose parts are short, each of a length of its own; the
// test needs more slots than are solved at once.
func smallSplit(t *testing.T, part *mnist.Part, digits int) *mnist.Split {
	t.Helper()
	s, err := mnist.NewSplit(part, digits, 12, 0)
	require.NoError(t, err)
	for _, c := range []struct {
		adds *mnist.Additions
		n    int
	}{{&s.Train, 4}, {&s.Valid, 5}, {&s.Test, 67}, {&s.More, 7}} {
		c.adds.Images, c.adds.Sums = c.adds.Images[:c.n*2*digits], c.adds.Sums[:c.n]
	}
	return s
}

// oddRules is a file with the rules of the task and five more: a 7 in the ones
// place follows from a 0 to 4 in one of the images, whatever the other shows. With
// them MAP inference and the sum of the most probable digits part ways.
func oddRules(t *testing.T, digits int) string {
	t.Helper()
	text := slices.Clone([][]byte{add1Rules, add2Rules}[digits-1])
	more := []string{
		"5: Addition(A, B) & Neural(A, '%d') -> SumPlace(A, B, '1', '7')\n",
		"5: Addition(A, B, C, D) & Neural(B, '%d') -> SumPlace(A, B, C, D, '1', '7')\n",
	}[digits-1]
	for x := range 5 {
		text = fmt.Appendf(text, more, x)
	}
	file := filepath.Join(t.TempDir(), "odd.psl")
	require.NoError(t, os.WriteFile(file, text, 0o644))
	return file
}

// sharpen changes the last layer of an untrained network, which answers nearly the
// same for all images, such that its logits differ between these images, with a
// standard deviation of spread.
func sharpen(t *testing.T, m *Model, adds *mnist.Additions, spread float64) {
	t.Helper()
	g, err := m.predict(adds.Images, 0)
	require.NoError(t, err)
	mean, square := make([]float64, 10), 0.0
	for i, v := range g {
		mean[i%10] += 10 * math.Log(float64(v)) / float64(len(g))
	}
	for i, v := range g {
		square += math.Pow(math.Log(float64(v))-mean[i%10], 2)
	}
	scale := spread / math.Sqrt(square/float64(len(g)))
	params := m.Net.Params().All()
	weight, bias := params[len(params)-2].Value, params[len(params)-1].Value
	for i := range weight {
		weight[i] *= float32(scale)
	}
	for x := range bias {
		bias[x] = float32(scale * (float64(bias[x]) - mean[x]))
	}
}

// mapAnswer solves the MAP problem in, with rules and weights in place, for the
// outputs g of one addition, by another method than the model's, and returns the sum
// with the largest ImageSum. clear reports whether no other is nearly as large.
func mapAnswer(t *testing.T, s *Symbolic, in *lcqp.Instance, g []float32) (answer mnist.Sum, clear bool) {
	t.Helper()
	deep := make([]float64, len(g))
	for i, v := range g {
		deep[i] = float64(v)
	}
	require.NoError(t, in.SetDeep(deep))
	var res infer.Result
	require.NoError(t, infer.Solve(in, nil, infer.Settings{Method: infer.InteriorPoint{}}, &res))
	if r := lcqp.Residuals(in, &res.Solution); !(r.Max() < 1e-6) {
		t.Fatalf("outside check: %+v", r)
	}
	var values []float64
	for _, i := range s.sums {
		values = append(values, res.Y[i])
	}
	answer = mnist.NewSum(slices.Index(values, slices.Max(values)), s.Digits)
	slices.Sort(values)
	return answer, values[len(values)-1]-values[len(values)-2] > 1e-2
}

// digitSum is the sum of the most probable digits.
func digitSum(g []float32, digits int) mnist.Sum {
	var numbers [2]int
	for i := range 2 * digits {
		row := g[10*i : 10*i+10]
		numbers[i/digits] = 10*numbers[i/digits] + slices.Index(row, slices.Max(row))
	}
	return mnist.NewSum(numbers[0]+numbers[1], digits)
}

// TestEvaluate: each part is answered on its own additions, the answers are those
// of MAP inference, also where the most probable digits have another sum, and the
// accuracy is the share of additions whose sum is the answer. The sums are set to
// the answers of MAP inference, found apart, but for every third, which is wrong.
func TestEvaluate(t *testing.T) {
	set, err := mnist.Load("")
	require.NoError(t, err)
	for _, digits := range []int{1, 2} {
		c := Defaults(digits, "sp", "best", 12)
		c.Task, c.Training.Batch, c.Neural.Views, c.Neural.Samples = fmt.Sprint("mnist-add", digits), 2, 0, 1
		small(&c)
		sym, err := NewSymbolic(digits, oddRules(t, digits))
		require.NoError(t, err)
		split := smallSplit(t, set.Train, digits)
		m, err := New(c, sym, set.Train, split)
		require.NoError(t, err)
		sharpen(t, m, &split.Test, 10)
		in, err := sym.Template.NewInstance(c.Symbolic.Epsilon)
		require.NoError(t, err)
		require.NoError(t, in.SetWeights(m.Weights()))
		unlike := 0
		for _, p := range []struct {
			part learning.Part
			adds *mnist.Additions
		}{
			{learning.TrainPart, &split.Train}, {learning.ValidPart, &split.Valid}, {learning.FinalValidPart, &split.Valid},
			{learning.TestPart, &split.Test}, {learning.MoreTestPart, &split.More},
		} {
			g, err := m.predict(p.adds.Images, 0)
			require.NoError(t, err)
			n, right := p.adds.Len(), 0
			answers, clear := make([]mnist.Sum, n), make([]bool, n)
			for a := range n {
				row := g[a*20*digits : (a+1)*20*digits]
				answers[a], clear[a] = mapAnswer(t, sym, in, row)
				p.adds.Sums[a] = nil
				if clear[a] && a%3 != 0 {
					p.adds.Sums[a] = answers[a]
					right++
					if !slices.Equal(digitSum(row, digits), answers[a]) {
						unlike++
					}
				}
			}
			score, err := m.Evaluate(t.Context(), p.part)
			require.NoError(t, err)
			if score.Examples != n || score.Accuracy != float64(right)/float64(n) {
				t.Errorf("Add%d, %s: accuracy %v of %d additions, want %d of %d", digits, p.part, score.Accuracy, score.Examples, right, n)
			}
			// Slots beyond the last addition do not count.
			if score.Solves != n || score.Unsolved != 0 {
				t.Errorf("Add%d, %s: %d solves, %d of them failed, want %d", digits, p.part, score.Solves, score.Unsolved, n)
			}
			digit := 0
			for i, image := range p.adds.Images {
				if row := g[10*i : 10*i+10]; slices.Index(row, slices.Max(row)) == set.Train.Label(int(image)) {
					digit++
				}
			}
			assert.Equalf(t, float64(digit)/float64(len(p.adds.Images)), *score.Parts, "Add%d, %s", digits, p.part)
		}
		assert.GreaterOrEqualf(t, unlike, 10, "Add%d", digits)
	}
}
