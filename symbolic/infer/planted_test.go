package infer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// planted is a random feasible program in which presolve finds work: pairs of
// targets that hard equalities tie together, targets that they fix, rows that
// occur several times, hard rows that others imply, and fixed labels.
type planted struct {
	rng *rand.Rand
	p   hlmrf.Program
	y   []float64 // a feasible point
}

func plant(t testing.TB, seed uint64) *lcqp.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	k := &planted{rng: rng}
	k.p.HardRules = []hlmrf.Rule{{Text: "hard"}}
	n := 4 + rng.IntN(8)
	for i := range n {
		k.p.Targets = append(k.p.Targets, fmt.Sprint("y", i))
		k.y = append(k.y, float64(rng.IntN(11))/10)
	}
	for range 3 {
		k.p.Rules = append(k.p.Rules, hlmrf.Rule{Weight: []float64{0.2, 1, 3}[rng.IntN(3)], Squared: rng.IntN(2) == 0})
	}
	for range 2 * n {
		k.soft()
	}
	for range 1 + rng.IntN(3) {
		k.tie()
	}
	for range rng.IntN(2) {
		i := rng.IntN(n)
		k.hard(hlmrf.Equal, 0, []int32{int32(i)}, []float64{1 + rng.Float64()})
	}
	for range rng.IntN(3) {
		k.imply()
	}
	for range rng.IntN(4) {
		col, val := k.side(2 + rng.IntN(3))
		k.hard(hlmrf.LessEqual, 0.3*rng.Float64(), col, val)
	}
	in, err := lcqp.NewInstance(&k.p, []float64{1e-3, 0.05}[rng.IntN(2)])
	require.NoError(t, err)
	if rng.IntN(3) == 0 {
		i := rng.IntN(n)
		require.NoError(t, in.Fix(i, k.y[i]))
	}
	if rng.IntN(3) == 0 {
		require.NoError(t, in.SetProx([]float64{0.5}, k.y))
	}
	return in
}

// side draws a left-hand side.
func (k *planted) side(width int) ([]int32, []float64) {
	var col []int32
	var val []float64
	for i := range k.y {
		if k.rng.IntN(len(k.y)) < width {
			col = append(col, int32(i))
			val = append(val, []float64{1, -1, 1, -1, 0.5, 2}[k.rng.IntN(6)])
		}
	}
	if len(col) == 0 {
		return []int32{0}, []float64{1}
	}
	return col, val
}

// soft adds a potential, one to four times.
func (k *planted) soft() {
	col, val := k.side(2)
	c := k.rng.Float64() - 0.7
	rule := int32(k.rng.IntN(3))
	for range 1 + max(0, k.rng.IntN(6)-2) {
		k.p.AddPotential(rule, col, val, nil, nil, c)
	}
}

// hard adds a constraint that the feasible point satisfies with the given room.
func (k *planted) hard(rel hlmrf.Relation, room float64, col []int32, val []float64) {
	c := -room
	for j, i := range col {
		c -= val[j] * k.y[i]
	}
	k.p.AddConstraint(rel, 0, col, val, nil, nil, c)
}

// tie adds an equality of two targets, sometimes twice.
func (k *planted) tie() {
	i := k.rng.IntN(len(k.y) - 1)
	j := i + 1 + k.rng.IntN(len(k.y)-1-i)
	val := []float64{1, []float64{-1, 1, -2, 0.5}[k.rng.IntN(4)]}
	for range 1 + k.rng.IntN(2) {
		k.hard(hlmrf.Equal, 0, []int32{int32(i), int32(j)}, val)
	}
}

// imply adds y_i ≤ y_j and a hard row that follows from it.
func (k *planted) imply() {
	n := len(k.y)
	i, j, l := k.rng.IntN(n), k.rng.IntN(n), k.rng.IntN(n)
	if i == j || j == l || i == l || k.y[i] > k.y[j] {
		return
	}
	add := func(c float64, terms map[int]float64) {
		var col []int32
		var val []float64
		for t := range n {
			if a, ok := terms[t]; ok {
				col, val = append(col, int32(t)), append(val, a)
			}
		}
		k.p.AddConstraint(hlmrf.LessEqual, 0, col, val, nil, nil, c)
	}
	add(0, map[int]float64{i: 1, j: -1})
	add(-1, map[int]float64{i: 1, j: -1, l: 1})
}

// Whatever presolve takes away, every original row must get a multiplier that
// the judge accepts, and the answer must be that without presolve.
func TestPlanted(t *testing.T) {
	var with, without Stats
	for seed := range uint64(600) {
		in := plant(t, seed)
		raw := solve(t, in, nil, Settings{NoPresolve: true})
		for _, m := range []Method{Auto{}, InteriorPoint{}} {
			res := solve(t, in, nil, Settings{Method: m})
			if res.Status != Solved || raw.Status != Solved {
				t.Errorf("seed %d, %s: %v; without presolve %v", seed, m.Name(), res.Status, raw.Status)
				continue
			}
			if r := lcqp.Residuals(in, &res.Solution); !(r.Max() <= 1e-6) {
				t.Errorf("seed %d, %s: claimed to be solved, but %+v", seed, m.Name(), r)
			}
			if !infertest.Near(res.PrimalValue, raw.PrimalValue, 1e-7) {
				t.Errorf("seed %d, %s: value %v, without presolve %v", seed, m.Name(), res.PrimalValue, raw.PrimalValue)
			}
			with.Add(&res.Stats)
			without.Add(&raw.Stats)
		}
	}
	if 10*with.TargetsLeft > 8*without.TargetsLeft || 10*with.RowsLeft > 7*without.RowsLeft {
		t.Errorf("%d targets and %d rows left of %d and %d", with.TargetsLeft, with.RowsLeft, without.TargetsLeft, without.RowsLeft)
	}
}

// Contradictions among planted structures end with a proof in original rows.
func TestPlantedInfeasible(t *testing.T) {
	for name, b := range map[string]*infertest.Build{
		"merged and fixed":      infertest.New(3).EQ(0, 1, -1, 0).EQ(0, 0, 1, -1).EQ(-0.2, 1, 0, 0).EQ(-0.9, 0, 0, 1),
		"merged, then a row":    infertest.New(3).EQ(0, 1, -1, 0).EQ(-1, 0, 1, 1).LE(0.2, 1, 0, -1).LE(0.2, -1, 0, 1),
		"merged without room":   infertest.New(2).EQ(-1.5, 1, 1).EQ(-0.9, 1, -1),
		"twice, but not equal":  infertest.New(2).EQ(-1, 1, 1).EQ(-1.1, 1, 1),
		"merged in a circle":    infertest.New(3).EQ(0, 1, -1, 0).EQ(0, 0, 1, -1).EQ(-0.5, -1, 0, 1),
		"sum of merged targets": infertest.New(2).EQ(0, 1, -1).EQ(-2.5, 1, 1),
	} {
		in := b.Square(1, -0.5, 1).Instance(t, 0.1)
		for _, m := range []Method{Auto{}, InteriorPoint{}} {
			res := solve(t, in, nil, Settings{Method: m})
			if res.Status != Infeasible {
				t.Errorf("%s, %s: %v", name, m.Name(), res.Status)
			} else if margin := res.Certificate.Margin(in); !(margin > 1e-9) {
				t.Errorf("%s, %s: margin %v of %+v", name, m.Name(), margin, res.Certificate)
			}
		}
	}
}
