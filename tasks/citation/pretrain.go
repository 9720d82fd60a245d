package citation

import (
	"context"
	"math/rand/v2"
	"strings"

	"gorgonia.org/gorgonia"

	"hinge/nn"
	"hinge/optim"
	"hinge/train/half"
)

// fit is one training of a network on labels alone: cross entropy by Adam.
type fit struct {
	n       *network
	papers  []int // labelled
	balance []float32
	decided []int // see complete; nil where labels are not completed
	batch   int
	seed    uint64

	adam   *optim.Adam
	graphs map[int]*fitGraph // by batch size
	steps  int
}

// fitGraph is a training graph for one batch size.
type fitGraph struct {
	graph   *nn.Graph[float32]
	labels  []int
	weights []float32
}

// newFit prepares the training of n's network on the labels of papers.
func newFit(n *network, papers []int, seed uint64) (*fit, error) {
	f := &fit{n: n, papers: papers, seed: seed, graphs: make(map[int]*fitGraph), batch: n.set.PretrainBatch}
	if f.batch == 0 || f.batch > len(papers) {
		f.batch = len(papers)
	}
	f.balance = classWeights(n.data.Graph, papers, n.set.Balance)
	if _, err := f.graph(f.batch); err != nil {
		return nil, err
	}
	params, _ := half.NetworkParams(n.net.Params())
	for i, p := range params {
		// The smoothed network decays in all parameters, as in the reference, the
		// propagated one in its first layer, as Gasteiger et al. have it.
		params[i].Decay = !n.coupled() || strings.HasSuffix(p.Name, ".0.weight")
	}
	var err error
	f.adam, err = optim.NewAdam(params, optim.AdamOptions{WeightDecay: n.set.PretrainDecay})
	return f, err
}

// graph returns the training graph of a batch size; coupled networks have one,
// for all papers.
func (f *fit) graph(size int) (*fitGraph, error) {
	if f.n.coupled() {
		size = f.n.data.Graph.Nodes()
	}
	if g := f.graphs[size]; g != nil {
		return g, nil
	}
	graph, err := f.n.net.Graph(size, true)
	if err != nil {
		return nil, err
	}
	g := &fitGraph{graph: graph, labels: make([]int, size), weights: make([]float32, size)}
	b := graph.Builder()
	if f.n.loss != nil {
		_, err = graph.Compile(f.n.loss(b, graph.Output, g))
		f.graphs[size] = g
		return g, err
	}
	// The sum of the members' losses trains each as if it were alone.
	losses := make([]*gorgonia.Node, len(f.n.logits))
	for k, logits := range f.n.logits {
		losses[k] = b.CrossEntropy("loss"+logits.Name(), logits, g.labels, g.weights)
	}
	loss := losses[0]
	for _, l := range losses[1:] {
		if loss, err = gorgonia.Add(loss, l); err != nil {
			return nil, err
		}
	}
	if _, err := graph.Compile(loss); err != nil {
		return nil, err
	}
	f.graphs[size] = g
	return g, nil
}

// epoch makes one pass over the labelled papers, in an order of its own.
func (f *fit) epoch(number int) error {
	if err := f.complete(number); err != nil {
		return err
	}
	const orderStream = 0x66697420 // "fit "
	order := rand.New(rand.NewPCG(f.seed, orderStream+uint64(number)<<32)).Perm(len(f.papers))
	for lo := 0; lo < len(order); lo += f.batch {
		papers := make([]int, 0, f.batch)
		for _, k := range order[lo:min(lo+f.batch, len(order))] {
			papers = append(papers, f.papers[k])
		}
		if err := f.step(papers); err != nil {
			return err
		}
	}
	return nil
}

func (f *fit) step(papers []int) error {
	g, err := f.graph(len(papers))
	if err != nil {
		return err
	}
	x := f.n.inputs
	if f.n.coupled() {
		clear(g.weights)
		for _, i := range papers {
			g.labels[i], g.weights[i] = f.n.data.Graph.Labels[i], f.balance[i]
		}
		f.addDecided(g)
	} else {
		x = rowsOf(x, papers, f.n.width)
		for k, i := range papers {
			g.labels[k], g.weights[k] = f.n.data.Graph.Labels[i], f.balance[i]
		}
	}
	f.n.net.State().Step = uint64(f.steps)
	f.steps++
	if err := g.graph.Run(x); err != nil {
		return err
	}
	_, err = f.adam.StepClipped(f.n.set.PretrainRate, 0)
	return err
}

// pretrained is the result of a pre-training.
type pretrained struct {
	values [][]float32
	// valid is the validation accuracy and epochs the number of epochs of the
	// best network.
	valid  float64
	epochs int
}

// pretrain trains the network Restarts times on the labels of train, each until
// PretrainPatience epochs have not improved the accuracy on valid, and puts the
// best one's parameters in place. Without patience each is trained to the end and
// only then compared on valid. When ctx ends it returns ctx's error.
func (n *network) pretrain(ctx context.Context, train, valid []int, seed uint64) (*pretrained, error) {
	var best *pretrained
	for r := range n.set.Restarts {
		try, err := n.fresh(seed + uint64(r)<<32)
		if err != nil {
			return nil, err
		}
		f, err := newFit(try, train, seed+uint64(r)<<32)
		if err != nil {
			return nil, err
		}
		found := &pretrained{valid: -1}
		patience := n.set.PretrainPatience
		for epoch := range n.set.PretrainEpochs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := f.epoch(epoch); err != nil {
				return nil, err
			}
			last := epoch+1 == n.set.PretrainEpochs
			if patience == 0 && !last {
				continue
			}
			accuracy, err := try.accuracy(valid)
			if err != nil {
				return nil, err
			}
			if accuracy > found.valid {
				found.valid, found.epochs, found.values = accuracy, epoch+1, try.values()
			}
			if patience > 0 && epoch+1-found.epochs >= patience {
				break
			}
		}
		if best == nil || found.valid > best.valid {
			best = found
		}
	}
	n.setValues(best.values)
	return best, nil
}

// refit trains a network of the same definition on the labels of papers for a
// number of epochs and returns it.
func (n *network) refit(papers []int, epochs int, seed uint64) (*network, error) {
	again, err := n.fresh(seed)
	if err != nil {
		return nil, err
	}
	f, err := newFit(again, papers, seed)
	if err != nil {
		return nil, err
	}
	for epoch := range epochs {
		if err := f.epoch(epoch); err != nil {
			return nil, err
		}
	}
	return again, nil
}
