package ground_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// people declares n people; all pairs are targets of Likes.
func people(t testing.TB, n int) *ground.Database {
	db := declare(t, "Person/1", "Likes/2")
	for i := range n {
		fill(t, db, "obs Person("+strconv.Itoa(i)+")")
		for j := range n {
			fill(t, db, fmt.Sprintf("target Likes(%d,%d)", i, j))
		}
	}
	return db
}

func TestRulesOfTheProgram(t *testing.T) {
	rules := "4: Likes(A, B) -> Likes(B, A) ^2\n" +
		"Likes(A, B) = Likes(B, A) .\n" +
		"1: Likes(A, +B) <= 1 {B: B == '0' | B == '1'}\n" +
		"0: !Likes(A, B)"
	for _, normalize := range []bool{false, true} {
		p, err := groundText(t, rules, people(t, 3), ground.Options{NormalizeWeights: normalize})
		require.NoError(t, err)
		scale := 1.0
		if normalize {
			scale = 0.25
		}
		const filtered = "1: Likes(A, +B) <= 1 {B: (B == '0') | (B == '1')}"
		for i, want := range []struct {
			text, source string
			weight       float64
			squared      bool
		}{
			{"4: Likes(A, B) -> Likes(B, A) ^2", "rules.psl:1:1", 4, true},
			{filtered, "rules.psl:3:1", 1, false},
			{filtered, "rules.psl:3:1", 1, false},
			{"0: !Likes(A, B)", "rules.psl:4:1", 0, false},
		} {
			r := p.Rules[i]
			if r.Text != want.text || r.Source != want.source || r.Weight != want.weight*scale || r.Squared != want.squared {
				t.Errorf("rule %d is %+v, want %+v", i, r, want)
			}
		}
		if len(p.Rules) != 4 || len(p.HardRules) != 1 || p.HardRules[0].Source != "rules.psl:2:1" {
			t.Errorf("%d rules, hard rules %v", len(p.Rules), p.HardRules)
		}
		// 6 pairs A != B; the pairs A = A are tautologies. 3 + 3 sums of one
		// atom <= 1 are trivial. 9 priors. The equality keeps A = A.
		count := make([]int, 4)
		for _, r := range p.PotentialRule {
			count[r]++
		}
		if !reflect.DeepEqual(count, []int{6, 0, 0, 9}) || p.Constraints.Len() != 9 {
			t.Errorf("potentials %v, %d constraints", count, p.Constraints.Len())
		}
	}
	if p, err := groundText(t, "0: !Likes(A, B)", people(t, 1), ground.Options{NormalizeWeights: true}); err != nil || p.Rules[0].Weight != 1 {
		t.Errorf("the weight 0 alone, normalised: %v, %v", p, err)
	}
	if p, err := groundText(t, "0: !Likes(A, B)", people(t, 1), ground.Options{}); err != nil || p.Rules[0].Weight != 0 {
		t.Errorf("the weight 0 alone: %v, %v", p, err)
	}
	if p, err := groundText(t, "", people(t, 2), ground.Options{}); err != nil || len(p.Targets) != 4 || p.Potentials.Len() != 0 || p.Check() != nil {
		t.Errorf("no rules: %v, %v", p, err)
	}
}

// TestWorkers checks that the program does not depend on the number of
// goroutines, bit by bit.
func TestWorkers(t *testing.T) {
	rules := strings.Repeat("1: Likes(A, B) & Likes(B, C) -> Likes(A, C)\nLikes(A, +B) <= 1 .\n0.5: Likes(A, B) = 0.3\n", 4)
	var first any
	for _, workers := range []int{1, 2, 3, 0, 100} {
		p, err := groundText(t, rules, people(t, 6), ground.Options{Workers: workers})
		require.NoError(t, err)
		if first == nil {
			first = p
		} else if !reflect.DeepEqual(first, p) {
			t.Errorf("another program with %d workers", workers)
		}
	}
}

