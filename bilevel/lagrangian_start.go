package bilevel

import (
	"fmt"
	"math"

	"hinge/optim/collective"
	"hinge/symbolic/lcqp"
)

// Start sets the points, and ι to the largest M − V: of a sample, or of a batch.
func (l *lagrangian) Start(w []float64, batches [][]int, g func(batch []int) ([]float64, error)) error {
	o, perBatch := l.o, l.o.set.Constraint == ConstraintBatch
	var s *starter
	part := -1
	clear(l.gaps)
	for i := range l.points {
		l.points[i] = math.NaN() // in no batch
	}
	iota := 0.0
	for _, batch := range batches {
		if len(batch) == 0 || len(batch) > o.problem.Batch {
			return fmt.Errorf("bilevel: start: a batch of %d samples, want 1 to %d", len(batch), o.problem.Batch)
		}
		// A solve begins where the solve of the part's previous batch ended. It never begins
		// from another part's, so that the result does not depend on the number of ranks.
		if part != o.parts.Of(batch[0]) {
			part = o.parts.Of(batch[0])
			var err error
			if s, err = l.newStarter(); err != nil {
				return err
			}
		}
		deep := make([]float64, o.problem.room(o.problem.Batch).deep)
		if g != nil {
			out, err := g(batch)
			if err != nil {
				return err
			}
			copy(deep, out)
		}
		if err := s.batch(w, deep, batch); err != nil {
			return OfBatch(err, batch)
		}
		sum := 0.0
		for i, sample := range batch {
			gap := s.moreau.Values()[i] - s.full.Values()[i]
			l.gaps[sample] = gap
			sum += gap
			if !perBatch {
				iota = max(iota, gap)
			}
		}
		iota = max(iota, 0)
		if perBatch {
			iota = max(iota, sum)
		}
	}
	for i := range l.multipliers {
		l.multipliers[i], l.slacks[i], l.residuals[i] = o.set.InitialMultiplier, 0, 0
	}
	clear(l.fresh)
	clear(l.visited)
	if o.parts.Ranks() > 1 {
		most := []float64{iota}
		if err := collective.Max(o.parts.Comm(), most); err != nil {
			return err
		}
		iota = most[0]
	}
	l.outer.start(iota, &o.set)
	return nil
}

// starter solves the problems of the start, with one draw per sample. The first steps start
// from the states that its solves end in.
type starter struct {
	*lagrangian
	latent, full, moreau solver
}

func (l *lagrangian) newStarter() (*starter, error) {
	s := &starter{l, solver{nil, l.o.latent.states}, solver{nil, l.full.states}, solver{nil, l.moreau.states}}
	for _, f := range []*solver{&s.latent, &s.full, &s.moreau} {
		var err error
		if f.ValueFunction, err = l.o.newValue(1, l.o.problem.Batch, false); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// batch solves the problems of one batch; slots beyond it repeat its first
// sample.
func (s *starter) batch(w, g []float64, batch []int) error {
	o := s.o
	y := make([]float64, s.full.room.targets)
	sampleOf := func(slot int) int {
		if slot < len(batch) {
			return batch[slot]
		}
		return batch[0]
	}
	for _, f := range []solver{s.latent, s.full, s.moreau} {
		if err := f.use(func(i int) *lcqp.Template { return o.problem.template(sampleOf(i)) }); err != nil {
			return err
		}
	}
	for slot := range o.problem.Batch {
		sample := sampleOf(slot)
		if slot >= len(batch) {
			copy(s.full.outputs(g, slot), s.full.outputs(g, 0))
		}
		if err := o.label(sample, s.latent.ValueFunction, slot); err != nil {
			return err
		}
	}
	if err := s.latent.Solve(w, g); err != nil {
		return err
	}
	for slot := range o.problem.Batch {
		copy(s.full.points(y, slot), s.latent.Result(slot).Y)
	}
	if err := s.full.Solve(w, g); err != nil {
		return err
	}
	if err := s.moreau.SolveMoreau(w, g, y, s.rho); err != nil {
		return err
	}
	for i, sample := range batch {
		points := s.pointsOf(sample)
		for j, v := range s.full.points(y, i) {
			points[j] = min(max(v, 0), 1)
		}
	}
	for _, f := range []solver{s.latent, s.full, s.moreau} {
		if f.states != nil {
			f.states.store(f.ValueFunction, batch)
		}
	}
	return nil
}
