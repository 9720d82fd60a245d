package lines

import (
	"math"
	"math/bits"
	"slices"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// Width is the number of programs of a Block.
const Width = sparse.Columns

// Block solves up to Width programs side by side.
type Block struct {
	p     *Program
	w     []float64
	costs []classCost // by class
	// By neural output, Width numbers each. By affine function that is large enough to matter to
	// a program: its number in found, and Width values.
	g, b   []float64
	found  []int
	hinges [Width][]hinge
	search search
}

// classCost is the cost of a class, and the sum of the weights of its rows.
type classCost struct{ jump, curv, weight float64 }

// Answer is the solution of one program.
type Answer struct {
	// Where to add Φ(y*), and Bᵀμ* unless it is nil.
	Phi, Deep []float64
	// Y receives the targets and Dual, unless it is nil, the multipliers of all potentials
	// with targets. Entries of other rows stay unchanged.
	Y, Dual []float64

	// Solved is true where the stop rule holds in all components. Otherwise another method has
	// to solve the program: the other fields have no meaning.
	Solved bool
	// Primal and Dual value, energy without ε; the sum and the largest of the components'
	// gaps, the largest violation of a hard row.
	PrimalValue, DualValue, Energy, TotalGap, MaxGap, Violation float64
}

// Weigh prepares the next Solve for programs of p with the rule weights w.
func (b *Block) Weigh(p *Program, w []float64) {
	if b.p == p && slices.Equal(b.w, w) {
		return
	}
	b.p, b.w = p, append(b.w[:0], w...)
	b.costs = problem.Resize(b.costs, len(p.classes))
	for i := range p.classes {
		c, weight, times := &p.classes[i], 0.0, 0.0
		for _, s := range p.rules[c.from:c.to] {
			if weight += s.times * w[s.rule]; w[s.rule] > 0 {
				times += s.times
			}
		}
		jump, curv := c.cost(weight, times*p.Epsilon)
		b.costs[i] = classCost{jump, curv, weight}
	}
	all := len(p.ptr) - 1
	b.g, b.b, b.found = problem.Resize(b.g, Width*len(p.used)), problem.Resize(b.b, Width*all), problem.Resize(b.found, all)
}

// Solve solves at most Width programs with the neural outputs g. goal returns the stop rule of
// a component whose value contains the given constant.
func (b *Block) Solve(g [][]float64, goal func(constant float64) problem.Tolerance, answers []Answer) {
	p, n, found := b.p, len(g), 0
	for i, c := range p.used {
		row := (*[Width]float64)(b.g[i*Width:])
		for l, outputs := range g {
			row[l] = outputs[c]
		}
		for l := n; l < Width; l++ {
			row[l] = row[0] // finds nothing more
		}
	}
	for _, r := range p.runs {
		found += sparse.Larger(r.k, r.from, p.rows[p.ptr[r.from]:p.ptr[r.to]], p.terms, b.g, b.found[found:], b.b[found*Width:])
	}
	for l := range answers {
		a := &answers[l]
		*a = Answer{Phi: a.Phi, Deep: a.Deep, Y: a.Y, Dual: a.Dual, Solved: !slices.ContainsFunc(g[l], func(v float64) bool { return v-v != 0 })} // all finite
	}
	next := 0
	for i := range p.components {
		c := &p.components[i]
		for l := range n {
			b.hinges[l] = b.hinges[l][:0]
		}
		var closed [Width]float64
		first := next
		for next < found && b.found[next] < c.to {
			next++
		}
		b.scan(first, next, answers, &closed)
		t := goal(c.Fixed)
		for l := range answers {
			b.component(c, l, closed[l], &t, &answers[l])
		}
	}
}

// less is 1 where a < b and 0 elsewhere. It compiles to no branch.
func less(a, b float64) (n uint64) {
	if a < b {
		n = 1
	}
	return n
}

// scan adds up the rows of a component without targets, and lists the hinges that may
// matter: both are among the functions found from first to last.
func (b *Block) scan(first, last int, answers []Answer, closed *[Width]float64) {
	p, mask := b.p, uint64(1<<len(answers)-1)
	for at := first; at < last; at++ {
		e, v := b.found[at], (*[Width]float64)(b.b[at*Width:])
		for k := p.classPtr[e]; k < p.classPtr[e+1]; k++ {
			class, cost := &p.classes[k], &b.costs[k]
			needed := class.needed // without branches, which would be taken by chance
			large := less(needed, v[0]) | less(needed, v[1])<<1 | less(needed, v[2])<<2 | less(needed, v[3])<<3 |
				less(needed, v[4])<<4 | less(needed, v[5])<<5 | less(needed, v[6])<<6 | less(needed, v[7])<<7
			for m := large & mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros64(m)
				v := v[l&(Width-1)]
				switch {
				case class.coef != 0:
					b.hinges[l] = append(b.hinges[l], hinge{a: class.coef, b: v, jump: cost.jump, curv: cost.curv, affine: int32(e), class: k})
				case class.kind <= lcqp.HardEQ:
					if class.kind == lcqp.HardEQ {
						v = math.Abs(v)
					}
					answers[l].Violation = max(answers[l].Violation, v)
				default:
					closed[l] += (cost.jump + cost.curv*v) * v
					b.give(e, k, v, cost.jump+2*cost.curv*v, &answers[l])
				}
			}
		}
	}
}