func TestMaxRows(t *testing.T) {
	const rule = "1: Likes(A, B) & Likes(B, C) & Likes(C, D) & A != C & B != D & A != B -> Likes(A, D)"
	p, err := groundText(t, rule, people(t, 5), ground.Options{})
	require.NoError(t, err)
	n := p.Potentials.Len()
	if _, err := groundText(t, rule, people(t, 5), ground.Options{MaxRows: n}); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	_, err = groundText(t, rule, people(t, 5), ground.Options{MaxRows: n - 1})
	assert.ErrorContains(t, err, fmt.Sprintf("more than %d groundings", n-1), "above the limit")
}

func TestCancel(t *testing.T) {
	rules, err := psl.Parse("rules.psl", []byte("1: Likes(A, B) & Likes(C, D) & Likes(E, F) & Likes(G, H) -> Likes(A, H)"))
	require.NoError(t, err)
	db := people(t, 20) // 400^4 groundings: only a cancelled run ends
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := ground.Ground(ctx, rules, db, (&recorder{after: 1, cancel: cancel}).options()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := ground.Ground(ctx, rules, db, ground.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// recorder keeps what it hears of. It calls cancel once so many rules are planned.
type recorder struct {
	plans  []ground.RulePlan
	stats  []ground.RuleStats
	after  int
	cancel func()
}

func (r *recorder) Planned(p ground.RulePlan) {
	if r.plans = append(r.plans, p); len(r.plans) == r.after {
		r.cancel()
	}
}

func (r *recorder) Grounded(s ground.RuleStats) { r.stats = append(r.stats, s) }

func (r *recorder) options() ground.Options {
	return ground.Options{Planned: r.Planned, Grounded: r.Grounded}
}

func TestRecorder(t *testing.T) {
	db := people(t, 10)
	fill(t, db, "target Likes(0,x)", "target Likes(y,0)")
	var r recorder
	options := r.options()
	options.DropMissing = true
	_, err := groundText(t, "1: Person(A) & Likes(A, B) & Likes(B, A) -> !Person(B)\n"+
		"1: Person(A) & Likes(A, B) -> Likes(B, A)\n"+
		"1: Likes(A, +B) <= 100\n1: Likes(A, B) = 1\nLikes('0', +B) <= 2 .\n1: Person(A) <= 0", db, options)
	require.NoError(t, err)
	want := []ground.RuleStats{
		{Rule: 0, Rows: 100, Matches: 100},
		{Rule: 1, Rows: 90, Matches: 101, Opposed: 10, Missing: 1},
		{Rule: 2, Rows: 10, Matches: 11, Trivial: 1}, // y likes one
		{Rule: 3, Rows: 102, Matches: 102, Trivial: 102},
		{Rule: 4, Rows: 1, Matches: 1},
		{Rule: 5, Matches: 10, NoTarget: 10, Empty: "each of 10 matches has no target", Hint: "list the atoms to infer as targets"},
	}
	for i := range want {
		want[i].Pos = psl.Pos{File: "rules.psl", Line: i + 1, Col: 1}
	}
	assert.Equal(t, want, r.stats, "stats")
	p := r.plans[0]
	if p.Source != "rules.psl:1:1" || p.Warning != "" || len(r.plans) != 6 {
		t.Errorf("plan %+v", p)
	}
	if got := p.Groundings; math.Abs(got-102.0/11/11*10*102/11) > 1e-9 {
		t.Errorf("estimate %v", got)
	}
}

// TestWarning estimates rules that would explode without grounding them.
func TestWarning(t *testing.T) {
	rules, err := psl.Parse("rules.psl", []byte("1: Likes(A, B) & Likes(C, D) & Likes(E, F) & Likes(G, H) -> Likes(A, H)\n1: Likes(A, B) -> Likes(B, A)"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	r := recorder{after: 2, cancel: cancel}
	if _, err := ground.Ground(ctx, rules, people(t, 20), r.options()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if p := r.plans[0]; p.Groundings != 400*400*400*400 ||
		p.Warning != "rules.psl:1:1: the rule has very many groundings; Likes(C, D) shares no variable with the atoms before it" {
		t.Errorf("plan %+v", p)
	}
	if p := r.plans[1]; p.Groundings != 400 || p.Warning != "" {
		t.Errorf("plan %+v", p)
	}
	assert.Len(t, r.stats, 0, "results of a cancelled run")
}
