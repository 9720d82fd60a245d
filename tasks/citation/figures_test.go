package citation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/nn"
	"hinge/train"
	"hinge/train/mapstate"
)

// TestShow: confusions, calibrations and cases are of the last test, and what a case
// says of a paper is what the program says.
func TestShow(t *testing.T) {
	m := smallModel(t, "energy", "best")
	res, err := train.Run(context.Background(), m.cfg, m, train.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	y := slices.Clone(m.Inference().Result(0).Y)
	network, err := m.outputs(m.net)
	require.NoError(t, err)
	s, err := m.Show()
	require.NoError(t, err)
	test := m.data.Split.Test
	if s.Examples != len(test) || float64(s.Examples-s.Wrong)/float64(s.Examples) != res.TestAccuracy || len(s.Cases) != 24 {
		t.Errorf("%d of %d wrong, %d shown; the accuracy is %v", s.Wrong, s.Examples, len(s.Cases), res.TestAccuracy)
	}
	for i, right := range []float64{*res.TestParts, res.TestAccuracy} {
		c, all, diagonal := s.Confusions[i], 0, 0
		for truth, row := range c.Counts {
			for answer, n := range row {
				all += n
				if truth == answer {
					diagonal += n
				}
			}
		}
		if all != len(test) || float64(diagonal)/float64(all) != right {
			t.Errorf("%s: %d of %d on the diagonal, want %v of %d", c.Name, diagonal, all, right, len(test))
		}
		sum := 0
		for _, b := range s.Calibrations[i].Bins {
			sum += b.Count
		}
		assert.Equal(t, len(test), sum, "calibration")
	}
	graph := m.data.Graph
	n := len(graph.Classes)
	for i, c := range s.Cases {
		paper := slices.Index(graph.IDs, strings.TrimPrefix(c.Name, "paper "))
		first := paper * n
		if !slices.Contains(test, paper) || c.Truth != graph.Classes[graph.Labels[paper]] ||
			c.Answer != graph.Classes[nn.Argmax(y[first:first+n])] || c.Read != graph.Classes[nn.Argmax(network[first:first+n])] ||
			c.Right != (c.Answer == c.Truth) || c.Right != (i >= s.Wrong) {
			t.Fatalf("case %d: %+v", i, c)
		}
		assert.Equalf(t, map[bool]int{true: 1, false: 2}[c.Right], len(c.Values), "%s: values %v", c.Name, c.Values)
		for _, b := range c.BrokenRules {
			if !slices.ContainsFunc(b.Atoms, func(a mapstate.AtomValue) bool { return strings.Contains(a.Atom, graph.IDs[paper]) }) {
				t.Errorf("%s: a rule about other papers: %+v", c.Name, b)
			}
		}
	}
	// The energies of all targets, one paper after the other, miss no rule and count
	// those about two papers twice: all at once they are the energy of the program.
	whole := mapstate.ExplainTargets(m.sym.Template, y, m.Weights(), network, nil)
	if want := m.sym.Template.Program().Energy(y, network, m.Weights()); math.Abs(whole.Energy-want) > 1e-9*want {
		t.Errorf("energy %v, want %v", whole.Energy, want)
	}
}
