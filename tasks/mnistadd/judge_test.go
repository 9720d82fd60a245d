package mnistadd

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train"
	"hinge/train/learning"
)

// cut keeps the first n additions.
func cut(a *mnist.Additions, n int) {
	a.Images, a.Sums = a.Images[:2*a.Digits*n], a.Sums[:n]
}

// TestFreshTest: the fresh test is MNIST's own test part, and the final weights are
// judged on it.
func TestFreshTest(t *testing.T) {
	set, err := mnist.Load("")
	require.NoError(t, err)
	c := baseline(t, "deepproblog", 2)
	c.Training.FreshTest = true
	model, err := Open(c, 2, "")
	require.NoError(t, err)
	m := model.(*Baseline)
	assert.Equal(t, 2500, m.Examples(learning.FreshTestPart))
	for i, image := range m.split.Fresh.Images {
		k := int(image) - mnist.TrainSize
		if k < 0 || !bytes.Equal(m.part.Raw(int(image)), set.Test.Raw(k)) || m.part.Label(int(image)) != set.Test.Label(k) {
			t.Fatalf("image %d of the fresh test is no image of MNIST's test part", i)
		}
	}
	for part, want := range map[learning.Part]*mnist.Additions{
		learning.TestPart: &m.split.Test, learning.MoreTestPart: &m.split.More, learning.MoreValidPart: &m.split.More, learning.FreshTestPart: &m.split.Fresh,
	} {
		if m.of(part) != want {
			t.Errorf("part %s has additions of another one", part)
		}
	}
	cut(&m.split.Valid, 4)
	cut(&m.split.Test, 4)
	cut(&m.split.Fresh, 8)
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	if err != nil || res.FreshExamples != 8 || res.TestExamples != 4 {
		t.Fatalf("%d fresh and %d test additions, %v", res.FreshExamples, res.TestExamples, err)
	}
	want, err := m.Evaluate(t.Context(), learning.FreshTestPart)
	if err != nil || res.FreshAccuracy != want.Accuracy || *res.FreshParts != *want.Parts {
		t.Errorf("%v and %v of the digits, want %v and %v; %v", res.FreshAccuracy, res.FreshParts, want.Accuracy, want.Parts, err)
	}
}

// TestNoTestLooksAway: a run that settings are chosen by ends well although every
// test image, of the protocol and fresh, would end the program if it were looked at.
func TestNoTestLooksAway(t *testing.T) {
	for _, system := range []string{"deepproblog", ""} {
		c := baseline(t, "deepproblog", 1)
		if system == "" {
			c = Defaults(1, "sp", "best", 12)
			c.Task = "mnist-add1"
			c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Neural.Views = 0, 2, 4, 0
			small(&c)
		}
		c.Training.NoTest, c.Training.MoreTest = true, true
		model, err := Open(c, 1, "")
		require.NoError(t, err)
		r := readerOf(model)
		cut(&r.split.Valid, 4)
		cut(&r.split.More, 6)
		for _, a := range []*mnist.Additions{&r.split.Test, &r.split.Fresh} {
			for i := range a.Images {
				a.Images[i] = math.MaxInt32 // no such image
			}
			a.Sums = nil
		}
		res, err := train.Run(context.Background(), c, model, train.Options{Dir: t.TempDir()})
		if err != nil || res.TestExamples != 0 || res.MoreValidExamples != 6 {
			t.Errorf("%q: %d test additions, %d of a further validation, %v", system, res.TestExamples, res.MoreValidExamples, err)
		}
	}
}
