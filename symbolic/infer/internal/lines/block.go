package lines

import (
	"encoding/binary"
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
	p *Program
	w []float64
	// By class: its cost, and the sum of the weights of its rows.
	jump, curv, weight []float64
	// By neural output or affine function, Width numbers each; which programs it is large
	// enough to matter to.
	g, b   []float64
	large  []uint8
	hinges [Width][]hinge
	search search
}

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
	n := len(p.classes)
	b.jump, b.curv, b.weight = problem.Resize(b.jump, n), problem.Resize(b.curv, n), problem.Resize(b.weight, n)
	for i := range p.classes {
		c, weight, times := &p.classes[i], 0.0, 0.0
		for _, s := range p.rules[c.from:c.to] {
			if weight += s.times * w[s.rule]; w[s.rule] > 0 {
				times += s.times
			}
		}
		b.weight[i] = weight
		b.jump[i], b.curv[i] = c.cost(weight, times*p.Epsilon)
	}
	b.g, b.b = problem.Resize(b.g, Width*(len(p.used)+1)), problem.Resize(b.b, Width*len(p.needed))
	b.large = problem.Resize(b.large, (len(p.needed)+7)&^7)
	clear(b.large)
}

// Solve solves at most Width programs with the neural outputs g. goal returns the stop rule of
// a component whose value contains the given constant.
func (b *Block) Solve(g [][]float64, goal func(constant float64) problem.Tolerance, answers []Answer) {
	p, n := b.p, len(g)
	for i, c := range p.used {
		row := b.g[i*Width : (i+1)*Width]
		clear(row[n:])
		for l, outputs := range g {
			row[l] = outputs[c]
		}
	}
	ones := b.g[len(p.used)*Width:]
	for l := range ones {
		ones[l] = 1
	}
	for _, r := range p.runs {
		sparse.Products(r.k, p.at[r.first:], p.terms[r.first:], b.g, b.b[r.from*Width:r.to*Width])
	}
	b.compare()
	for l := range answers {
		a := &answers[l]
		*a = Answer{Phi: a.Phi, Deep: a.Deep, Y: a.Y, Dual: a.Dual, Solved: finite(g[l])}
	}
	for i := range p.components {
		c := &p.components[i]
		for l := range n {
			b.hinges[l] = b.hinges[l][:0]
		}
		var closed [Width]float64
		b.scan(c, n, answers, &closed)
		t := goal(c.Fixed)
		for l := range answers {
			b.component(c, l, closed[l], &t, &answers[l])
		}
	}
}

// compare finds which programs an affine function is large enough for.
func (b *Block) compare() {
	// By the sign of the difference, as branches here would be taken by chance.
	for e, needed := range b.p.needed {
		v := (*[Width]float64)(b.b[e*Width:])
		b.large[e] = uint8(less(needed, v[0]) | less(needed, v[1])<<1 | less(needed, v[2])<<2 | less(needed, v[3])<<3 |
			less(needed, v[4])<<4 | less(needed, v[5])<<5 | less(needed, v[6])<<6 | less(needed, v[7])<<7)
	}
}

// less is 1 where a < b and 0 elsewhere, for finite numbers.
func less(a, b float64) uint64 { return math.Float64bits(a-b) >> 63 }

// finite is true if every number of x is finite.
func finite(x []float64) bool {
	sum := 0.0 // of zeros
	for _, v := range x {
		sum += v - v
	}
	return sum == 0
}

// scan adds up the rows of a component without targets, and lists the hinges that may
// matter.
func (b *Block) scan(c *component, n int, answers []Answer, closed *[Width]float64) {
	p, mask := b.p, uint8(1<<n-1)
	for e := c.from; e < c.to; e++ {
		if e&7 == 0 {
			for e+8 <= c.to && binary.LittleEndian.Uint64(b.large[e:]) == 0 {
				e += 8
			}
			if e == c.to {
				break
			}
		}
		large := b.large[e] & mask
		if large == 0 {
			continue
		}
		for k := p.classPtr[e]; k < p.classPtr[e+1]; k++ {
			class := &p.classes[k]
			for m := large; m != 0; m &= m - 1 {
				l := bits.TrailingZeros8(m)
				v := b.b[e*Width+l]
				switch {
				case !(v > class.needed):
				case class.coef != 0:
					b.hinges[l] = append(b.hinges[l], hinge{a: class.coef, b: v, jump: b.jump[k], curv: b.curv[k], affine: int32(e), class: k})
				case class.kind <= lcqp.HardEQ:
					if class.kind == lcqp.HardEQ {
						v = math.Abs(v)
					}
					answers[l].Violation = max(answers[l].Violation, v)
				default:
					closed[l] += (b.jump[k] + b.curv[k]*v) * v
					b.give(e, k, v, b.jump[k]+2*b.curv[k]*v, &answers[l])
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
		for j := p.ptr[e]; j < p.ptr[e+1]; j++ {
			a.Deep[p.deep[j]] += p.val[j] * dual
		}
	}
	if class.kind == lcqp.Square {
		slack *= slack
	}
	a.Energy += b.weight[k] * slack
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
		for _, row := range class.rows {
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
