package problem

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// With y_t = scale·x + shift for any x, every row that is left is coef times its
// left-hand side in x plus its constant, every equality that fixed or merged a target
// holds, and no row is lost or there twice.
func TestLayoutIsSubstitution(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 1))
	fixed, merged := 0, 0
	for round := range 60 {
		in := Equalities(t, rng, 10)
		if round%3 == 0 { // and a label
			if err := in.Fix(rng.IntN(in.Targets), 0.5); err != nil {
				t.Fatal(err)
			}
		}
		for c := range in.Components {
			for _, level := range []Reduction{ReduceFixed, ReduceChains, ReduceMerged} {
				comp := &in.Components[c]
				s := &Presolve{in: in, comp: comp, Tol: 10} // labels need not fit
				s.fixed = make([]bool, len(comp.Targets))
				for i, target := range comp.Targets {
					s.fixed[i] = in.Lower[target] >= in.Upper[target]
				}
				l := newLayout(in.Template, c, s.fixed, level)
				s.lay = l
				s.constants()
				fixed, merged = fixed+len(l.chain), merged+len(l.tree)
				if level < ReduceMerged && len(l.tree) > 0 || level < ReduceChains && len(l.chain) > 0 {
					t.Fatalf("level %d fixes %d and merges %d", level, len(l.chain), len(l.tree))
				}
				x, y := make([]float64, l.Free), make([]float64, in.Targets)
				for k := range x {
					x[k] = rng.NormFloat64()
				}
				for i, target := range comp.Targets {
					y[target] = s.shift[i]
					if k := l.place[i]; k >= 0 {
						y[target] += l.scale[i] * x[k]
					}
				}
				activity := func(r int32) float64 {
					row := comp.Rows[r]
					v := in.B[row]
					for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
						v += in.Val[j] * y[in.Col[j]]
					}
					return v
				}
				count := make([]int, len(comp.Rows))
				for f := range len(l.MemberPtr) - 1 {
					z := 0.0
					if f < l.Free {
						z = x[f]
					} else {
						z = l.Forms.Apply(f-l.Free, x)
					}
					for n := l.MemberPtr[f]; n < l.MemberPtr[f+1]; n++ {
						r := l.memberRow[n]
						count[r]++
						if got, want := l.memberCoef[n]*z+s.constant(r), activity(r); math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
							t.Fatalf("round %d, level %d: row %d is %v in what is left, %v", round, level, r, got, want)
						}
						if l.MemberKind[n] != in.Kinds[comp.Rows[r]] {
							t.Fatalf("round %d: row %d is of kind %v", round, r, l.MemberKind[n])
						}
					}
				}
				for _, r := range l.closed {
					count[r]++
					if got, want := s.constant(r), activity(r); math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
						t.Fatalf("round %d: closed row %d is %v, want %v", round, r, got, want)
					}
				}
				for _, list := range [][]link{l.chain, l.tree} {
					for _, e := range list {
						count[e.row]++
						// A chain's value may be clipped to the box where a label
						// contradicts it.
						if v := activity(e.row); round%3 != 0 && math.Abs(v) > 1e-8 {
							t.Fatalf("round %d: the equality of row %d is off by %v", round, e.row, v)
						}
					}
				}
				for r, n := range count {
					if n != 1 {
						t.Fatalf("round %d, level %d: row %d is there %d times", round, level, r, n)
					}
				}
			}
		}
	}
	if fixed < 50 || merged < 100 {
		t.Errorf("only %d targets were fixed and %d merged", fixed, merged)
	}
}

// What an implication says follows from the two rows: the row grows by the amount
// with y_i − y_j, and the row named states y_i ≤ y_j.
func TestImplications(t *testing.T) {
	rng := rand.New(rand.NewPCG(92, 1))
	add := lcqptest.Add1(1e-3).Instance
	for name, c := range map[string]struct {
		in    *lcqp.Instance
		least int
	}{
		"addition":           {add, 10},
		"first below second": {infertest.New(3).LE(0, 1, -1, 0).LE(-0.5, 1, -1, 1).Instance(t, 0.1), 1},
		"second below first": {infertest.New(3).LE(0, -1, 1, 0).LE(-0.5, -1, 1, 1).Instance(t, 0.1), 1},
		"scaled":             {infertest.New(3).LE(0, -3, 3, 0).LE(-0.5, -2, 1, 1).Instance(t, 0.1), 1},
		"the other way":      {infertest.New(3).LE(0, 1, -1, 0).LE(-0.5, -1, 1, 1).Instance(t, 0.1), 0},
		"too small":          {infertest.New(3).LE(0, 0.5, -0.5, 0).LE(-0.5, 1, -1, 1).Instance(t, 0.1), 0},
		"no difference":      {infertest.New(3).LE(0, 1, -1, 0).LE(-0.5, 1, 1, 1).Instance(t, 0.1), 0},
	} {
		comp := &c.in.Components[0]
		l := newLayout(c.in.Template, 0, make([]bool, len(comp.Targets)), ReduceMerged)
		if len(l.implied) < c.least || c.least == 0 && len(l.implied) > 0 {
			t.Errorf("%s: %d implications, want %d", name, len(l.implied), c.least)
		}
		last := int32(-1)
		for _, e := range l.implied {
			if e.member < last || e.amount <= 0 || l.MemberKind[e.member] != lcqp.HardLE {
				t.Fatalf("%s: implication %+v after that of member %d", name, e, last)
			}
			last = e.member
			f := 0
			for l.MemberPtr[f+1] <= e.member {
				f++
			}
			x := make([]float64, l.Free)
			for k := range x {
				x[k] = rng.Float64()
			}
			side := func() float64 { return l.memberCoef[e.member] * l.Forms.Apply(f-l.Free, x) }
			before, d := side(), rng.Float64()
			x[e.i] += d
			up := side() - before
			x[e.i] -= d
			x[e.j] -= d
			if down := side() - before; min(up, down) < e.amount*d-1e-12 {
				t.Errorf("%s: %+v: the row grows by %v and %v", name, e, up/d, down/d)
			}
			row := comp.Rows[e.by]
			var a [2]float64
			for j := c.in.Ptr[row]; j < c.in.Ptr[row+1]; j++ {
				switch l.place[c.in.Local[c.in.Col[j]]] {
				case e.i:
					a[0] = c.in.Val[j]
				case e.j:
					a[1] = c.in.Val[j]
				}
			}
			if c.in.Kinds[row] != lcqp.HardLE || !(a[0] >= e.amount) || a[1] != -a[0] {
				t.Errorf("%s: %+v rests on a row with %v", name, e, a)
			}
		}
	}
}

// Sums of entries of one column, in any order, and those that cancel.
func TestAddEntry(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 1))
	for range 200 {
		var col []int32
		var val []float64
		var want [8]float64
		for range rng.IntN(20) {
			c, v := int32(rng.IntN(8)), float64(rng.IntN(7)-3)/10
			want[c] += v
			if v != 0 {
				col, val = addEntry(col, val, c, v)
			}
		}
		col, val = dropZeros(col, val)
		for j, c := range col {
			if j > 0 && col[j-1] >= c || val[j] == 0 || !infertest.Near(val[j], want[c], 1e-12) {
				t.Fatalf("columns %v with %v, want %v", col, val, want)
			}
			want[c] = 0
		}
		for c, v := range want {
			if math.Abs(v) > 1e-12 {
				t.Fatalf("column %d with %v is missing", c, v)
			}
		}
	}
}
