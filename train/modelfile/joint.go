package modelfile

import "hinge/nn"

// joint runs the networks of a partition with one loss of all their outputs, forward
// and backward. The graph of each network ends in a function that runs the next
// network before it returns; the last one evaluates the loss. So every network has
// its outputs when the loss needs them, and the loss its derivatives when the
// networks go back.
type joint[T nn.Float] struct {
	views  []*view[T]
	graphs []*nn.Graph[T]
	g      []float64
	// loss evaluates the loss at g and returns its derivatives; labelled is the
	// weight of the labels, whose loss it returns, too.
	loss     func() (dg []float64, err error)
	labelled float64
	dg       []float64
}

// newJoint compiles the training graphs of the views. deep is the number of neural
// outputs.
func newJoint[T nn.Float](views []*view[T], deep int, loss func() ([]float64, error)) (*joint[T], error) {
	j := &joint[T]{views: views, g: make([]float64, deep), loss: loss}
	for k, v := range views {
		g, err := v.net.Graph(v.count, true)
		if err != nil {
			return nil, err
		}
		end := g.Builder().Function("loss", g.Output, func(logits, d []T) (float64, error) {
			v.read(logits, j.g)
			if err := j.from(k + 1); err != nil {
				return 0, err
			}
			v.write(j.dg, j.labelled, d)
			return 0, nil
		})
		if _, err := g.Compile(end); err != nil {
			return nil, err
		}
		j.graphs = append(j.graphs, g)
	}
	return j, nil
}

// run makes a pass over all networks.
func (j *joint[T]) run() error { return j.from(0) }

func (j *joint[T]) from(k int) (err error) {
	if k < len(j.graphs) {
		return j.graphs[k].Run(j.views[k].x)
	}
	j.dg, err = j.loss()
	return err
}

// labelLoss is the loss of the labels in the last pass.
func (j *joint[T]) labelLoss() float64 {
	sum := 0.0
	for _, v := range j.views {
		sum += v.labelLoss()
	}
	return sum
}

// predict returns the neural outputs in evaluation mode.
func predict[T nn.Float](views []*view[T], deep int) ([]float64, error) {
	g := make([]float64, deep)
	for _, v := range views {
		logits, err := v.net.Forward(v.x, v.count)
		if err != nil {
			return nil, err
		}
		v.read(logits, g)
	}
	return g, nil
}
