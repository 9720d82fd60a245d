package train

import (
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/optim/collective"
	"hinge/train/config"
	"hinge/train/learning"
)

// sums adds up the passes of a step: over the shards of this rank, and over the ranks.
//
// The gradients of the shards are added in the order of the shards and divided by their
// number where the loss is a mean. The arrays that a forward pass maintains, the running
// statistics of batch normalisation, become the mean of what each shard makes of those
// before the step.
type sums struct {
	parts           collective.Parts
	model           learning.Model
	params, buffers []optim.Param
	factor          float64 // of the sum of gradients

	before [][]float32 // buffers before the step
	// Where a pass leaves its gradients and buffers: their live ranges.
	gradients, kept [][]float32
	// Copies of them by pass, of all passes of this rank but the last; one for the sum of
	// these if there is no other rank. And the other numbers of each pass.
	copies  []passCopy
	figures [][]float64
}

// passCopy is a copy of the results of a pass.
type passCopy struct{ gradients, kept [][]float32 }

// requests are the wishes of a rank after a step, and then the wishes that the ranks agree on:
// to stop, to write a checkpoint, and to end the run with this step, as it is late.
type requests struct{ stop, save, late bool }

// share prepares a run of several shards.
func (r *run) share() error {
	t := &r.cfg.Training
	n := t.Parts()
	if size := r.comm.Size(); n%size != 0 {
		return config.Usage("training.shards", "%d shards do not divide among %d ranks; start as many ranks as divide them", n, size)
	}
	if n == 1 {
		return nil
	}
	parts, err := collective.NewParts(r.comm, n)
	if err != nil {
		return err
	}
	s := &sums{parts: parts, model: r.model, params: r.model.Neural().Params(), buffers: r.model.Neural().Buffers(), factor: 1 / float64(n)}
	if t.SumLoss && r.cfg.LossKind().Sums {
		s.factor = 1
	}
	s.gradients = livePieces(s.params, func(i int) []float32 { return s.params[i].Grad })
	s.kept = livePieces(s.buffers, func(i int) []float32 { return s.buffers[i].Value })
	copies := n/r.comm.Size() - 1
	if r.comm.Size() == 1 {
		copies = 1
	}
	for range copies {
		s.copies = append(s.copies, passCopy{likeThem(s.gradients), likeThem(s.kept)})
	}
	for i := range s.buffers {
		s.before = append(s.before, make([]float32, len(s.buffers[i].Value)))
	}
	r.sums = s
	if r.cfg.Neural.SyncBatchNorm {
		if err := r.synchronise(); err != nil {
			return err
		}
	}
	return r.model.Loss().Share(parts)
}

// livePieces are the live ranges of an array of each parameter, parts of these arrays.
func livePieces(params []optim.Param, array func(i int) []float32) (pieces [][]float32) {
	for i := range params {
		for _, r := range params[i].Ranges() {
			pieces = append(pieces, array(i)[r.Lo:r.Hi])
		}
	}
	return pieces
}

func likeThem(pieces [][]float32) (out [][]float32) {
	for _, x := range pieces {
		out = append(out, make([]float32, len(x)))
	}
	return out
}

