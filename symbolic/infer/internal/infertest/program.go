package infertest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// Build makes small programs by hand.
type Build struct{ hlmrf.Program }

// New returns a program of targets without rows.
func New(targets int) *Build {
	b := new(Build)
	for i := range targets {
		b.Targets = append(b.Targets, fmt.Sprintf("y%d", i))
	}
	b.HardRules = []hlmrf.Rule{{Text: "hard rule", Source: "test.psl:7:1"}}
	return b
}

func nonzeros(a []float64) (col []int32, val []float64) {
	for i, v := range a {
		if v != 0 {
			col = append(col, int32(i))
			val = append(val, v)
		}
	}
	return col, val
}

// LE adds a·y + k ≤ 0, EQ a·y + k = 0, with the coefficients of all targets, zeros for absent ones.
func (b *Build) LE(k float64, a ...float64) *Build { return b.row(hlmrf.LessEqual, k, a) }

func (b *Build) EQ(k float64, a ...float64) *Build { return b.row(hlmrf.Equal, k, a) }

func (b *Build) row(relation hlmrf.Relation, k float64, a []float64) *Build {
	col, val := nonzeros(a)
	b.Hard(relation, k, col, val...)
	return b
}

// Linear adds w·max(0, a·y + k), Square w·max(0, a·y + k)²; each is a rule.
func (b *Build) Linear(w, k float64, a ...float64) *Build { return b.term(w, false, k, a) }

func (b *Build) Square(w, k float64, a ...float64) *Build { return b.term(w, true, k, a) }

func (b *Build) term(w float64, squared bool, k float64, a []float64) *Build {
	col, val := nonzeros(a)
	b.Soft(b.Rule(w, squared), k, col, val...)
	return b
}

// Rule adds a weighted rule and returns its number.
func (b *Build) Rule(weight float64, squared bool) int32 {
	b.Rules = append(b.Rules, hlmrf.Rule{Weight: weight, Squared: squared})
	return int32(len(b.Rules) - 1)
}

// Soft adds a potential of a rule, val·y_col + k.
func (b *Build) Soft(rule int32, k float64, col []int32, val ...float64) {
	b.AddPotential(rule, col, val, nil, nil, k)
}

// Hard adds the constraint val·y_col + k ≤ 0 or = 0.
func (b *Build) Hard(relation hlmrf.Relation, k float64, col []int32, val ...float64) {
	b.AddConstraint(relation, 0, col, val, nil, nil, k)
}

// Instance compiles the program.
func (b *Build) Instance(t testing.TB, epsilon float64) *lcqp.Instance {
	t.Helper()
	in, err := lcqp.NewInstance(&b.Program, epsilon)
	require.NoError(t, err)
	return in
}
