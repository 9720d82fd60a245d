package lcqptest

import (
	"math/rand/v2"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// Shape bounds the size of a random problem.
type Shape struct {
	// Targets and Rows are the largest numbers of targets and of rows drawn at
	// random; up to one row a target is added to balance the optimum.
	Targets, Rows int
	// Separate draws rows inside blocks of five targets, so that the problem
	// has several connected components.
	Separate bool
}

// Known is an instance together with its optimum.
type Known struct {
	Instance *lcqp.Instance
	// Deep is g, as set in the instance.
	Deep []float64
	// Solution is an optimal primal–dual pair; y is unique, the multipliers
	// need not be.
	Solution lcqp.Solution
	// Value is the optimal regularised value.
	Value float64
}

// maker builds a random problem backwards, as SCS's tests do: first the
// optimum, then rows that hold there in a chosen state, at last rows that make
// the optimum stationary.
type maker struct {
	rng     *rand.Rand
	p       *hlmrf.Program
	epsilon float64
	y, deep []float64
	fixed   []bool
	pull    []float64 // Aᵀμ so far
	duals   []float64 // of potentials; constraints in hard
	hard    []float64
	slack   []float64
}

// Random returns a random instance with a known optimum. It has hard
// equalities and inequalities, active, inactive and degenerate ones, linear
// and squared hinges in every state, targets at their bounds, fixed targets,
// neural outputs and (half of the time) a proximal term.
func Random(rng *rand.Rand, shape Shape) *Known {
	n := 1 + rng.IntN(shape.Targets)
	k := &maker{
		rng: rng, epsilon: []float64{1e-3, 1e-2, 0.1, 1}[rng.IntN(4)],
		p: &hlmrf.Program{Deep: []string{"g0", "g1", "g2"}, HardRules: []hlmrf.Rule{{Text: "hard", Source: "random:1:1"}}},
		y: make([]float64, n), fixed: make([]bool, n), pull: make([]float64, n),
		deep: []float64{rng.Float64(), rng.Float64(), rng.Float64()},
	}
	for i := range n {
		k.p.Targets = append(k.p.Targets, "y")
		switch rng.IntN(4) {
		case 0: // stays 0
		case 1:
			k.y[i] = 1
		default:
			k.y[i] = rng.Float64()
		}
		k.fixed[i] = rng.IntN(8) == 0
	}
	for range 1 + rng.IntN(4) {
		k.p.Rules = append(k.p.Rules, hlmrf.Rule{Weight: []float64{0, 0.1, 1, 1, 5}[rng.IntN(5)], Squared: rng.IntN(2) == 0})
	}
	for range rng.IntN(shape.Rows + 1) {
		k.row(k.leftHandSide(n, shape.Separate))
	}
	prox, center := k.balance(n, shape.Separate)
	return k.finish(prox, center)
}

// leftHandSide draws sorted columns and their coefficients.
func (k *maker) leftHandSide(n int, separate bool) ([]int32, []float64) {
	base, width := 0, n
	if separate {
		base = 5 * k.rng.IntN((n+4)/5)
		width = min(5, n-base)
	}
	var col []int32
	var val []float64
	for i := range width {
		if k.rng.IntN(width) < 3 {
			col = append(col, int32(base+i))
			a := float64(1 + k.rng.IntN(2))
			if k.rng.IntN(3) == 0 {
				a = 0.5 + k.rng.Float64()
			}
			if k.rng.IntN(2) == 0 {
				a = -a
			}
			val = append(val, a)
		}
	}
	return col, val
}

// row adds a row with the given left-hand side in a random state.
func (k *maker) row(col []int32, val []float64) {
	r := k.rng
	switch r.IntN(4) {
	case 0:
		k.constraint(hlmrf.Equal, col, val, 0, r.NormFloat64())
	case 1:
		switch r.IntN(4) {
		case 0: // degenerate: active with multiplier 0
			k.constraint(hlmrf.LessEqual, col, val, 0, 0)
		case 1:
			k.constraint(hlmrf.LessEqual, col, val, 0, r.ExpFloat64())
		default:
			k.constraint(hlmrf.LessEqual, col, val, -r.ExpFloat64(), 0)
		}
	default:
		rule := int32(r.IntN(len(k.p.Rules)))
		w, s := k.p.Rules[rule].Weight, 0.0
		mu := 0.0
		activity := 0.0
		switch r.IntN(3) {
		case 0:
			activity = -r.Float64()
		case 1: // at the kink
			if !k.p.Rules[rule].Squared {
				mu = w * float64(r.IntN(3)) / 2
			}
		default:
			s = r.Float64()
			activity = s
			switch {
			case w == 0: // without ε
			case k.p.Rules[rule].Squared:
				mu = 2 * (w + k.epsilon) * s
			default:
				mu = w + 2*k.epsilon*s
			}
		}
		k.potential(rule, col, val, activity, mu, s)
	}
}

// constant splits the wanted activity a·y + b into neural part and constant.
func (k *maker) constant(col []int32, val []float64, activity float64) (deepCol []int32, deepVal []float64, c float64) {
	for j, i := range col {
		activity -= val[j] * k.y[i]
	}
	if k.rng.IntN(2) == 0 {
		j := k.rng.IntN(len(k.deep))
		d := k.rng.NormFloat64()
		return []int32{int32(j)}, []float64{d}, activity - d*k.deep[j]
	}
	return nil, nil, activity
}

func (k *maker) constraint(rel hlmrf.Relation, col []int32, val []float64, activity, mu float64) {
	dc, dv, c := k.constant(col, val, activity)
	k.p.AddConstraint(rel, 0, col, val, dc, dv, c)
	k.hard = append(k.hard, mu)
	k.add(col, val, mu)
}

func (k *maker) potential(rule int32, col []int32, val []float64, activity, mu, slack float64) {
	dc, dv, c := k.constant(col, val, activity)
	k.p.AddPotential(rule, col, val, dc, dv, c)
	k.duals = append(k.duals, mu)
	k.slack = append(k.slack, slack)
	k.add(col, val, mu)
}

func (k *maker) add(col []int32, val []float64, mu float64) {
	for j, i := range col {
		k.pull[i] += val[j] * mu
	}
}

// balance makes every free target stationary: by the proximal centre where
// there is one, by a bound multiplier where the sign allows it, and else by
// one more row that holds the target and some that come after it.
func (k *maker) balance(n int, separate bool) (prox, center []float64) {
	r := k.rng
	prox, center = make([]float64, n), make([]float64, n)
	if r.IntN(2) == 0 {
		for i := range prox {
			if r.IntN(3) > 0 {
				prox[i] = 0.5 + r.Float64()
			}
		}
	}
	for i := range n {
		force := 2*k.epsilon*k.y[i] + k.pull[i]
		atBound := k.fixed[i] || k.y[i] == 0 && force >= 0 || k.y[i] == 1 && force <= 0
		switch {
		case atBound:
			center[i] = k.y[i]
		case prox[i] > 0:
			center[i] = k.y[i] + force/(2*prox[i])
		default:
			mu := 0.2 + r.Float64()
			col, val := []int32{int32(i)}, []float64{-force / mu}
			last := n
			if separate {
				last = min(n, i-i%5+5)
			}
			for j := i + 1; j < last && len(col) < 4; j++ {
				if r.IntN(2) == 0 {
					col = append(col, int32(j))
					val = append(val, r.NormFloat64())
				}
			}
			if r.IntN(3) == 0 {
				mu = -mu
				for j := range val {
					val[j] = -val[j]
				}
				k.constraint(hlmrf.Equal, col, val, 0, mu)
			} else {
				k.constraint(hlmrf.LessEqual, col, val, 0, mu)
			}
		}
	}
	return prox, center
}

// finish compiles the program and writes down the optimum.
func (k *maker) finish(prox, center []float64) *Known {
	in, err := lcqp.NewInstance(k.p, k.epsilon)
	must(err)
	must(in.SetDeep(k.deep))
	must(in.SetProx(prox, center))
	out := &Known{Instance: in, Deep: k.deep}
	s := &out.Solution
	s.Resize(in.Template)
	copy(s.Y, k.y)
	copy(s.Slack, k.slack)
	copy(s.Dual, k.hard)
	copy(s.Dual[in.Constraints:], k.duals)
	for i, y := range k.y {
		if k.fixed[i] {
			must(in.Fix(i, y))
		}
		force := 2*k.epsilon*y + 2*prox[i]*(y-center[i]) + k.pull[i]
		s.LowerDual[i], s.UpperDual[i] = max(force, 0), max(-force, 0)
	}
	for j := range s.SlackDual {
		s.SlackDual[j] = 0
		row := in.Constraints + j
		if in.Kinds[row] == lcqp.Linear {
			w, curv := in.RowCost(row)
			s.SlackDual[j] = max(0, w+2*curv*s.Slack[j]-s.Dual[row])
		}
	}
	out.Value, _ = in.Value(s)
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
