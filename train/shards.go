package train

import (
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"hinge/bilevel"
	"hinge/dist"
	"hinge/optim"
)

// Sharder is implemented by models that can learn from a batch in parts, which the ranks
// of a job may share (Training.Shards). Gradient is then called for one shard of a batch
// at a time, with Training.Pass examples and Step.Shard.
type Sharder interface {
	// Share is called once, before the first gradient and before SetWarm. Example e
	// belongs to part e mod p.N(), and Gradient is given those of this rank's parts
	// alone: what the model remembers of an example lives on the rank that has it.
	Share(p dist.Parts) error
	// Whole calls f while Warm is, on rank 0, what all ranks remember, and returns its
	// error. It is collective.
	Whole(f func() error) error
}

// sums adds up the passes of a step: over the shards of this rank, and over the ranks.
//
// The gradients of the shards are added in the order of the shards and divided by their
// number where the loss is a mean. The arrays that a forward pass maintains, the running
// statistics of batch normalisation, become the mean of what each shard makes of those
// before the step.
type sums struct {
	parts           dist.Parts
	model           Model
	params, buffers []optim.Param
	factor          float64 // of the sum of gradients

	before [][]float32 // buffers before the step
	// One row for each pass of this rank, or one for all if there is no other rank:
	// gradients, then buffers, of live ranges. And the other numbers of each pass.
	rows    [][]float32
	figures [][]float64
}

// asked are the wishes that the ranks tell each other with a step: to stop after it, and
// to write a checkpoint.
type asked struct{ stop, save bool }

// share prepares a run of several shards.
func (r *run) share() error {
	t := &r.cfg.Training
	n := t.shards()
	if size := r.comm.Size(); n%size != 0 {
		return usage("training.shards", "%d shards do not divide among %d ranks; start as many ranks as divide them", n, size)
	}
	if n == 1 {
		return nil
	}
	model, ok := r.model.(Sharder)
	if !ok {
		return usage("training.shards", "%s learns from whole batches; leave it out, and start one process", r.cfg.Task)
	}
	parts, err := dist.NewParts(r.comm, n)
	if err != nil {
		return err
	}
	s := &sums{parts: parts, model: r.model, params: r.model.Params(), buffers: r.model.Buffers(), factor: 1 / float64(n)}
	if t.SumLoss && r.cfg.NeuPSL() && slices.Contains(Losses, r.cfg.Loss) {
		s.factor = 1
	}
	length, passes := 0, n/r.comm.Size()
	s.each(func(x []float32, at int) { length = at + len(x) })
	if r.comm.Size() == 1 {
		passes = 1
	}
	for range passes {
		s.rows = append(s.rows, make([]float32, length))
	}
	for i := range s.buffers {
		s.before = append(s.before, make([]float32, len(s.buffers[i].Value)))
	}
	r.sums = s
	return model.Share(parts)
}

// each calls f with the live ranges of the gradients and then of the buffers, and where
// they lie in a row.
func (s *sums) each(f func(x []float32, at int)) {
	at := 0
	walk := func(p *optim.Param, x []float32) {
		for _, r := range liveRanges(p) {
			f(x[r.Lo:r.Hi], at)
			at += r.Hi - r.Lo
		}
	}
	for i := range s.params {
		walk(&s.params[i], s.params[i].Grad)
	}
	for i := range s.buffers {
		walk(&s.buffers[i], s.buffers[i].Value)
	}
}

