package problem

import (
	"math"
	"slices"

	"hinge/symbolic/lcqp"
)

// rounded is the size of a sum, relative to that of its terms, that counts as 0 in a proof.
const rounded = 1e-14

// Proves reports whether the hard part of mu proves that p has no feasible point. On
// success certificate has the proof. m is scratch, by target.
func (s *Presolve) Proves(p *Problem, mu, m []float64) bool {
	clear(m)
	margin, scale := 0.0, 0.0
	g := p.Forms
	for f := range len(p.SidePtr) - 1 {
		lambda := 0.0
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			v := mu[k]
			if p.Kind[k] > lcqp.HardEQ || v == 0 || p.Kind[k] == lcqp.HardLE && v < 0 {
				continue
			}
			margin += v * p.B[k]
			scale += math.Abs(v * p.B[k])
			lambda += p.Coef[k] * v
		}
		if f < p.Targets {
			m[f] += lambda
			scale += math.Abs(lambda)
			continue
		}
		for j := g.Ptr[f-p.Targets]; lambda != 0 && j < g.Ptr[f-p.Targets+1]; j++ {
			m[g.Col[j]] += g.Val[j] * lambda
			scale += math.Abs(g.Val[j] * lambda)
		}
	}
	for i, v := range m {
		if math.Abs(v) > rounded*scale { // else far bounds would hide a proof behind rounding
			margin += min(v*p.Lower[i], v*p.Upper[i])
		}
	}
	if !(margin > 1e-9*scale) {
		return false
	}
	s.seed = s.seed[:0]
	for k, v := range mu {
		if p.Kind[k] == lcqp.HardEQ && v != 0 || p.Kind[k] == lcqp.HardLE && v > 0 {
			s.seed = append(s.seed, RowMultiplier{Row: s.rows[k], Mu: v})
		}
	}
	return true
}

// Certificate turns multipliers of hard rows (seed) into a certificate in
// original terms: columns of targets that were fixed by equalities are
// cancelled with those equalities, last link first.
func (s *Presolve) Certificate() *Certificate {
	mu := make([]float64, len(s.comp.Rows))
	s.pull = Resize(s.pull, len(s.comp.Targets))
	clear(s.pull)
	for _, f := range s.seed {
		mu[f.Row] += f.Mu
		s.scatter(s.comp.Rows[f.Row], f.Mu)
	}
	for n := len(s.lay.chain) - 1; n >= 0; n-- {
		e := s.lay.chain[n]
		if slices.ContainsFunc(s.seed, func(f RowMultiplier) bool { return f.Row == e.row }) {
			continue // the contradiction is in this link
		}
		d := -s.pull[e.child] / e.a
		mu[e.row] += d
		s.scatter(s.comp.Rows[e.row], d)
	}
	largest := 0.0
	for _, v := range mu {
		largest = max(largest, math.Abs(v))
	}
	// Multipliers that only rounding has left would name rows without need;
	// but the proof comes first.
	for _, least := range [...]float64{1e-6, 0} {
		c := &Certificate{}
		for r, v := range mu {
			if math.Abs(v) > least*largest {
				c.Rows = append(c.Rows, s.comp.Rows[r])
				c.Mu = append(c.Mu, v/largest)
			}
		}
		if least == 0 || c.Margin(s.in) > 0 {
			return c
		}
	}
	return nil
}

// Certificate is a Farkas proof that no point of the box satisfies the hard
// constraints: multipliers Mu of Rows (≥ 0 on inequalities) with
//
//	min over Lower ≤ y ≤ Upper of Σ_k Mu_k (a_k·y + b_k)  >  0.
type Certificate struct {
	// Rows are rows of the template, increasing; all of them hard.
	Rows []int32
	// Mu is scaled so that its largest entry has magnitude 1.
	Mu []float64
}

// Margin recomputes the minimum over the box. It is > 0 exactly when the
// certificate proves infeasibility; −Inf when a multiplier has the wrong sign
// or names a row that is not hard.
func (c *Certificate) Margin(in *lcqp.Instance) float64 {
	pull := make(map[int32]float64)
	margin := 0.0
	for n, row := range c.Rows {
		mu := c.Mu[n]
		if int(row) >= in.Constraints || in.Kinds[row] == lcqp.HardLE && mu < 0 {
			return math.Inf(-1)
		}
		margin += mu * in.B[row]
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			pull[in.Col[j]] += mu * in.Val[j]
		}
	}
	// Targets in order, so that the sum has a fixed order.
	for i := range int32(in.Targets) {
		if m, ok := pull[i]; ok {
			margin += min(m*in.Lower[i], m*in.Upper[i])
		}
	}
	return margin
}
