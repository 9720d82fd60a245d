// Package sgd is incremental projected subgradient descent, one potential at a time
// ("sgd", "adagrad", "adam"): the first-order methods of the reference implementation.
// Options out of range are refused by Validate. A method is immutable; its Solvers
// belong to one goroutine.
package sgd

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// SGD minimises the primal
//
//	F(y) = Σ_i (Quad y² + Lin y) + Σ_k cost_k([a_k·y + b_k]₊)
//
// over the box and the hard rows. An iteration is a pass over all potentials in a
// random order: with z_k the slope of potential k at its activity, and n_i the number
// of potentials of target i,
//
//	d = z_k a_ki + (2 Quad y_i + Lin)/n_i,     y_i ← clip(y_i − step_i(d))     for all i of k,
//	step_i(d) = γ_t d,                                                          None
//	            γ_t d / √(Σ d² + 1e-8), over all d of target i,                 AdaGrad
//	            γ_t m̂/(√v̂ + 1e-8), the moments m, v of the d of target i,       Adam
//	γ_t = Rate/t^Decay.
//
// (AdaGrad: Duchi et al. 2011. Adam: Kingma and Ba 2015; as in the reference its bias
// is corrected by the number of passes, not of steps.) Hard rows, which the reference
// leaves out with a warning, are ours: after a pass the point is projected on each in
// turn until all hold. The point handed out is the best one after a pass.
//
// The multipliers are means of the slopes z_k over the passes, in which later passes weigh
// more (2/(t + 1) for pass t), and for hard rows of the lengths of the
// projections over γ_t. Without AdaGrad and Adam the steps telescope, so that these
// means tend to a dual optimum as the iterates converge; with them they are valid
// multipliers, but the gap they prove may stay large.
type SGD struct {
	// Extension is None, AdaGrad or Adam.
	Extension Extension
	// Rate > 0 is the learning rate, 0: 1. Decay > 0 is the exponent with which it
	// falls, 0: 1; with Constant it does not.
	Rate, Decay float64
	Constant    bool
	// Beta1 and Beta2, in (0, 1), are Adam's; 0 means 0.9 and 0.999.
	Beta1, Beta2 float64
	// Coordinate takes the slope anew for each target of a potential.
	Coordinate bool
	// Threshold > 0 is the stop rule of the reference: the method ends when the
	// norm of the gradient, without what points out of the box, is at most that.
	// Norm ≥ 1 says which p-norm, 0: the largest entry. Where potentials are not
	// squared that need not happen at any point.
	Threshold, Norm float64
	// Seed seeds the order of the potentials.
	Seed uint64
}

// Extension says how steps adapt to the gradients so far.
type Extension uint8

// The extensions.
const (
	None Extension = iota
	AdaGrad
	Adam
)

var (
	_ problem.Validator = SGD{}
	_ problem.OwnRule   = (*solver)(nil)
)

// Name returns "sgd", "adagrad" or "adam".
func (o SGD) Name() string { return [...]string{"sgd", "adagrad", "adam"}[o.Extension] }

// Defaults returns 10,000 passes, tested after each tenth.
func (SGD) Defaults() (int, int) { return 10000, 10 }

// Capabilities says that nothing is proved: it ends near the optimum, by a rule of its own.
func (SGD) Capabilities() problem.Capabilities {
	return problem.Capabilities{Family: problem.IncrementalFamily}
}

// Validate reports whether the options are in range.
func (o SGD) Validate() error {
	if o.Extension > Adam {
		return fmt.Errorf("infer: SGD.Extension %d is none of None, AdaGrad and Adam", o.Extension)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"Rate", o.Rate}, {"Decay", o.Decay}, {"Threshold", o.Threshold}} {
		if !(v.value >= 0) || math.IsInf(v.value, 0) {
			return fmt.Errorf("infer: SGD.%s %v is not a finite number > 0, or 0 for the default", v.name, v.value)
		}
	}
	if !(o.Norm == 0 || o.Norm >= 1) {
		return fmt.Errorf("infer: SGD.Norm %v is not a number ≥ 1, or 0 for the largest entry", o.Norm)
	}
	for _, v := range []float64{o.Beta1, o.Beta2} {
		if !(v >= 0 && v < 1) {
			return fmt.Errorf("infer: SGD.Beta1 %v and Beta2 %v are not between 0 and 1, or 0 for the default", o.Beta1, o.Beta2)
		}
	}
	return nil
}