// give adds what class k, with affine function e, gives to energy and gradients at a slack,
// with a sum of multipliers.
func (b *Block) give(e int, k int32, slack, dual float64, a *Answer) {
	p := b.p
	class := &p.classes[k]
	if a.Deep != nil {
		at, factors := p.factors(e)
		for j, f := range factors {
			a.Deep[p.used[uint32(at[j])/(8*Width)]] += f * dual
		}
	}
	if class.kind == lcqp.Square {
		slack *= slack
	}
	a.Energy += b.costs[k].weight * slack
	if a.Phi == nil {
		return
	}
	for _, s := range p.rules[class.from:class.to] {
		a.Phi[s.rule] += s.times * slack
	}
}

// component solves component c of program l, whose closed rows cost so much.
func (b *Block) component(c *component, l int, closed float64, goal *problem.Tolerance, a *Answer) {
	hinges, x, v := b.hinges[l], 0.0, problem.Point{}
	if c.Free {
		x = b.search.minimize(c.Lower, c.Upper, c.Quad, c.Lin, hinges)
		v = c.evaluate(x, hinges)
		for i := range hinges {
			if h := &hinges[i]; h.dual != 0 || h.slack != 0 {
				b.give(int(h.affine), h.class, h.slack, h.dual, a)
			}
		}
		if a.Dual != nil {
			b.multipliers(hinges, a.Dual)
		}
	}
	v.Violation = a.Violation
	a.Solved = a.Solved && goal.Met(&v, 1)
	a.PrimalValue += v.Primal + c.Fixed + closed
	a.DualValue += v.Dual + c.Fixed + closed
	a.TotalGap += v.Gap()
	a.MaxGap = max(a.MaxGap, v.Gap())
	for i, t := range c.targets {
		a.Y[t] = min(max(c.Scale[i]*x+c.Shift[i], 0), 1)
	}
}

// evaluate computes primal and dual value of a component at x and the answers of its hinges,
// and how far x is from stationary. The dual is minimised over the box and the slacks in
// closed form.
func (c *component) evaluate(x float64, hinges []hinge) (v problem.Point) {
	v.Primal = (c.Quad*x + c.Lin) * x
	pull := c.Lin
	for i := range hinges {
		h := &hinges[i]
		s := max(h.a*x+h.b, 0)
		v.Primal += (h.jump + h.curv*s) * s
		v.Dual += h.dual * h.b
		if over := h.dual - h.jump; over > 0 {
			v.Dual -= over * over / (4 * h.curv)
		}
		pull += h.a * h.dual
	}
	y := min(max(-pull/(2*c.Quad), c.Lower), c.Upper)
	v.Dual += (c.Quad*y + pull) * y
	if off := 2*c.Quad*x + pull; off > 0 {
		v.Stationarity = off * (x - c.Lower)
	} else {
		v.Stationarity = off * (x - c.Upper)
	}
	return v
}

// multipliers writes the multipliers of the hinges' rows.
func (b *Block) multipliers(hinges []hinge, dual []float64) {
	p := b.p
	for i := range hinges {
		h := &hinges[i]
		class := &p.classes[h.class]
		for _, row := range p.classRows[h.class] {
			w := b.w[p.Template.RuleOf[row]]
			switch jump, curv := class.cost(w, p.Epsilon); {
			case h.matters:
				dual[row] = jump + 2*curv*h.slack
			case h.dual > 0:
				dual[row] = w * h.dual / h.jump
			}
		}
	}
}
