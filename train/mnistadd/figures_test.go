package mnistadd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hinge/data/mnist"
	"hinge/train"
)

// TestDraw: the confusion counts every test image, and the sheet puts the
// additions that were answered wrong first.
func TestDraw(t *testing.T) {
	const images = 60
	labels := make([]uint8, images)
	adds := &mnist.Additions{Digits: 1}
	for i := range labels {
		labels[i] = uint8(i % 10)
		adds.Images = append(adds.Images, int32(i))
	}
	outputs := make([]float32, 10*images)
	var answers []int64
	for a := range images / 2 {
		x, y := int64(labels[2*a]), int64(labels[2*a+1])
		adds.Sums = append(adds.Sums, x+y)
		answers = append(answers, x+y)
		outputs[20*a+int(x)], outputs[20*a+10+int(y)] = 1, 1
	}
	// Addition 7 shows 4 and 5; 4 is read as a 9.
	outputs[140+4], outputs[140+9], answers[7] = 0, 1, 14
	part, err := mnist.NewPart(make([]uint8, images*mnist.Pixels), labels)
	if err != nil {
		t.Fatal(err)
	}
	const confusionFile = "confusion.svg"
	m := &Baseline{reader: &reader{part: part, group: 1, split: &mnist.Split{Valid: *adds, Test: *adds}}}
	dir := t.TempDir()
	var score train.Score
	m.rows.Judge(train.ValidPart, m.reader, 2, outputs, images/2, &score)
	if err := m.Draw(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{confusionFile, worstFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s before any test", name)
		}
	}
	m.rows.Judge(train.TestPart, m.reader, 2, outputs, images/2, &score)
	if score.Parts != (images-1.)/images || score.Entropy != 0 {
		t.Errorf("%v of the digits are right, entropy %v", score.Parts, score.Entropy)
	}
	m.last = tested{adds, outputs, answers}
	if err := m.Draw(dir); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if n := strings.Count(read(confusionFile), ">6</text>"); n != 9+2 { // nine digits, and twice the label 6
		t.Errorf("%d entries of 6 in the confusion matrix, want 11", n)
	}
	worst := read(worstFile)
	if first := strings.Index(worst, "read "); !strings.HasPrefix(worst[first:], "read 9 + 5, answer 14, is 9") {
		t.Errorf("the sheet begins with %.40q", worst[first:])
	}
	if n := strings.Count(worst, "<image"); n != 2*worstAdditions {
		t.Errorf("%d images on the sheet", n)
	}
}
