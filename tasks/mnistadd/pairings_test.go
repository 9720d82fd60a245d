package mnistadd

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train"
)

// pairingModel is an untrained model of three-digit numbers with a LeNet.
func pairingModel(t *testing.T, change func(*train.Config)) *Model {
	t.Helper()
	set, err := mnist.Load("")
	require.NoError(t, err)
	c := SystemDefaults("", "mnist-add3", ChainLoss, "best", 4)
	o := OptionsOf(&c)
	o.Network, o.Pairings, o.Lengths, c.Neural.Views, c.Training.Batch = "lenet", 2, []int{4}, 1, 2
	change(&c)
	require.NoError(t, c.Validate())
	sym, err := NewSymbolic(3, "")
	require.NoError(t, err)
	split := smallSplit(t, set.Train, 3)
	m, err := New(c, sym, set.Train, split)
	require.NoError(t, err)
	return m
}

// TestPairings: with outputs that name the digits all sums are right, whatever their
// length; one image that is misread spoils the one sum of each pairing that it is in.
func TestPairings(t *testing.T) {
	m := pairingModel(t, func(*train.Config) {})
	images := m.split.Test.Images[:30]
	g := make(map[int32][]float64)
	for _, i := range images {
		g[i] = make([]float64, mnist.Classes)
		g[i][m.part.Label(int(i))] = 1
	}
	check := func(digits, right int) {
		t.Helper()
		got, n, err := m.pairings(g, images, digits, 2)
		if want := 2 * (len(images) / (2 * digits)); err != nil || n != want || got != right {
			t.Errorf("%d of %d sums of %d-digit numbers are right, want %d of %d: %v", got, n, digits, right, want, err)
		}
	}
	check(3, 10)
	check(5, 6)
	row := g[images[7]]
	row[m.part.Label(int(images[7]))] = 0
	row[(m.part.Label(int(images[7]))+1)%mnist.Classes] = 1
	check(3, 8)
	check(5, 4)
}

// TestReport: figures for the task's own length and the others asked for, and none
// where none is.
func TestReport(t *testing.T) {
	got, err := pairingModel(t, func(*train.Config) {}).Report()
	if want := map[string]float64{PairingsFigure(3): 0, PairingsFigure(4): 0}; err != nil || !maps.Equal(got, want) {
		t.Errorf("untrained: %v, %v", got, err)
	}
	got, err = pairingModel(t, func(c *train.Config) { OptionsOf(c).Pairings, OptionsOf(c).Lengths = 0, nil }).Report()
	if got != nil || err != nil {
		t.Errorf("not asked for: %v, %v", got, err)
	}
}

// TestPairingsDiffer: a pairing uses each image once, and two are not alike.
func TestPairingsDiffer(t *testing.T) {
	m := pairingModel(t, func(*train.Config) {})
	images := m.split.Test.Images[:66]
	seen := make(map[int32]bool)
	a, b := mnist.Pairing(m.part, images, 3, 0), mnist.Pairing(m.part, images, 3, 1)
	for _, i := range a.Images {
		seen[i] = true
	}
	if len(seen) != 66 || a.Len() != 11 || a.Images[0] == b.Images[0] && a.Images[1] == b.Images[1] {
		t.Errorf("%d images in %d additions; %v and %v", len(seen), a.Len(), a.Images, b.Images)
	}
}
