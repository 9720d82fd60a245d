package citation

import (
	"fmt"
	"math"
	"slices"

	"hinge/data/citation"
	"hinge/nn"
	"hinge/train/config"
	"hinge/train/learning"
)

// Data is a graph with a split of its nodes.
type Data struct {
	Graph *citation.Graph
	Split *citation.Split
	// rules names the built-in rule file.
	rules string
}

// LoadData reads the graph of a task from below the data root (empty: the user's
// cache, or a download), or generates it, and draws the configured split.
func LoadData(cfg *config.Config, root string) (*Data, error) {
	d := &Data{rules: builtIn(cfg)}
	var err error
	if cfg.Task == "citation-demo" {
		d.Graph, err = citation.Generate(citation.Demo())
	} else {
		d.Graph, err = citation.Load(cfg.Task, citation.Form(OptionsOf(cfg).Form), root)
	}
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	d.Split, err = citation.NewSplit(d.Graph.Nodes(), citation.PaperSizes(d.Graph), cfg.Split)
	if err != nil {
		return nil, &config.UsageError{Key: "split", Problem: err.Error()}
	}
	return d, nil
}

// nodes returns the nodes of a part of the data.
func (d *Data) nodes(part learning.Part) ([]int, error) {
	s := d.Split
	nodes, ok := map[learning.Part][]int{learning.TrainPart: s.Train, learning.ValidPart: s.Valid, learning.TestPart: s.Test}[part]
	if !ok {
		return nil, fmt.Errorf("citation: no data part %q", part)
	}
	return nodes, nil
}

// known returns the papers whose labels a test may use.
func (d *Data) known(labels string) []int {
	if labels == TrainLabels {
		return d.Split.Train
	}
	return slices.Concat(d.Split.Train, d.Split.Valid)
}

// learned returns the papers whose labels a run learns from (see
// Options.Labels).
func (d *Data) learned(cfg *config.Config) []int {
	if !cfg.Training.LastWeights {
		return d.Split.Train
	}
	return d.known(OptionsOf(cfg).Labels)
}

// observed returns the papers whose labels inference may use for a part: the training papers
// for validation, the configured ones for the test, none for the training papers themselves.
func (d *Data) observed(part learning.Part, labels string) []int {
	switch part {
	case learning.ValidPart:
		return d.Split.Train
	case learning.TestPart:
		return d.known(labels)
	}
	return nil
}

// sparse converts a matrix for the layers.
func sparse(m *citation.Matrix) *nn.Sparse[float32] {
	return &nn.Sparse[float32]{Rows: m.Rows, Cols: m.Cols, Ptr: m.Ptr, Col: m.Col, Val: m.Val}
}

// classWeights returns a weight for every node: 0 except for labelled ones, which weigh (size
// of the class among them)^−balance, scaled to a mean of 1.
func classWeights(g *citation.Graph, labelled []int, balance float64) []float32 {
	count := make([]float64, len(g.Classes))
	for _, i := range labelled {
		count[g.Labels[i]]++
	}
	total := 0.0
	for _, i := range labelled {
		total += math.Pow(count[g.Labels[i]], -balance)
	}
	w := make([]float32, g.Nodes())
	for _, i := range labelled {
		w[i] = float32(math.Pow(count[g.Labels[i]], -balance) * float64(len(labelled)) / total)
	}
	return w
}
