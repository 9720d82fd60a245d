package mnistadd

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/models/resnet18"
	"hinge/nn"
)

// TestPretrain: pre-training replaces the backbone and leaves the head. A second
// model, whose validation and test additions are others, gets the same bits from the
// cache: only the training images are learned from.
func TestPretrain(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	set, err := mnist.Load("")
	require.NoError(t, err)
	split := smallSplit(t, set.Train, 1)
	other := withOtherTest(t, set.Train, split)
	for _, s := range []*mnist.Split{split, other} {
		s.Train.Images, s.Train.Sums = s.Train.Images[:2], s.Train.Sums[:1]
		s.Test.Images, s.Test.Sums = s.Test.Images[:4], s.Test.Sums[:2]
		s.More = s.Test
	}
	other.Valid = other.Test
	c := baseline(t, "deepproblog", 1)
	OptionsOf(&c).Additions, OptionsOf(&c).Network, c.Training.Batch, c.Neural.Pretrain = 1, "", 1, "best"
	var kept [2][][]float32
	for k, split := range []*mnist.Split{split, other} {
		m, err := NewBaseline(c, set.Train, split)
		require.NoError(t, err)
		before := make(map[string][]float32)
		for _, p := range m.Net.Params().All() {
			before[p.Name] = slices.Clone(p.Value)
		}
		var notes []string
		seconds, err := m.Pretrain(context.Background(), func(line string) { notes = append(notes, line) })
		require.NoError(t, err)
		if seconds <= 0 || k == 1 && !strings.Contains(strings.Join(notes, "\n"), "cache") {
			t.Errorf("%v s, notes %q", seconds, notes)
		}
		for _, p := range m.Net.Params().All() {
			head := strings.HasPrefix(p.Name, "head.")
			if slices.Equal(before[p.Name], p.Value) != head {
				t.Errorf("%s: changed %v", p.Name, head)
			}
			kept[k] = append(kept[k], p.Value)
		}
	}
	for i := range kept[0] {
		require.Equalf(t, kept[1][i], kept[0][i], "parameter %d differs from run to run", i)
	}
}

// The backbone has the channels that are configured, in every weight of its stem.
func TestBackboneChannels(t *testing.T) {
	for channels, want := range map[int]int{0: 1, 1: 1, 3: 3} {
		c := Defaults(1, "energy", "paper", 300)
		c.Neural.Channels = channels
		net, err := nn.New([]int{mnist.Side, mnist.Side}, resnet18.Define[float32](backbone(&c)), rand.New(rand.NewPCG(1, 2)))
		require.NoError(t, err)
		for _, p := range net.Params().All() {
			if p.Name == "conv1.weight" && p.Shape[1] != want {
				t.Errorf("channels = %d: the stem is %v", channels, p.Shape)
			}
		}
	}
}
