package mnistadd

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/models/mlp"
	"hinge/nn"
	"hinge/train/config"
	"hinge/train/half"
)

// pairingModel is an untrained model of three-digit numbers with a LeNet.
func pairingModel(t *testing.T, change func(*config.Config)) *Model {
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
	m := pairingModel(t, func(*config.Config) {})
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
	got, err := pairingModel(t, func(*config.Config) {}).Report(t.Context())
	if want := map[string]float64{PairingsFigure(3): 0, PairingsFigure(4): 0}; err != nil || !maps.Equal(got, want) {
		t.Errorf("untrained: %v, %v", got, err)
	}
	got, err = pairingModel(t, func(c *config.Config) { OptionsOf(c).Pairings, OptionsOf(c).Lengths = 0, nil }).Report(t.Context())
	if got != nil || err != nil {
		t.Errorf("not asked for: %v, %v", got, err)
	}
}

// TestReportShares: the figures are the shares of right sums of the test images, read with their
// views, one of which is misread. A picture of the digit d has two bright columns of which the
// network takes d + 1, and takes d, with more certainty, of the picture turned around, as its one
// view shows it. Training images are blank.
func TestReportShares(t *testing.T) {
	m := pairingModel(t, func(*config.Config) {})
	const count, test = mnist.TrainSize + 24, mnist.TrainSize
	pixels, labels := make([]uint8, count*mnist.Pixels), make([]uint8, count)
	net, err := nn.New([]int{mnist.Pixels}, nn.Heads(mlp.Define[float32]("fc", mlp.Config{Out: mnist.Classes}), []nn.Head{{To: mnist.Classes}}, nn.Sampling{}, nil), rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	weight := net.Params().All()[0].Value // [pixels][classes]
	clear(weight)
	at := func(d int) (places []int) {
		for y := 4; y < 8; y++ {
			places = append(places, y*mnist.Side+4+2*d, y*mnist.Side+5+2*d)
		}
		return places
	}
	for d := range mnist.Classes {
		for _, i := range at(d) {
			weight[i*mnist.Classes+(d+1)%mnist.Classes] = 0.25
			weight[(mnist.Pixels-1-i)*mnist.Classes+d] = 3
		}
	}
	var images []int32
	for i := range labels {
		labels[i] = 9
		if i >= test {
			labels[i] = uint8(3 * i % mnist.Classes)
			for _, k := range at(int(labels[i])) {
				pixels[i*mnist.Pixels+k] = 255
			}
			images = append(images, int32(i))
		}
	}
	labels[test+5] = (labels[test+5] + 4) % mnist.Classes
	m.part, err = mnist.NewPart(pixels, labels)
	require.NoError(t, err)
	m.viewer, err = mnist.NewAugmenter(mnist.Settings{Turn: 180}, 1)
	require.NoError(t, err)
	m.network = &half.Network{Net: net}
	m.split.Test.Images = images
	// Two pairings of four and of three sums, of which each has one with the image.
	want := map[string]float64{PairingsFigure(3): 6. / 8, PairingsFigure(4): 4. / 6}
	got, err := m.Report(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
	// Of the full size, all images of the test part.
	OptionsOf(&m.reader.cfg).Additions, m.split.Test.Images = mnist.FullSize(3), images[:6]
	got, err = m.Report(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// TestPairingsDiffer: a pairing uses each image once, and two are not alike.
func TestPairingsDiffer(t *testing.T) {
	m := pairingModel(t, func(*config.Config) {})
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