// NewSolver returns working state. It panics when the options are not valid.
func (o SGD) NewSolver() problem.Solver {
	problem.MustBeValid(o.Validate())
	o.Rate, o.Decay = cmp.Or(o.Rate, 1), cmp.Or(o.Decay, 1)
	o.Beta1, o.Beta2 = cmp.Or(o.Beta1, 0.9), cmp.Or(o.Beta2, 0.999)
	o.Norm = cmp.Or(o.Norm, math.Inf(1))
	if o.Constant {
		o.Decay = 0
	}
	return &solver{options: o}
}

const (
	// mostSweeps bounds the projections on the hard rows after a pass, exact is the
	// violation at which they end.
	mostSweeps, exact = 50, 1e-12
	// feasible is the violation up to which points are compared by F.
	feasible = 1e-6
	// small keeps the steps of AdaGrad and Adam finite, leastRate what is divided by γ.
	small, leastRate = 1e-8, 1e-12
)

type solver struct {
	options    SGD
	rng        *rand.Rand
	soft, hard []int32 // rows; soft is in the order of the pass
	share      []float64
	y          []float64
	mean       []float64 // moments of each target; AdaGrad has the second alone
	square     []float64
	z, mu      []float64 // slopes of the pass, and their mean, by row
	gradient   []float64
	best       []float64
	bestF      float64
	bestBroken float64
	t          int
	rate       float64
	done       bool
}

// Init starts at p.Y; p.Dual is the proof until the first pass.
func (s *solver) Init(p *problem.Problem) {
	s.rng = rand.New(rand.NewPCG(s.options.Seed, 0))
	s.soft, s.hard = s.soft[:0], s.hard[:0]
	s.share = problem.Resize(s.share, p.Targets)
	clear(s.share)
	for k, kind := range p.Kind {
		if kind <= lcqp.HardEQ {
			s.hard = append(s.hard, int32(k))
			continue
		}
		s.soft = append(s.soft, int32(k))
		for _, i := range p.Col[p.Ptr[k]:p.Ptr[k+1]] {
			s.share[i]++
		}
	}
	for i, n := range s.share {
		s.share[i] = 1 / n // +Inf where only Quad and Lin move it
	}
	s.y, s.mu = append(s.y[:0], p.Y...), append(s.mu[:0], p.Dual...)
	s.z = problem.Resize(s.z, p.Rows)
	s.mean, s.square = problem.Resize(s.mean, p.Targets), problem.Resize(s.square, p.Targets)
	clear(s.mean)
	clear(s.square)
	s.gradient = problem.Resize(s.gradient, p.Targets)
	s.t, s.done = 0, false
	s.best, s.bestF, s.bestBroken = append(s.best[:0], p.Y...), math.Inf(1), math.Inf(1)
	s.consider(p)
}

// slope returns the derivative of potential k's cost by its activity.
func slope(p *problem.Problem, k int, activity float64) float64 {
	if activity <= 0 {
		return 0
	}
	return p.Weight[k] + 2*p.Curv[k]*activity
}

// Iterate makes one pass.
func (s *solver) Iterate(p *problem.Problem) problem.Progress {
	s.t++
	s.rate = max(s.options.Rate/math.Pow(float64(s.t), s.options.Decay), leastRate)
	s.rng.Shuffle(len(s.soft), func(i, j int) { s.soft[i], s.soft[j] = s.soft[j], s.soft[i] })
	for _, k := range s.soft {
		s.visit(p, int(k))
	}
	for i, share := range s.share {
		if math.IsInf(share, 1) {
			s.move(p, int32(i), 2*p.Quad[i]*s.y[i]+p.Lin[i])
		}
	}
	s.project(p)
	weight := 2 / float64(s.t+1)
	for k, z := range s.z {
		s.mu[k] += weight * (z - s.mu[k])
	}
	s.consider(p)
	p.Stats.BlockUpdates += p.Rows
	if s.done {
		return problem.Ready
	}
	return problem.Moving
}

