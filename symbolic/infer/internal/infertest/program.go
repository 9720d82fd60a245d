package infertest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// Build makes small programs by hand. Rows are given as coefficients of all
// targets, zeros for the absent ones.
type Build struct {
	Program hlmrf.Program
	targets int
}

func New(targets int) *Build {
	b := &Build{targets: targets}
	b.Program.Targets = make([]string, targets)
	b.Program.HardRules = []hlmrf.Rule{{Text: "hard rule", Source: "test.psl:7:1"}}
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

// LE adds a·y + k ≤ 0, eq a·y + k = 0.
func (b *Build) LE(k float64, a ...float64) *Build { return b.hard(hlmrf.LessEqual, k, a) }

func (b *Build) EQ(k float64, a ...float64) *Build { return b.hard(hlmrf.Equal, k, a) }

func (b *Build) hard(rel hlmrf.Relation, k float64, a []float64) *Build {
	col, val := nonzeros(a)
	b.Program.Constraints.Append(col, val, nil, nil, k)
	b.Program.ConstraintRule = append(b.Program.ConstraintRule, 0)
	b.Program.Relations = append(b.Program.Relations, rel)
	return b
}

// Linear adds w·max(0, a·y + k), square w·max(0, a·y + k)²; each is a rule.
func (b *Build) Linear(w, k float64, a ...float64) *Build { return b.soft(w, false, k, a) }

func (b *Build) Square(w, k float64, a ...float64) *Build { return b.soft(w, true, k, a) }

func (b *Build) soft(w float64, squared bool, k float64, a []float64) *Build {
	col, val := nonzeros(a)
	b.Program.Potentials.Append(col, val, nil, nil, k)
	b.Program.PotentialRule = append(b.Program.PotentialRule, int32(len(b.Program.Rules)))
	b.Program.Rules = append(b.Program.Rules, hlmrf.Rule{Weight: w, Squared: squared})
	return b
}

func (b *Build) Instance(t testing.TB, epsilon float64) *lcqp.Instance {
	t.Helper()
	tpl, err := lcqp.Compile(&b.Program)
	require.NoError(t, err)
	in, err := tpl.NewInstance(epsilon)
	require.NoError(t, err)
	return in
}

// Sketch builds small programs for tests.
type Sketch struct {
	t testing.TB
	p hlmrf.Program
}

func NewSketch(t testing.TB, targets int) *Sketch {
	s := &Sketch{t: t}
	s.p.HardRules = []hlmrf.Rule{{Text: "hard"}}
	for i := range targets {
		s.p.Targets = append(s.p.Targets, fmt.Sprintf("y%d", i))
	}
	return s
}

func (s *Sketch) Rule(weight float64, squared bool) int32 {
	s.p.Rules = append(s.p.Rules, hlmrf.Rule{Weight: weight, Squared: squared})
	return int32(len(s.p.Rules) - 1)
}

// Soft adds the potential [val·y_col + k]₊.
func (s *Sketch) Soft(rule int32, k float64, col []int32, val ...float64) {
	s.p.Potentials.Append(col, val, nil, nil, k)
	s.p.PotentialRule = append(s.p.PotentialRule, rule)
}

// Hard adds the constraint val·y_col + k ≤ 0 or = 0.
func (s *Sketch) Hard(relation hlmrf.Relation, k float64, col []int32, val ...float64) {
	s.p.Constraints.Append(col, val, nil, nil, k)
	s.p.ConstraintRule = append(s.p.ConstraintRule, 0)
	s.p.Relations = append(s.p.Relations, relation)
}

func (s *Sketch) Instance(epsilon float64) *lcqp.Instance {
	s.t.Helper()
	tpl, err := lcqp.Compile(&s.p)
	if err != nil {
		s.t.Fatal(err)
	}
	in, err := tpl.NewInstance(epsilon)
	if err != nil {
		s.t.Fatal(err)
	}
	return in
}
