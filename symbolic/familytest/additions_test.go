package familytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

func model(t testing.TB, name string, terms int) *Model {
	t.Helper()
	f, err := Find(name)
	require.NoError(t, err)
	m, err := f.Model(terms, 1)
	require.NoError(t, err)
	return m
}

func grounded(t testing.TB, m *Model) *hlmrf.Program {
	t.Helper()
	p, err := m.Ground(context.Background())
	require.NoError(t, err)
	return p
}

// truth returns the values of targets and outputs that say: the images show
// these digits, and the sum is z.
func truth(p *hlmrf.Program, digits []int, z int) (y, g []float64) {
	place := map[string]int{"1": z % 10, "10": z / 10 % 10, "100": z / 100}
	n := len(digits) / 2
	carry := func(a, b string) int {
		at := map[string]int{"0": 0, "1": 1, "2": 2, "3": 3}
		ones := (digits[n-1] + digits[2*n-1]) / 10
		if n == 2 && at[a] == 0 && at[b] == 2 {
			return (digits[0] + digits[2] + ones) / 10
		}
		return ones
	}
	is := func(name string) float64 {
		pred, rest, _ := strings.Cut(strings.TrimSuffix(name, ")"), "(")
		args := strings.Split(rest, ",")
		last := args[len(args)-1]
		want := ""
		switch pred {
		case "Digit":
			at := map[string]int{"0": 0, "1": 1, "2": 2, "3": 3}[args[0]]
			want = fmt.Sprint(digits[at])
		case "Sum":
			want = fmt.Sprint(z)
		case "Place":
			want = fmt.Sprint(place[args[len(args)-2]])
		case "Carry":
			want = fmt.Sprint(carry(args[0], args[1]))
		}
		if last == want {
			return 1
		}
		return 0
	}
	for _, name := range p.Targets {
		y = append(y, is(name))
	}
	for _, name := range p.Deep {
		g = append(g, is(name))
	}
	return y, g
}

// The rules know how to add: the right answer costs nothing and breaks no
// constraint, a wrong sum does.
func TestAdditionsAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for name, images := range map[string]int{"add1-soft": 2, "add2-soft": 4} {
		p := grounded(t, model(t, name, 1))
		for range 60 {
			digits := make([]int, images)
			a, b := 0, 0
			for i := range digits {
				digits[i] = rng.IntN(10)
				if i < images/2 {
					a = 10*a + digits[i]
				} else {
					b = 10*b + digits[i]
				}
			}
			y, g := truth(p, digits, a+b)
			if e, v := p.Energy(y, g, nil), p.Violation(y, g); e != 0 || v != 0 {
				t.Fatalf("%s: %d + %d = %d has energy %v and violation %v", name, a, b, a+b, e, v)
			}
			wrong := (a + b + 1 + rng.IntN(17)) % 19
			if wrong == a+b {
				continue
			}
			y, g = truth(p, digits, wrong)
			if p.Energy(y, g, nil) == 0 && p.Violation(y, g) == 0 {
				t.Fatalf("%s: %d + %d = %d passes", name, a, b, wrong)
			}
		}
	}
}

// rowsOf lists the rows of a program as texts, sorted: names of atoms with
// their coefficients, constant, relation or exponent.
func rowsOf(p *hlmrf.Program) []string {
	var list []string
	add := func(rows *hlmrf.Rows, k int, kind string) {
		var parts []string
		for _, part := range []struct {
			names []string
			row   func(int) ([]int32, []float64)
		}{{p.Targets, rows.Row}, {p.Deep, rows.DeepRow}} {
			col, val := part.row(k)
			for j, c := range col {
				parts = append(parts, fmt.Sprintf("%+g %s", val[j], part.names[c]))
			}
		}
		slices.Sort(parts)
		list = append(list, fmt.Sprintf("%s: %s %+g", kind, strings.Join(parts, " "), rows.Const[k]))
	}
	for k := range p.Potentials.Len() {
		r := p.Rules[p.PotentialRule[k]]
		add(&p.Potentials, k, fmt.Sprintf("%g, squared %v", r.Weight, r.Squared))
	}
	for k := range p.Constraints.Len() {
		add(&p.Constraints, k, p.Relations[k].String())
	}
	slices.Sort(list)
	return list
}

// The rules here and those that package tasks/mnistadd learns with differ in
// names and must mean the same: they ground to the same rows.
func TestAdditionsAreThoseOfTraining(t *testing.T) {
	names := strings.NewReplacer("DigitSumOnesPlace", "Ones", "DigitSumTensPlace", "Tens", "PlacedRepresentation", "Placed",
		"PossibleOnesDigit", "PossibleOnes", "PossibleTensDigit", "PossibleTens", "PossibleDigit", "Possible",
		"ImageSum", "Sum", "SumPlace", "Place", "Neural", "Digit")
	for _, name := range []string{"add1", "add2"} {
		path := filepath.Join("..", "..", "tasks", "mnistadd", "rules", name+".psl")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		m := model(t, name+"-soft", 1)
		want := rowsOf(grounded(t, m))
		if m.Rules, err = psl.Parse(path, []byte(names.Replace(string(text)))); err != nil {
			t.Fatal(err)
		}
		got := rowsOf(grounded(t, m))
		if !slices.Equal(got, want) {
			for k := range min(len(got), len(want)) {
				if got[k] != want[k] {
					t.Errorf("%s: training has %q where this has %q", name, got[k], want[k])
					break
				}
			}
			t.Errorf("%s: %d rows, training has %d", name, len(want), len(got))
		}
	}
}
