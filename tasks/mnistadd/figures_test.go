package mnistadd

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/symbolic/evaluate"
	"hinge/train/learning"
)

// TestShow: the confusion counts every test image, and the additions that were
// answered wrong come first.
func TestShow(t *testing.T) {
	const images = 60
	labels := make([]uint8, images)
	adds := &mnist.Additions{Digits: 1}
	for i := range labels {
		labels[i] = uint8(i % 10)
		adds.Images = append(adds.Images, int32(i))
	}
	outputs := make([]float32, 10*images)
	var answers []mnist.Sum
	for a := range images / 2 {
		x, y := int(labels[2*a]), int(labels[2*a+1])
		adds.Sums = append(adds.Sums, mnist.NewSum(x+y, 1))
		answers = append(answers, mnist.NewSum(x+y, 1))
		outputs[20*a+x], outputs[20*a+10+y] = 1, 1
	}
	// Addition 7 shows 4 and 5; 4 is read as a 9.
	outputs[140+4], outputs[140+9], answers[7] = 0, 1, mnist.Sum{4, 1}
	part, err := mnist.NewPart(make([]uint8, images*mnist.Pixels), labels)
	require.NoError(t, err)
	m := &Baseline{reader: &reader{part: part, group: 1, split: &mnist.Split{Digits: 1, Valid: *adds, Test: *adds}}}
	var score learning.Score
	m.rows.Judge(learning.ValidPart, m.Class, 2, outputs, images/2, &score)
	if got, err := m.Show(); got != nil || err != nil {
		t.Errorf("%v before any test, %v", got, err)
	}
	m.rows.Judge(learning.TestPart, m.Class, 2, outputs, images/2, &score)
	if *score.Parts != (images-1.)/images || *score.Entropy != 0 {
		t.Errorf("%v of the digits are right, entropy %v", score.Parts, score.Entropy)
	}
	m.last = tested{adds, outputs, answers}
	got, err := m.Show()
	require.NoError(t, err)
	for digit, row := range got.Confusions[0].Counts {
		for read, n := range row {
			want := 0
			switch {
			case digit == read:
				want = images / 10
				if digit == 4 {
					want--
				}
			case digit == 4 && read == 9:
				want = 1
			}
			assert.Equalf(t, want, n, "%d read as %d", digit, read)
		}
	}
	if bins := got.Calibrations[0].Bins; len(bins) != 1 || bins[0] != (evaluate.Bin{Count: images, Belief: 1, Right: *score.Parts}) {
		t.Errorf("calibration %v", bins)
	}
	if got.Examples != images/2 || got.Wrong != 1 || len(got.Cases) != 24 {
		t.Errorf("%d cases, %d wrong of %d", len(got.Cases), got.Wrong, got.Examples)
	}
	c := got.Cases[0]
	if c.Read != "9 + 5" || c.Answer != "14" || c.Truth != "9" || c.Right || *c.Belief != 0 || c.Name != "addition 7" || len(c.Pictures) != 2 {
		t.Errorf("the worst case is %+v", c)
	}
	picture, err := png.Decode(bytes.NewReader(c.Pictures[0]))
	if err != nil || picture.Bounds().Dx() != mnist.Side || picture.At(0, 0) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("picture %v, %v", picture, err)
	}
}