// visit steps along the gradient of potential k.
func (s *solver) visit(p *problem.Problem, k int) {
	z := slope(p, k, p.Activity(k, s.y))
	s.z[k] = z
	for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
		i := p.Col[j]
		s.move(p, i, z*p.Val[j]+(2*p.Quad[i]*s.y[i]+p.Lin[i])*s.share[i])
		if s.options.Coordinate {
			z = slope(p, k, p.Activity(k, s.y))
		}
	}
}

// move steps target i against the partial derivative d.
func (s *solver) move(p *problem.Problem, i int32, d float64) {
	o, step := &s.options, s.rate*d
	switch o.Extension {
	case AdaGrad:
		s.square[i] += d * d
		step /= math.Sqrt(s.square[i] + small)
	case Adam:
		s.mean[i] += (1 - o.Beta1) * (d - s.mean[i])
		s.square[i] += (1 - o.Beta2) * (d*d - s.square[i])
		mean := s.mean[i] / (1 - math.Pow(o.Beta1, float64(s.t)))
		square := s.square[i] / (1 - math.Pow(o.Beta2, float64(s.t)))
		step = s.rate * mean / (math.Sqrt(square) + small)
	}
	s.y[i] = min(max(s.y[i]-step, p.Lower[i]), p.Upper[i])
}

// project moves the point to the hard rows, one after the other.
func (s *solver) project(p *problem.Problem) {
	for _, k := range s.hard {
		s.z[k] = 0
	}
	for range mostSweeps {
		worst := 0.0
		for _, k := range s.hard {
			c := p.Activity(int(k), s.y)
			if c <= 0 && p.Kind[k] == lcqp.HardLE {
				continue
			}
			from, to := p.Ptr[k], p.Ptr[k+1]
			norm := 0.0
			for _, a := range p.Val[from:to] {
				norm += a * a
			}
			worst = max(worst, math.Abs(c))
			c /= norm
			s.z[k] += c / s.rate
			for j := from; j < to; j++ {
				i := p.Col[j]
				s.y[i] = min(max(s.y[i]-c*p.Val[j], p.Lower[i]), p.Upper[i])
			}
		}
		if worst <= exact {
			return
		}
	}
}

// consider keeps the point if it is the best so far, and tests the gradient.
func (s *solver) consider(p *problem.Problem) {
	f, broken := 0.0, 0.0
	for i, y := range s.y {
		f += (p.Quad[i]*y + p.Lin[i]) * y
		s.gradient[i] = 2*p.Quad[i]*y + p.Lin[i]
	}
	for k, kind := range p.Kind {
		activity := p.Activity(k, s.y)
		z := s.mu[k]
		switch {
		case kind == lcqp.HardEQ:
			broken = max(broken, math.Abs(activity))
		case kind == lcqp.HardLE:
			broken = max(broken, activity)
		default:
			z = slope(p, k, activity)
			over := max(activity, 0)
			f += (p.Weight[k] + p.Curv[k]*over) * over
		}
		for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
			s.gradient[p.Col[j]] += z * p.Val[j]
		}
	}
	if broken = max(broken, feasible); broken < s.bestBroken || broken == s.bestBroken && f < s.bestF {
		s.bestF, s.bestBroken = f, broken
		copy(s.best, s.y)
	}
	s.done = s.options.Threshold > 0 && s.norm(p) <= s.options.Threshold
}

// norm returns the norm of the gradient without the entries that the box holds back.
func (s *solver) norm(p *problem.Problem) float64 {
	sum, largest := 0.0, 0.0
	for i, g := range s.gradient {
		if g > 0 && s.y[i] <= p.Lower[i] || g < 0 && s.y[i] >= p.Upper[i] {
			continue
		}
		g = math.Abs(g)
		largest = max(largest, g)
		if !math.IsInf(s.options.Norm, 1) {
			sum += math.Pow(g, s.options.Norm)
		}
	}
	if math.IsInf(s.options.Norm, 1) {
		return largest
	}
	return math.Pow(sum, 1/s.options.Norm)
}

// OwnRule reports whether there is a stop rule of its own, and whether it holds.
func (s *solver) OwnRule() (has, holds bool) { return s.options.Threshold > 0, s.done }

// Point hands out the best point, and the mean of the slopes.
func (s *solver) Point(p *problem.Problem) {
	copy(p.Y, s.best)
	copy(p.Dual, s.mu)
}
