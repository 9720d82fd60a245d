package lcqp_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

func TestCompile(t *testing.T) {
	tpl := compile(t, program())
	if tpl.Targets != 5 || tpl.Deep != 2 || tpl.Rules != 2 || tpl.Constraints != 2 || tpl.Potentials != 4 || tpl.Rows() != 6 {
		t.Fatalf("sizes %+v", tpl)
	}
	// Constraints come first, explicit zeros are gone.
	assert.Equal(t, []int32{0, 2, 4, 6, 7, 7, 8}, tpl.Ptr, "Ptr")
	assert.Equal(t, []int32{0, 0, 0, 1, 2, 3, 3}, tpl.DeepPtr, "DeepPtr")
	assert.Equal(t, []lcqp.Kind{lcqp.HardEQ, lcqp.HardLE, lcqp.Linear, lcqp.Square, lcqp.Square, lcqp.Linear}, tpl.Kinds, "Kinds")
	assert.Equal(t, []int32{-1, -1, 0, 1, 1, 0}, tpl.RuleOf, "RuleOf")
	assert.Equal(t, []float64{-1, -2, 0.25, 0.5, -0.5, 0.75}, tpl.B0, "B0")
	assert.Equal(t, "a", tpl.Program().Targets[0], "Program is lost")
}

// Components must be the finest partition: compare with labels spread along
// rows until nothing changes.
func TestComponentsByPropagation(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		tpl := lcqptest.Random(rng, lcqptest.Shape{Targets: 40, Rows: 30, Separate: seed%2 == 0}).Instance.Template
		label := make([]int, tpl.Targets)
		for i := range label {
			label[i] = i
		}
		for changed := true; changed; {
			changed = false
			for k := range tpl.Rows() {
				low := math.MaxInt
				for _, c := range tpl.Col[tpl.Ptr[k]:tpl.Ptr[k+1]] {
					low = min(low, label[c])
				}
				for _, c := range tpl.Col[tpl.Ptr[k]:tpl.Ptr[k+1]] {
					changed = changed || label[c] != low
					label[c] = low
				}
			}
		}
		seen := 0
		for _, c := range tpl.Components {
			for _, target := range c.Targets {
				seen++
				if label[target] != int(c.Targets[0]) {
					t.Fatalf("seed %d: target %d is in the component of %d, want %d", seed, target, c.Targets[0], label[target])
				}
			}
		}
		require.Equalf(t, tpl.Targets, seen, "seed %d", seed)
	}
}

func TestCompileRejects(t *testing.T) {
	if _, err := lcqp.Compile(nil); err == nil {
		t.Error("nil program accepted")
	}
	p := program()
	p.Rules[0].Weight = -1
	_, err := lcqp.Compile(p)
	assert.ErrorContains(t, err, "hlmrf: rule 0")
}

// Rows in one list without zeros are used as they are; the template is the same
// as that of rows that had to be copied.
func TestCompileShares(t *testing.T) {
	apart := lcqptest.Random(rand.New(rand.NewPCG(3, 5)), lcqptest.Shape{Targets: 12, Rows: 20}).Instance.Program()
	together := *apart
	var all hlmrf.Rows
	for _, rows := range []*hlmrf.Rows{&apart.Constraints, &apart.Potentials} {
		for k := range rows.Len() {
			col, val := rows.Row(k)
			deepCol, deepVal := rows.DeepRow(k)
			all.Append(col, val, deepCol, deepVal, rows.Const[k])
		}
	}
	together.SetRows(all, apart.Constraints.Len())
	want, got := compile(t, apart), compile(t, &together)
	if &got.Val[0] != &all.Val[0] || &got.B0[0] != &all.Const[0] {
		t.Error("rows were copied")
	}
	if &want.Val[0] == &apart.Potentials.Val[0] {
		t.Error("rows of two lists were not copied")
	}
	if !slices.Equal(got.Ptr, want.Ptr) || !slices.Equal(got.Col, want.Col) || !slices.Equal(got.Val, want.Val) ||
		!slices.Equal(got.DeepPtr, want.DeepPtr) || !slices.Equal(got.DeepCol, want.DeepCol) ||
		!slices.Equal(got.B0, want.B0) || !slices.Equal(got.Kinds, want.Kinds) || !slices.Equal(got.RuleOf, want.RuleOf) ||
		!slices.Equal(got.RowLocal, want.RowLocal) {
		t.Error("templates differ")
	}
	all.Val[0] = 0
	if got := compile(t, &together); len(got.Val) != len(all.Val)-1 {
		t.Errorf("%d coefficients, want %d without the zero", len(got.Val), len(all.Val)-1)
	}
}
