package chain

import (
	"fmt"
	"math"
	"slices"
)

// Link is one link of the samples of a Chain: the part of the ground program that
// is left between two neighbouring separators.
type Link struct {
	// Variables are the places, among the neural outputs of a sample, of the
	// beliefs in the values of each variable the link reads. The combinations of their values
	// are numbered in the order in which the last variable changes fastest.
	Variables [][]int
	// Table returns the link of a sample with its labels. Samples with the same
	// labels should have the same Table, which is then worked out once a step.
	Table func(sample int) (*Table, error)
	// Groundings are the numbers of potentials of each rule in a table; nil is none.
	Groundings []float64
}

// Table is Φ, the sum of the potentials of each rule, for all states of the
// separator before, the separator after, all values of the variables (in this
// order, the last one fastest) and the rules.
type Table struct {
	Phi []float64

	psi         []float64 // e^(−(w·Φ − low)/T)
	low         []float64 // the least w·Φ of each pair of states
	w           []float64 // of psi
	temperature float64
}

// Shape describes samples of one kind: their links, and the numbers of states of the
// separators, one more than links, including the outer ones. An outer separator of more than
// one state is free: F sums over its states.
type Shape struct {
	Links  []Link
	States []int
}

// Chain evaluates F, the free energy of samples that are chains of links, and its
// gradients; see the package comment. Gradients are exact, and of the evaluation
// last made.
type Chain struct {
	shapes      []Shape
	shape       func(sample int) int
	rules       int
	samples     int
	outputs     int // of a sample
	temperature float64

	of          []*Shape   // by sample of the batch
	tables      [][]*Table // by sample of the batch and link
	total       []float64  // F of each sample
	dg          []float64  // its gradient by g
	phi         []float64  // its gradient by w, rules a run
	sums        []float64  // log Σ_x p(x) e^(−w·Φ(x)/T) of the running sample, by link and pair
	low         []float64  // the energy from which each of them counts
	psi         []float64  // of a pair of states whose cheapest values are ruled out
	terms       []float64  // of a message
	forth, back []float64  // logarithms of the messages, by separator and state
	belief      []float64  // p(x) of a link
	slope       []float64  // the derivative by it
}

// New returns a chain for batches of samples, each with the given number of neural outputs.
// shape returns the shape of a sample, by its place among shapes. It is an error when links do
// not fit together or the temperature T is not positive.
func New(shapes []Shape, shape func(sample int) int, rules, samples, outputs int, temperature float64) (*Chain, error) {
	if len(shapes) == 0 || samples < 1 {
		return nil, fmt.Errorf("chain: a chain of %d shapes and %d samples", len(shapes), samples)
	}
	if !(temperature > 0) {
		return nil, fmt.Errorf("chain: a chain at temperature %v, want a number > 0", temperature)
	}
	c := &Chain{
		shapes: shapes, shape: shape, rules: rules, samples: samples, outputs: outputs, temperature: temperature,
		of: make([]*Shape, samples), tables: make([][]*Table, samples), total: make([]float64, samples),
		dg: make([]float64, samples*outputs), phi: make([]float64, samples*rules),
	}
	size, seps := 0, 0
	for i := range shapes {
		s := &shapes[i]
		if err := s.check(outputs); err != nil {
			return nil, err
		}
		pairs, states := 0, s.States[0]
		for l := range s.Links {
			pairs += s.pairs(l)
			states += s.States[l+1]
		}
		size, seps = max(size, pairs), max(seps, states)
	}
	c.sums, c.low, c.forth, c.back = make([]float64, size), make([]float64, size), make([]float64, seps), make([]float64, seps)
	return c, nil
}

