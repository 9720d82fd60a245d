package mnistadd

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hinge/data/mnist"
	"hinge/train"
)

// withOtherTest is a split with the training and validation additions of s, and
// tests of other images with wrong sums.
func withOtherTest(t *testing.T, part *mnist.Part, s *mnist.Split) *mnist.Split {
	t.Helper()
	other := smallSplit(t, part, s.Digits)
	for _, c := range []struct{ to, from *mnist.Additions }{{&other.Test, &s.Test}, {&other.More, &s.More}} {
		c.to.Images, c.to.Sums = slices.Clone(c.from.Images), slices.Clone(c.from.Sums)
		for i := range c.to.Images {
			c.to.Images[i] = (c.to.Images[i] + 1) % int32(part.Len())
		}
		for i := range c.to.Sums {
			c.to.Sums[i] = mnist.NewSum(c.to.Sums[i].Int()+1, s.Digits)
		}
	}
	return other
}

// TestTestUnseen: a run with other test additions, images and sums, ends with the
// same checkpoint, bit for bit, and the same metrics but for those of the tests.
func TestTestUnseen(t *testing.T) {
	set, err := mnist.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"energy", "bce", "deepproblog"} {
		var dirs [2]string
		split := smallSplit(t, set.Train, 1)
		for k, split := range []*mnist.Split{split, withOtherTest(t, set.Train, split)} {
			c := Defaults(1, "energy", "best", split.Train.Len())
			if system == "bce" {
				c = Defaults(1, "bce", "best", split.Train.Len())
			}
			c.Task, c.Neural.Views, c.Neural.Samples = "mnist-add1", 0, min(c.Neural.Samples, 2)
			if system == "deepproblog" {
				UseSystem(&c, system, 1)
			}
			c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Training.ValidEvery = 0, 4, 2, 2
			c.Training.LastWeights = false
			var m train.Model
			if c.NeuPSL() {
				sym, err := NewSymbolic(1, "")
				if err != nil {
					t.Fatal(err)
				}
				m, err = New(c, sym, set.Train, split)
				if err != nil {
					t.Fatal(err)
				}
			} else if m, err = NewBaseline(c, set.Train, split); err != nil {
				t.Fatal(err)
			}
			dirs[k] = filepath.Join(t.TempDir(), fmt.Sprint(k))
			if _, err := train.Run(context.Background(), c, m, train.Options{Dir: dirs[k]}); err != nil {
				t.Fatal(err)
			}
		}
		a, b := newest(t, dirs[0]), newest(t, dirs[1])
		sameTensors(t, system, a, b)
		var lines [2][]string
		for k, dir := range dirs {
			for line := range strings.Lines(readMetrics(t, dir)) {
				if !strings.Contains(line, `"split":"test`) {
					lines[k] = append(lines[k], line)
				}
			}
		}
		if len(lines[0]) != 4+2 || !slices.Equal(lines[0], lines[1]) {
			t.Errorf("%s: metrics of training and validation\n%s\nwith other test additions\n%s", system, lines[0], lines[1])
		}
	}
}
