//go:build long

package citation

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/nn"
	"hinge/optim"
	"hinge/train/learning"
)

// TestCollapse measures, on Cora's split 0, what joint learning does to the outputs:
// the paper's energy loss alone makes the energy smaller by making all outputs blunt and
// alike; from completed labels, beside the likelihood of the known ones, they become
// sharp and stay different. Run it with -v for the figures of lab/docs/TRIALS.md.
func TestCollapse(t *testing.T) {
	root := os.Getenv("HINGE_DATA")
	if root == "" {
		t.Skip("needs Cora; set HINGE_DATA")
	}
	type state struct{ valid, network, sharp, largest, energy float64 }
	run := func(name string, change func(*Options)) (first, last state) {
		cfg := Defaults("cora", "energy", "best")
		change(OptionsOf(&cfg))
		m, err := Open(cfg, root)
		require.NoError(t, err)
		_, err = m.Pretrain(t.Context(), func(string) {})
		require.NoError(t, err)
		learn, err := optim.NewAdam(m.Params(), optim.AdamOptions{})
		require.NoError(t, err)
		look := func(step int) state {
			score, err := m.Evaluate(t.Context(), learning.ValidPart)
			require.NoError(t, err)
			g, err := m.outputs(m.net)
			require.NoError(t, err)
			s := state{valid: score.Accuracy, network: *score.Parts, energy: m.Inference().Result(0).DualValue / float64(m.sym.Papers)}
			count := make([]int, m.sym.Classes)
			for i := range m.sym.Papers {
				row := g[i*m.sym.Classes : (i+1)*m.sym.Classes]
				count[nn.Argmax(row)]++
				s.sharp += slices.Max(row) / float64(m.sym.Papers)
			}
			s.largest = float64(slices.Max(count)) / float64(m.sym.Papers)
			t.Logf("%s, step %2d: validation %.1f %%, its network %.1f %%, mean largest output %.2f, largest topic %.0f %% of the papers, energy a paper %.3f",
				name, step, 100*s.valid, 100*s.network, s.sharp, 100*s.largest, s.energy)
			return s
		}
		first = look(0)
		for step := range 20 {
			_, err := m.Gradient(learning.Step{Number: step, Temperature: 1}, []int{0})
			require.NoError(t, err)
			learn.Step(cfg.Neural.LearningRate)
			if step == 4 || step == 9 {
				look(step + 1)
			}
		}
		return first, look(20)
	}
	before, alone := run("energy alone", func(o *Options) { o.CompleteEvery, o.Supervised = 0, 0 })
	_, completed := run("completed labels", func(*Options) {})
	if alone.energy > before.energy || alone.sharp > before.sharp || alone.largest < before.largest || alone.network > before.network-0.05 {
		t.Errorf("energy alone: from %+v to %+v", before, alone)
	}
	if completed.sharp < before.sharp || completed.largest > before.largest+0.1 || completed.network < before.network-0.02 {
		t.Errorf("completed labels: from %+v to %+v", before, completed)
	}
}
