package citation

import (
	"slices"

	"hinge/nn"
	"hinge/symbolic/evaluate"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// tested holds the results of the last test.
type tested struct {
	papers []int
	// g are the network's outputs and y the topics that inference found, both
	// [papers of the graph][topics].
	g, y []float64
}

// Show implements learning.Reporter: the confusions and the confidence of the network alone and
// of inference on test papers, and the worst papers with the rules about them that the answer
// breaks.
func (m *Model) Show() (*learning.Shown, error) {
	t := m.last
	if t == nil {
		return nil, nil
	}
	s, classes, labels := new(learning.Shown), m.sym.Classes, m.data.Graph.Labels
	row := func(x []float64, paper int) []float64 { return x[paper*classes:][:classes] }
	var right []bool
	for _, of := range []struct {
		name, beliefs string
		x             []float64
	}{{"the network alone", "the network alone", t.g}, {"MAP answers", "MAP answers, by the value of the answer", t.y}} {
		counts := make([][]int, classes)
		for c := range counts {
			counts[c] = make([]int, classes)
		}
		var sure []float64
		right = nil
		for _, paper := range t.papers {
			x := row(of.x, paper)
			answer := nn.Argmax(x)
			counts[labels[paper]][answer]++
			sure, right = append(sure, x[answer]), append(right, answer == labels[paper])
		}
		s.Confusions = append(s.Confusions, learning.Confusion{Name: of.name, Classes: m.data.Graph.Classes, Counts: counts})
		s.Calibrations = append(s.Calibrations, evaluate.Calibrate(of.beliefs, sure, right))
	}
	beliefs := make([]float64, len(t.papers))
	for i, paper := range t.papers {
		beliefs[i] = row(t.g, paper)[labels[paper]]
	}
	return s, s.Worst(right, beliefs, func(i int) (learning.Case, error) {
		c := m.describe(t.papers[i])
		c.Belief = &beliefs[i]
		return c, nil
	})
}

// describe tells about a paper of the last test.
func (m *Model) describe(paper int) learning.Case {
	t, n, names := m.last, m.sym.Classes, m.data.Graph.Classes
	first := paper * n
	truth, answer := m.data.Graph.Labels[paper], nn.Argmax(t.y[first:first+n])
	c := learning.Case{
		Name: "paper " + m.data.Graph.IDs[paper], Read: names[nn.Argmax(t.g[first:first+n])],
		Answer: names[answer], Truth: names[truth],
	}
	for _, topic := range slices.Compact([]int{answer, truth}) {
		c.Values = append(c.Values, mapstate.AtomValue{Atom: m.sym.Template.Program().Targets[first+topic], Value: t.y[first+topic]})
	}
	topics := learning.All(n)
	for i := range topics {
		topics[i] += first
	}
	c.Explanation = mapstate.ExplainTargets(m.sym.Template, t.y, m.Weights(), t.g, topics)
	return c
}
