package citation

import (
	"fmt"
	"math/rand/v2"

	"gorgonia.org/gorgonia"

	"hinge/models/gcn"
	"hinge/models/mlp"
	"hinge/nn"
	"hinge/train/config"
)

// network is the neural part: for every paper of the graph a distribution over
// the classes, the mean of its members' softmax outputs.
type network struct {
	data    *Data
	set     *Options
	dropout float64
	// temperature is the temperature of the softmax in predictions. Steps of joint learning
	// have another one; training on labels alone has none.
	temperature float64
	graph       gcn.Graph[float32]
	inputs      []float32 // of the smoothed network [N][width]; one number a node else
	width       int

	net    *nn.Net[float32]
	logits gorgonia.Nodes // of the members, in the graph built last
	eval   map[int]*nn.Graph[float32]

	// selfTrained reports whether training on labels completes them by its own answers.
	selfTrained bool
	// loss, if not nil, replaces the cross entropy of the labels in training; read, if not
	// nil, converts the outputs for all papers in prediction.
	loss func(b *nn.Builder[float32], output *gorgonia.Node, f *fitGraph) *gorgonia.Node
	read func(outputs []float32) []float32
}

// newNetwork defines the network and draws its first parameters.
func newNetwork(cfg *config.Config, d *Data, seed uint64) (*network, error) {
	n := &network{data: d, set: OptionsOf(cfg), dropout: cfg.Neural.Dropout, temperature: cfg.Neural.TestTemperature}
	if n.coupled() {
		n.graph = gcn.Graph[float32]{Features: sparse(d.Graph.Features()), Propagation: sparse(d.Graph.Propagation())}
		n.inputs, n.width = make([]float32, d.Graph.Nodes()), 1
	} else {
		n.inputs, n.width = d.Graph.Smoothed(2), d.Graph.Words
	}
	return n, n.make(seed)
}

// fresh returns a network of the same definition with new parameters.
func (n *network) fresh(seed uint64) (*network, error) {
	f := *n
	f.logits = nil // a slice of its own
	return &f, f.make(seed)
}

// alone is fresh for a network that no rule serves: it has all papers' words.
func (n *network) alone(seed uint64) (*network, error) {
	f, set := *n, *n.set
	set.DropPapers = 0
	f.set = &set
	return f.fresh(seed)
}

// coupled reports whether the network takes all papers at once, because outputs
// depend on other papers or because features are sparse.
func (n *network) coupled() bool { return n.set.Network != "smoothed" }

func (n *network) make(seed uint64) error {
	const initStream = 0x63697465 // "cite"
	rng := rand.New(rand.NewPCG(seed, initStream))
	batch := 2
	if n.coupled() {
		batch = n.data.Graph.Nodes()
	}
	n.eval = make(map[int]*nn.Graph[float32])
	var err error
	n.net, err = nn.NewWhole([]int{n.width}, batch, n.define, rng)
	if err == nil {
		n.net.State().Seed = seed
	}
	return err
}

// define is the definition: the mean of the members' softmax outputs.
func (n *network) define(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
	n.logits = n.logits[:0]
	outputs := make([]*gorgonia.Node, n.set.Members)
	classes := len(n.data.Graph.Classes)
	for k := range outputs {
		name := fmt.Sprintf("member%d", k)
		var logits *gorgonia.Node
		c := gcn.Config{Out: classes, Dropout: n.dropout, DropNodes: n.set.DropPapers, Steps: n.set.Steps, Teleport: n.set.Teleport}
		if len(n.set.Hidden) > 0 {
			c.Hidden = n.set.Hidden[0]
		}
		switch n.set.Network {
		case "propagated":
			logits = gcn.Propagation(b, name, n.graph, c)
		case "convolution":
			logits = gcn.Convolution(b, name, n.graph, c)
		case "words":
			logits = gcn.Perceptron(b, name, n.graph, c)
		default:
			logits = mlp.Apply(b, name, x, mlp.Config{Hidden: n.set.Hidden, Out: classes, Dropout: n.dropout})
		}
		n.logits = append(n.logits, logits)
		outputs[k] = b.Softmax(name, logits)
	}
	return b.Average("members", outputs...)
}

// values copies all parameters; setValues puts them back.
func (n *network) values() [][]float32 {
	var out [][]float32
	for _, p := range n.net.Params().All() {
		out = append(out, append([]float32(nil), p.Value...))
	}
	return out
}

func (n *network) setValues(v [][]float32) {
	for i, p := range n.net.Params().All() {
		copy(p.Value, v[i])
	}
}

// predict returns the outputs of the given papers in evaluation mode, one row
// each; nil means all papers.
func (n *network) predict(papers []int) ([]float32, error) {
	count := len(papers)
	if papers == nil || n.coupled() {
		count = n.data.Graph.Nodes()
	}
	g := n.eval[count]
	if g == nil {
		var err error
		if g, err = n.net.Graph(count, false); err != nil {
			return nil, err
		}
		if _, err := g.Compile(nil); err != nil {
			return nil, err
		}
		n.eval[count] = g
	}
	x := n.inputs
	if count < n.data.Graph.Nodes() {
		x = rowsOf(x, papers, n.width)
	}
	n.net.State().Temperature = n.temperature
	if err := g.Run(x); err != nil {
		return nil, err
	}
	out := g.Result()
	if n.read != nil {
		out = n.read(out)
	}
	if papers == nil || !n.coupled() {
		return out, nil
	}
	return rowsOf(out, papers, len(n.data.Graph.Classes)), nil
}

// rowsOf gathers the rows of papers from x, [papers of the graph][width].
func rowsOf[T nn.Float](x []T, papers []int, width int) []T {
	rows := make([]T, 0, len(papers)*width)
	for _, i := range papers {
		rows = append(rows, x[i*width:(i+1)*width]...)
	}
	return rows
}

// accuracy is the fraction of the papers whose most probable class is right.
func (n *network) accuracy(papers []int) (float64, error) {
	p, err := n.predict(papers)
	if err != nil {
		return 0, err
	}
	right, classes := 0, len(n.data.Graph.Classes)
	for k, i := range papers {
		if nn.Argmax(p[k*classes:(k+1)*classes]) == n.data.Graph.Labels[i] {
			right++
		}
	}
	return float64(right) / float64(len(papers)), nil
}
