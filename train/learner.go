package train

import (
	"fmt"

	"hinge/nn/kernel"
	"hinge/optim"
	"hinge/train/config"
	"hinge/train/learning"
)

// learner applies gradients: clipping and Adam on w_nn, the moving average,
// mirror descent or projected gradient on w_sy. It also keeps the best weights seen.
type learner struct {
	net    learning.NeuralHalf
	loss   learning.LossHalf
	params []optim.Param
	all    []optim.Param // params, then buffers: what an evaluation depends on
	adam   *optim.Adam
	ema    *optim.EMA // nil without averaging
	rules  optim.WeightStep
	moving [2][]float64                // weights and gradient of LossHalf.Learned
	still  func(progress float64) bool // where rule weights do not move
	rate   optim.Cosine
	clip   float64
	live   [][]float32 // the live ranges of all: what changes
	best   snapshot
}

// snapshot is a copy of everything that changes and an evaluation depends on.
type snapshot struct {
	live    [][]float32 // nil before the first
	weights []float64
}

// newLearner starts the optimisers. perEpoch and total are numbers of steps.
func newLearner(cfg *config.Config, m learning.Model, perEpoch, total int) (*learner, error) {
	n := &cfg.Neural
	l := &learner{net: m.Neural(), loss: m.Loss(), clip: n.ClipNorm, rules: optim.WeightStep{WeightOptions: cfg.Symbolic.WeightOptions}, still: cfg.Symbolic.Still}
	l.params = l.net.Params()
	l.all = append(append([]optim.Param(nil), l.params...), l.net.Buffers()...)
	l.live = livePieces(l.all, func(i int) []float32 { return l.all[i].Value })
	var err error
	if l.adam, err = n.Adam(l.params); err != nil {
		return nil, err
	}
	if n.Average > 0 {
		if l.ema, err = optim.NewEMA(l.all, n.Average); err != nil {
			return nil, err
		}
	}
	// A warm-up as long as the run would leave nothing to learn with.
	l.rate = optim.Cosine{Base: n.LearningRate, Final: n.LearningRate, Warmup: min(n.Warmup*perEpoch, total/4), Total: total}
	if n.Schedule == "cosine" {
		l.rate.Final = 0
	}
	return l, nil
}

// apply takes one step along the gradients the model has left. It returns the
// gradient norm before clipping.
func (l *learner) apply(step learning.Step) (norm float64, err error) {
	if norm, err = l.adam.StepClipped(l.rate.At(step.Number), l.clip); err != nil {
		return norm, fmt.Errorf("train: step %d: %w", step.Number+1, err)
	}
	if l.ema != nil {
		l.ema.Update()
	}
	if l.still(step.Progress) {
		return norm, nil
	}
	weights, gradient := l.loss.Weights(), l.loss.WeightGradient()
	w, dw := l.moving[0][:0], l.moving[1][:0]
	for _, r := range l.loss.Learned() {
		w, dw = append(w, weights[r]), append(dw, gradient[r])
	}
	l.moving = [2][]float64{w, dw}
	if err := l.rules.Update(w, dw, step.Epoch); err != nil {
		return norm, err
	}
	for i, r := range l.loss.Learned() {
		weights[r] = w[i]
	}
	return norm, nil
}

// averaged calls f with the averaged weights in place.
func (l *learner) averaged(f func() error) error {
	if l.ema == nil {
		return f()
	}
	l.ema.Swap()
	defer l.ema.Swap()
	return f()
}

// keepBest copies the weights in place into the snapshot.
func (l *learner) keepBest() {
	if l.best.weights == nil {
		l.best = snapshot{likeThem(l.live), make([]float64, len(l.loss.Weights()))}
	}
	copyPieces(l.best.live, l.live)
	copy(l.best.weights, l.loss.Weights())
}

// restoreBest puts the snapshot back, if there is one.
func (l *learner) restoreBest() {
	copyPieces(l.live, l.best.live)
	copy(l.loss.Weights(), l.best.weights)
}

// swapBest exchanges the current arrays with those of the snapshot.
func (l *learner) swapBest() {
	for i, x := range l.best.live {
		kernel.Swap(l.live[i], x)
	}
}

func copyPieces(dst, src [][]float32) {
	for i, x := range src {
		copy(dst[i], x)
	}
}