// gradient is Model.Gradient for a whole batch. It sends this rank's requests to all ranks, and
// returns what any of them has requested.
func (s *sums) gradient(step learning.Step, batch []int, ask requests) (learning.Work, requests, error) {
	for i := range s.buffers {
		copy(s.before[i], s.buffers[i].Value)
	}
	s.figures = s.figures[:0]
	pass := len(batch) / s.parts.N()
	lo, hi := s.parts.Own()
	var own learning.Work
	for shard := lo; shard < hi; shard++ {
		for i := range s.buffers {
			copy(s.buffers[i].Value, s.before[i])
		}
		step.Shard = shard
		w, err := s.model.Gradient(step, batch[shard*pass:(shard+1)*pass])
		if err != nil {
			return learning.Work{}, ask, err
		}
		own.SolverSeconds += w.SolverSeconds
		own.NeuralSeconds += w.NeuralSeconds
		if shard < hi-1 {
			s.keep(shard - lo)
		}
		s.note(shard, &w, ask)
		ask = requests{}
	}
	start := time.Now()
	c := s.parts.Comm()
	var gradients, kept [][][]float32
	for _, p := range s.copies {
		gradients, kept = append(gradients, p.gradients), append(kept, p.kept)
	}
	if err := collective.SumPieces(c, append(gradients, s.gradients), s.gradients, float32(s.factor)); err != nil {
		return learning.Work{}, ask, err
	}
	if err := collective.SumPieces(c, append(kept, s.kept), s.kept, float32(1/float64(s.parts.N()))); err != nil {
		return learning.Work{}, ask, err
	}
	if err := collective.SumParts(c, s.figures, s.figures[0]); err != nil {
		return learning.Work{}, ask, err
	}
	if c.Size() > 1 {
		own.CommSeconds = time.Since(start).Seconds()
	}
	return s.result(own)
}

// keep copies the results of the k-th pass of this rank, or adds them to the first copy.
func (s *sums) keep(k int) {
	to := s.copies[min(k, len(s.copies)-1)]
	for _, x := range [][2][][]float32{{to.gradients, s.gradients}, {to.kept, s.kept}} {
		for i, from := range x[1] {
			if k < len(s.copies) {
				copy(x[0][i], from)
				continue
			}
			for j, v := range from {
				x[0][i][j] += v
			}
		}
	}
}

// note puts the figures of the pass of a shard aside.
func (s *sums) note(shard int, w *learning.Work, ask requests) {
	flag := map[bool]float64{true: 1}
	f := []float64{w.Loss, float64(w.Solves), float64(w.Unsolved), flag[ask.stop], flag[ask.save], flag[ask.late], flag[w.Terms != nil], w.MeanGap * float64(w.Solves), w.DrawSpread}
	// The largest value is no sum: each shard has its own places.
	worst := make([]float64, 2*s.parts.N())
	copy(worst[2*shard:], []float64{w.WorstGap, w.WorstViolation})
	var t bilevel.Terms
	if w.Terms != nil {
		t = *w.Terms
	}
	s.figures = append(s.figures, slices.Concat(f, worst, t.Numbers(), s.model.Loss().WeightGradient()))
}

// result converts the summed figures.
func (s *sums) result(w learning.Work) (learning.Work, requests, error) {
	f := s.figures[0]
	w.Loss, w.Solves, w.Unsolved = s.factor*f[0], int(f[1]), int(f[2])
	agreed, hasTerms := requests{f[3] > 0, f[4] > 0, f[5] > 0}, f[6] > 0
	w.MeanGap, w.DrawSpread = learning.Finite(f[7]/float64(max(w.Solves, 1))), learning.Finite(f[8]/float64(s.parts.N()))
	for range s.parts.N() {
		w.WorstGap, w.WorstViolation = max(w.WorstGap, f[9]), max(w.WorstViolation, f[10])
		f = f[2:]
	}
	t, f := bilevel.TermsOf(f[9:])
	if hasTerms {
		w.Terms = &t
	}
	dw := s.model.Loss().WeightGradient()
	for i := range dw {
		dw[i] = s.factor * f[i]
	}
	return w, agreed, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// same reports whether all ranks have the same weights: they do the same steps from the
// same gradients, unless their processors take other kernels or they run other programs.
func (r *run) same() error {
	var sum uint32
	for _, x := range r.learn.live {
		sum = crc32.Update(sum, castagnoli, collective.Bytes(x))
	}
	unlike, err := collective.Unlike(r.comm, sum)
	if err == nil && unlike != "" {
		err = fmt.Errorf("train: step %d: weights are not those of rank 0: %s; all must run one program on processors of one kind", r.state.Step, unlike)
	}
	return err
}