// gradient is Model.Gradient for a whole batch. What a rank asks for is told to all, and
// what any has asked for comes back.
func (s *sums) gradient(step Step, batch []int, ask asked) (Work, asked, error) {
	for i := range s.buffers {
		copy(s.before[i], s.buffers[i].Value)
	}
	s.figures = s.figures[:0]
	pass := len(batch) / s.parts.N()
	lo, hi := s.parts.Own()
	var own Work
	for shard := lo; shard < hi; shard++ {
		for i := range s.buffers {
			copy(s.buffers[i].Value, s.before[i])
		}
		step.Shard = shard
		w, err := s.model.Gradient(step, batch[shard*pass:(shard+1)*pass])
		if err != nil {
			return Work{}, ask, err
		}
		own.SolverSeconds += w.SolverSeconds
		own.NeuralSeconds += w.NeuralSeconds
		s.keep(shard, lo, &w, ask)
		ask = asked{}
	}
	start := time.Now()
	c := s.parts.Comm()
	if err := dist.SumParts(c, s.rows, s.rows[0]); err != nil {
		return Work{}, ask, err
	}
	if err := dist.SumParts(c, s.figures, s.figures[0]); err != nil {
		return Work{}, ask, err
	}
	if c.Size() > 1 {
		own.CommSeconds = time.Since(start).Seconds()
	}
	return s.result(own)
}

// keep puts the gradients and figures of the pass of a shard aside; lo is the rank's
// first.
func (s *sums) keep(shard, lo int, w *Work, ask asked) {
	k := shard - lo
	row := s.rows[min(k, len(s.rows)-1)]
	s.each(func(x []float32, at int) {
		to := row[at : at+len(x)]
		if k < len(s.rows) {
			copy(to, x)
			return
		}
		for i, v := range x {
			to[i] += v
		}
	})
	flag := map[bool]float64{true: 1}
	f := []float64{w.Loss, float64(w.Solves), float64(w.Unsolved), flag[ask.stop], flag[ask.save], flag[w.Terms != nil], w.MeanGap * float64(w.Solves)}
	// The largest of all is no sum: each shard has places of its own.
	worst := make([]float64, 2*s.parts.N())
	worst[2*shard], worst[2*shard+1] = w.WorstGap, w.WorstViolation
	var t bilevel.Terms
	if w.Terms != nil {
		t = *w.Terms
	}
	s.figures = append(s.figures, slices.Concat(f, worst, t.Numbers(), s.model.WeightGradient()))
}

// result puts the sums where a single pass leaves its gradients.
func (s *sums) result(w Work) (Work, asked, error) {
	gradients, mean, row := float32(s.factor), float32(1/float64(s.parts.N())), s.rows[0]
	live := 0
	for i := range s.params {
		live += len(liveRanges(&s.params[i]))
	}
	s.each(func(x []float32, at int) {
		factor := gradients
		if live--; live < 0 {
			factor = mean
		}
		for i, v := range row[at : at+len(x)] {
			x[i] = factor * v
		}
	})
	f := s.figures[0]
	w.Loss, w.Solves, w.Unsolved = s.factor*f[0], int(f[1]), int(f[2])
	told, hasTerms := asked{f[3] > 0, f[4] > 0}, f[5] > 0
	w.MeanGap = finite(f[6] / float64(max(w.Solves, 1)))
	for range s.parts.N() {
		w.WorstGap, w.WorstViolation = max(w.WorstGap, f[7]), max(w.WorstViolation, f[8])
		f = f[2:]
	}
	t, f := bilevel.TermsOf(f[7:])
	if hasTerms {
		w.Terms = &t
	}
	dw := s.model.WeightGradient()
	for i := range dw {
		dw[i] = s.factor * f[i]
	}
	return w, told, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// same tells whether all ranks have the same weights: they do the same steps from the
// same gradients, unless their processors take other kernels or they run other programs.
func (r *run) same() error {
	var sum uint32
	for _, x := range r.learn.values() {
		sum = crc32.Update(sum, castagnoli, dist.Bytes(x))
	}
	all, err := dist.Gather(r.comm, []uint64{uint64(sum)})
	if err != nil {
		return err
	}
	for rank, other := range all {
		if other[0] != all[0][0] {
			return fmt.Errorf("train: step %d: rank %d has other weights than rank 0; all must run one program on processors of one kind", r.state.Step, rank)
		}
	}
	return nil
}
