package citation

import (
	"fmt"
	"hinge/nn"
)

// complete is self-training: it does for systems without rules what inference does for ours
// (see completion). Before epoch CompleteFrom and every CompleteEvery epochs from then on,
// papers without a known label get the system's topic as a label until the next time, if the
// system's belief in it is at least Decided. Only known labels are used.
func (f *fit) complete(epoch int) error {
	set := f.n.set
	if !f.n.selfTrained || epoch < set.CompleteFrom || (epoch-set.CompleteFrom)%set.CompleteEvery != 0 {
		return nil
	}
	if !f.n.coupled() {
		return fmt.Errorf("citation: a %s network sees no papers without labels to complete", set.Network)
	}
	answers, err := f.n.predict(nil)
	if err != nil {
		return err
	}
	classes := len(f.n.data.Graph.Classes)
	f.decided = make([]int, f.n.data.Graph.Nodes())
	for i := range f.decided {
		row := answers[i*classes : (i+1)*classes]
		f.decided[i] = nn.Argmax(row)
		if float64(row[f.decided[i]]) < set.Decided || f.balance[i] != 0 {
			f.decided[i] = undecided
		}
	}
	return nil
}

// addDecided adds the completed labels to the known ones. If all papers were decided, they
// would weigh Completed times as much as the known ones together.
func (f *fit) addDecided(g *fitGraph) {
	if f.decided == nil {
		return
	}
	share := float32(f.n.set.Completed * float64(len(f.papers)) / float64(len(f.decided)-len(f.papers)))
	for i, topic := range f.decided {
		if topic != undecided {
			g.labels[i], g.weights[i] = topic, share
		}
	}
}