// check returns an error for links that do not fit together.
func (s *Shape) check(outputs int) error {
	if len(s.Links) == 0 || len(s.States) != len(s.Links)+1 {
		return fmt.Errorf("chain: a chain of %d links and %d separators", len(s.Links), len(s.States))
	}
	for _, n := range s.States {
		if n < 1 {
			return fmt.Errorf("chain: separators of %v states, want at least 1 each", s.States)
		}
	}
	for l, link := range s.Links {
		for _, places := range link.Variables {
			for _, j := range places {
				if j < 0 || j >= outputs {
					return fmt.Errorf("chain: link %d reads neural output %d of %d", l, j, outputs)
				}
			}
		}
	}
	return nil
}

// pairs counts the states of both separators of a link, values the states of its variables.
func (s *Shape) pairs(l int) int { return s.States[l] * s.States[l+1] }

func (s *Shape) values(l int) int {
	n := 1
	for _, places := range s.Links[l].Variables {
		n *= len(places)
	}
	return n
}

// Load sets the samples of the next evaluations.
func (c *Chain) Load(batch []int) error {
	if len(batch) != c.samples {
		return fmt.Errorf("chain: a batch of %d samples, want %d", len(batch), c.samples)
	}
	for i, sample := range batch {
		k := c.shape(sample)
		if k < 0 || k >= len(c.shapes) {
			return fmt.Errorf("chain: sample %d has shape %d of %d", sample, k, len(c.shapes))
		}
		s := &c.shapes[k]
		c.of[i], c.tables[i] = s, c.tables[i][:0]
		for l, link := range s.Links {
			t, err := link.Table(sample)
			if err != nil {
				return fmt.Errorf("chain: labels of sample %d: %w", sample, err)
			}
			if want := s.pairs(l) * s.values(l) * c.rules; len(t.Phi) != want {
				return fmt.Errorf("chain: sample %d: link %d has a table of %d numbers, want %d", sample, l, len(t.Phi), want)
			}
			c.tables[i] = append(c.tables[i], t)
		}
	}
	return nil
}

// Samples returns the number of values.
func (c *Chain) Samples() int { return c.samples }

// Groundings returns the numbers of potentials of each rule in the loaded samples.
func (c *Chain) Groundings() []float64 {
	sum := make([]float64, c.rules)
	for _, s := range c.of {
		for _, link := range s.Links {
			for r, n := range link.Groundings {
				sum[r] += n
			}
		}
	}
	return sum
}

// Values returns the last F of each sample. It is overwritten by the next
// evaluation.
func (c *Chain) Values() []float64 { return c.total }

// WeightGradient writes Σ_i dv_i · ∂F_i/∂w into dw: the mean of Φ. Lengths:
// Samples() and the number of rules.
func (c *Chain) WeightGradient(dv, dw []float64) {
	clear(dw)
	for i, d := range dv {
		for r, v := range c.phi[i*c.rules : (i+1)*c.rules] {
			dw[r] += d * v
		}
	}
}

// DeepGradient writes Σ_i dv_i · ∂F_i/∂g into out, sample by sample. Lengths:
// Samples() and Samples() times the outputs of a sample.
func (c *Chain) DeepGradient(dv, out []float64) {
	for j, v := range c.dg {
		out[j] = dv[j/c.outputs] * v
	}
}

// weigh works out e^(−w·Φ/T) of a table for so many pairs of states, unless it has it.
func (t *Table) weigh(w []float64, temperature float64, pairs int) {
	if t.temperature == temperature && slices.Equal(t.w, w) {
		return
	}
	if t.psi == nil {
		t.psi, t.low = make([]float64, len(t.Phi)/len(w)), make([]float64, pairs)
	}
	t.w, t.temperature = append(t.w[:0], w...), temperature
	n := len(t.psi) / pairs
	for pair := range t.low {
		psi := t.psi[pair*n : (pair+1)*n]
		for x := range psi {
			psi[x] = 0
			for r, phi := range t.Phi[(pair*n+x)*len(w) : (pair*n+x+1)*len(w)] {
				psi[x] += w[r] * phi
			}
		}
		low := slices.Min(psi)
		for x, e := range psi {
			psi[x] = math.Exp(-(e - low) / temperature)
		}
		t.low[pair] = low
	}
}
