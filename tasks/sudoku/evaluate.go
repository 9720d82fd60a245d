package sudoku

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/learning"
)

// judged is a board by the energy of calling it valid, and whether it is.
type judged struct {
	energy float64
	valid  bool
}

// Evaluate implements learning.Model: a board is held for valid if the energy of that is at
// most the threshold that is right most often on the validation boards.
func (m *Model) Evaluate(_ context.Context, part learning.Part) (learning.Score, error) {
	start := time.Now()
	if m.boards.Len(part) == 0 || part == learning.TrainPart {
		return learning.Score{}, fmt.Errorf("sudoku: there is nothing to judge in part %q", part)
	}
	g, list, work, err := m.judge(part)
	if err != nil {
		return learning.Score{}, err
	}
	known := list
	if part != learning.ValidPart {
		var more bilevel.Stats
		if _, known, more, err = m.judge(learning.ValidPart); err != nil {
			return learning.Score{}, err
		}
		work.Add(more)
	}
	right, n := 0, len(list)
	most := threshold(known)
	for _, j := range list {
		if (j.energy <= most) == j.valid {
			right++
		}
	}
	m.auroc[learning.ValidPart], m.auroc[part] = auroc(known), auroc(list)
	s := learning.Score{
		Accuracy: float64(right) / float64(n), Examples: n,
		Work: learning.SolverWork(work, time.Since(start).Seconds()),
	}
	side := m.split.Train.Side
	if part == learning.TestPart {
		m.last = tested{g, list, most}
	}
	m.rows.Judge(part, nil, side*side, g, n, &s)
	s.Parts = new(m.agreement(part, g))
	return s, nil
}

func (m *Model) Report(context.Context) (map[string]float64, error) {
	return map[string]float64{ReportAUROC: m.auroc[learning.TestPart], ReportValidAUROC: m.auroc[learning.ValidPart]}, nil
}

// Names of the figures of Model.Report: the areas under the curve on test and validation.
const (
	ReportAUROC      = "auroc"
	ReportValidAUROC = "validation_auroc"
)

// judge returns the network's outputs for the boards of a part, their energies, and the work of these.
func (m *Model) judge(part learning.Part) (g []float32, list []judged, work bilevel.Stats, err error) {
	of := m.of(part)
	n, cells := of.Len(), of.Side*of.Side
	if g, err = m.Forward(m.boards.Inputs(part, learning.All(n)), n*cells, m.cfg.Neural.TestTemperature); err != nil {
		return nil, nil, work, err
	}
	valid := func(_ int, in *lcqp.Instance) error { return m.boards.Label(0, in) }
	work, err = m.cost.Each(m.Weights(), nn.Widen(g), n, valid, func(board int, r *infer.Result) {
		list = append(list, judged{r.Energy, of.Valid(board)})
	})
	return g, list, work, err
}

// threshold returns the energy that parts valid boards from others with the fewest
// mistakes: midway between two boards, the lowest such.
func threshold(list []judged) float64 {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b judged) int { return cmp.Compare(a.energy, b.energy) })
	best, lead, at := 0, 0, 0 // lead is how many more valid boards than others there are so far
	for i, j := range list {
		lead--
		if j.valid {
			lead += 2
		}
		if lead > best && (i+1 == len(list) || list[i+1].energy > j.energy) {
			best, at = lead, i+1
		}
	}
	switch at {
	case 0:
		return list[0].energy - 1
	case len(list):
		return list[at-1].energy
	}
	return (list[at-1].energy + list[at].energy) / 2
}

// auroc is the share of the pairs of a valid and an invalid board in which the valid one
// has the lower energy; a tie counts half. Energies that agree to 1e-6 are a tie.
func auroc(list []judged) float64 {
	wins, pairs := 0.0, 0.0
	for _, a := range list {
		for _, b := range list {
			if !a.valid || b.valid {
				continue
			}
			pairs++
			switch d := b.energy - a.energy; {
			case d > 1e-6:
				wins++
			case d >= -1e-6:
				wins += 0.5
			}
		}
	}
	return wins / pairs
}

// agreement is the share of images whose most probable class is one that shows their
// digit more often than any other.
func (m *Model) agreement(part learning.Part, g []float32) float64 {
	side, images := m.split.Train.Side, m.cells(part, learning.All(m.boards.Len(part)))
	counts := make([][]int, side)
	for class := range counts {
		counts[class] = make([]int, side)
	}
	for i, image := range images {
		counts[nn.Argmax(g[i*side:][:side])][m.images.Label(int(image))]++
	}
	right := 0
	for _, digits := range counts {
		right += slices.Max(digits)
	}
	return float64(right) / float64(len(images))
}

var (
	_ learning.Model    = (*Model)(nil)
	_ learning.Reporter = (*Model)(nil)
)
