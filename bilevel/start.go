package bilevel

import "fmt"

// Start sets the starting points of a bilevel loss (paper, lines 1 and 2 of the
// algorithm): y_i = (t_i, z*_i), the labels and the latent minimiser, and
// ι = max_i M_i − V_i at the weights w. It does nothing for the other losses.
//
// batches lists all samples, at most Problem.Batch in each; with PerBatch they
// must be the batches of the epochs. g returns the neural outputs of a batch
// without noise, one run of Deep numbers a sample; nil without a network.
func (o *Objective) Start(w []float64, batches [][]int, g func(batch []int) ([]float64, error)) error {
	if o.lag == nil {
		return nil
	}
	s, err := newStarter(o)
	if err != nil {
		return err
	}
	seen := make([]bool, o.problem.Samples)
	iota := 0.0
	for _, batch := range batches {
		if len(batch) == 0 || len(batch) > o.problem.Batch {
			return fmt.Errorf("bilevel: start: a batch of %d samples, want 1 to %d", len(batch), o.problem.Batch)
		}
		deep := make([]float64, o.problem.Batch*o.problem.Template.Deep)
		if g != nil {
			out, err := g(batch)
			if err != nil {
				return err
			}
			copy(deep, out)
		}
		if err := s.batch(w, deep, batch); err != nil {
			return err
		}
		sum := 0.0
		for i, sample := range batch {
			seen[sample] = true
			gap := s.augmented.Values()[i] - s.full.Values()[i]
			o.gaps[sample] = gap
			sum += gap
			if !o.set.PerBatch {
				iota = max(iota, gap)
			}
		}
		iota = max(iota, 0)
		if o.set.PerBatch {
			iota = max(iota, sum)
		}
	}
	for i, ok := range seen {
		if !ok {
			return fmt.Errorf("bilevel: start: sample %d is in no batch", i)
		}
		o.multipliers[i], o.slacks[i], o.residuals[i] = o.set.InitialMultiplier, 0, 0
	}
	clear(o.fresh)
	clear(o.visited)
	o.outer.start(iota, &o.set)
	return nil
}

// starter solves the problems of the start: one draw a sample.
type starter struct {
	o                       *Objective
	latent, full, augmented *ValueFunction
}

func newStarter(o *Objective) (*starter, error) {
	s := &starter{o: o}
	for _, f := range []**ValueFunction{&s.latent, &s.full, &s.augmented} {
		var err error
		if *f, err = o.newValue(1, o.problem.Batch, false); err != nil {
			return nil, err
		}
		o.newBank("", *f)
	}
	return s, nil
}

// batch solves the problems of one batch; slots beyond it repeat its first
// sample.
func (s *starter) batch(w, g []float64, batch []int) error {
	o, t := s.o, s.o.problem.Template
	y := make([]float64, o.problem.Batch*t.Targets)
	for slot := range o.problem.Batch {
		sample := batch[0]
		if slot < len(batch) {
			sample = batch[slot]
		} else {
			copy(g[slot*t.Deep:(slot+1)*t.Deep], g[:t.Deep])
		}
		in := s.latent.Instance(slot)
		in.FreeAll()
		if err := o.problem.Label(sample, in); err != nil {
			return fmt.Errorf("bilevel: labels of sample %d: %w", sample, err)
		}
	}
	if err := s.latent.Solve(w, g); err != nil {
		return err
	}
	for slot := range o.problem.Batch {
		copy(y[slot*t.Targets:], s.latent.Result(slot).Y)
	}
	if err := s.full.Solve(w, g); err != nil {
		return err
	}
	if err := s.augmented.SolveMoreau(w, g, y, o.set.Rho); err != nil {
		return err
	}
	copyPoints(o.points, y, batch, t.Targets)
	for _, b := range []banked{{o.warmLatent, s.latent}, {o.warmFull, s.full}, {o.warmAugmented, s.augmented}} {
		if b.bank != nil {
			b.bank.store(b.f, batch)
		}
	}
	return nil
}

// copyPoints stores the points of a batch, clipped to the box.
func copyPoints(points, y []float64, batch []int, n int) {
	for i, sample := range batch {
		for j, v := range y[i*n : (i+1)*n] {
			points[sample*n+j] = min(max(v, 0), 1)
		}
	}
}
