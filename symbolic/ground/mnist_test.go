package ground_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

// add2Rules is the sum of two two-digit numbers AB + CD. Digit is the network,
// Place the digits of the sum at places 1, 10 and 100, Carry(B, D, W) the
// carry of the digits of images B and D, Sum the sum. Ones and Tens are the
// digits of W + X + Y, Placed the digits of a number, PossibleTens and
// PossibleOnes tell which digits at a place can occur in a sum.
const add2Rules = `
1: 0*Block(A, B, C, D) + 0*Ones('0', X, Y, Z) + Digit(B, X) + Digit(D, Y) <= Place(A, B, C, D, '1', Z) + 1
1: 0*Block(A, B, C, D) + 0*Ones('0', X, Y, Z) + Digit(B, X) + Place(A, B, C, D, '1', Z) <= Digit(D, Y) + 1
1: 0*Block(A, B, C, D) + 0*Ones('0', X, Y, Z) + Digit(D, Y) + Place(A, B, C, D, '1', Z) <= Digit(B, X) + 1
1: 0*Block(A, B, C, D) + 0*Tens('0', X, Y, W) + Digit(B, X) + Digit(D, Y) <= Carry(B, D, W) + 1
1: 0*Block(A, B, C, D) + 0*Ones(W, X, Y, Z) + Digit(A, X) + Digit(C, Y) + Carry(B, D, W) <= Place(A, B, C, D, '10', Z) + 2
1: 0*Block(A, B, C, D) + 0*Ones(W, X, Y, Z) + Digit(A, X) + Digit(C, Y) + Place(A, B, C, D, '10', Z) <= Carry(B, D, W) + 2
1: 0*Block(A, B, C, D) + 0*Ones(W, X, Y, Z) + Digit(A, X) + Carry(B, D, W) + Place(A, B, C, D, '10', Z) <= Digit(C, Y) + 2
1: 0*Block(A, B, C, D) + 0*Ones(W, X, Y, Z) + Digit(C, Y) + Carry(B, D, W) + Place(A, B, C, D, '10', Z) <= Digit(A, X) + 2
1: 0*Block(A, B, C, D) + 0*Tens(W, X, Y, Z) + Digit(A, X) + Digit(C, Y) + Carry(B, D, W) <= Place(A, B, C, D, '100', Z) + 2
1: 0*Block(A, B, C, D) + Digit(A, +X) <= 1 - Sum(A, B, C, D, Z) {X: !PossibleTens(X, Z)}
1: 0*Block(A, B, C, D) + Digit(C, +X) <= 1 - Sum(A, B, C, D, Z) {X: !PossibleTens(X, Z)}
1: 0*Block(A, B, C, D) + Digit(B, +X) <= 1 - Sum(A, B, C, D, Z) {X: !PossibleOnes(X, Z)}
1: 0*Block(A, B, C, D) + Digit(D, +X) <= 1 - Sum(A, B, C, D, Z) {X: !PossibleOnes(X, Z)}

0*Block(A, B, C, D) + Carry(A, C, W) = Place(A, B, C, D, '100', W) .
0*Placed(H, T, O, Z) + Sum(A, B, C, D, Z) <= Place(A, B, C, D, '1', O) .
0*Placed(H, T, O, Z) + Sum(A, B, C, D, Z) <= Place(A, B, C, D, '10', T) .
0*Placed(H, T, O, Z) + Sum(A, B, C, D, Z) <= Place(A, B, C, D, '100', H) .
0*Placed(H, T, O, Z) + Place(A, B, C, D, '1', O) + Place(A, B, C, D, '10', T) + Place(A, B, C, D, '100', H) <= Sum(A, B, C, D, Z) + 2 .
0*Placed(H, T, O, Z) + Sum(A, B, C, D, Z) + Place(A, B, C, D, '10', T) + Place(A, B, C, D, '100', H) <= Place(A, B, C, D, '1', O) + 2 .
0*Placed(H, T, O, Z) + Place(A, B, C, D, '1', O) + Sum(A, B, C, D, Z) + Place(A, B, C, D, '100', H) <= Place(A, B, C, D, '10', T) + 2 .
0*Placed(H, T, O, Z) + Place(A, B, C, D, '1', O) + Place(A, B, C, D, '10', T) + Sum(A, B, C, D, Z) <= Place(A, B, C, D, '100', H) + 2 .
Sum(A, B, C, D, +Z) = 1 .
Place(A, B, C, D, P, +Z) = 1 .
Carry(X, Y, +W) = 1 .
Place(A, B, C, D, '100', '2') = 0 .
Place(A, B, C, D, '100', '3') = 0 .
Place(A, B, C, D, '100', '4') = 0 .
Place(A, B, C, D, '100', '5') = 0 .
Place(A, B, C, D, '100', '6') = 0 .
Place(A, B, C, D, '100', '7') = 0 .
Place(A, B, C, D, '100', '8') = 0 .
Place(A, B, C, D, '100', '9') = 0 .
`

// add2Database holds n additions of four images each; the digits are neural.
func add2Database(tb testing.TB, n int) *ground.Database {
	db := ground.NewDatabase()
	check := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	for name, arity := range map[string]int{"Block": 4, "Digit": 2, "Place": 6, "Carry": 3, "Sum": 5,
		"Ones": 4, "Tens": 4, "Placed": 4, "PossibleTens": 2, "PossibleOnes": 2} {
		check(db.Predicate(name, arity))
	}
	s := strconv.Itoa
	for x := range 10 {
		for y := range 10 {
			for w := range 2 {
				check(db.Observe("Ones", 1, s(w), s(x), s(y), s((w+x+y)%10)))
				check(db.Observe("Tens", 1, s(w), s(x), s(y), s((w+x+y)/10)))
			}
		}
	}
	for z := range 199 {
		check(db.Observe("Placed", 1, s(z/100), s(z/10%10), s(z%10), s(z)))
	}
	for x := range 100 {
		for y := range 100 {
			check(db.Observe("PossibleTens", 1, s(x/10), s(x+y)))
			check(db.Observe("PossibleOnes", 1, s(x%10), s(x+y)))
		}
	}
	target := func(pred string, args ...string) {
		_, err := db.Target(pred, args...)
		check(err)
	}
	for k := range n {
		a, b, c, d := s(4*k), s(4*k+1), s(4*k+2), s(4*k+3)
		check(db.Observe("Block", 1, a, b, c, d))
		for _, image := range []string{a, b, c, d} {
			for x := range 10 {
				_, err := db.Deep("Digit", image, s(x))
				check(err)
			}
		}
		for z := range 199 {
			target("Sum", a, b, c, d, s(z))
		}
		for _, place := range []string{"1", "10", "100"} {
			for z := range 10 {
				target("Place", a, b, c, d, place, s(z))
			}
		}
		for w := range 2 {
			target("Carry", a, c, s(w))
			target("Carry", b, d, s(w))
		}
	}
	return db
}

func TestMNISTAdd2Counts(t *testing.T) {
	rules, err := psl.Parse("add2.psl", []byte(add2Rules))
	if err != nil {
		t.Fatal(err)
	}
	const n = 3
	p, err := ground.Ground(context.Background(), rules, add2Database(t, n), ground.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	perRule := make([]int, len(p.Rules))
	for _, r := range p.PotentialRule {
		perRule[r]++
	}
	for r, want := range []int{100, 100, 100, 100, 200, 200, 200, 200, 200, 199, 199, 199, 199} {
		if perRule[r] != n*want {
			t.Errorf("rule %d has %d potentials, want %d", r, perRule[r], n*want)
		}
	}
	if got, want := p.Potentials.Len()+p.Constraints.Len(), 3605*n; got != want {
		t.Errorf("%d ground terms, want %d", got, want)
	}
}

// TestAdditionsAreAlike checks what makes one template enough for all
// additions: apart from a shift of the columns, the rows of each addition are
// those of the first, in the same order.
func TestAdditionsAreAlike(t *testing.T) {
	const n, targets, deep = 5, 199 + 30 + 4, 40
	rules, err := psl.Parse("add2.psl", []byte(add2Rules))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ground.Ground(context.Background(), rules, add2Database(t, n), ground.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Targets) != n*targets || len(p.Deep) != n*deep {
		t.Fatalf("%d targets, %d neural outputs", len(p.Targets), len(p.Deep))
	}
	for _, part := range []struct {
		name string
		rows *hlmrf.Rows
		rule []int32
	}{{"potential", &p.Potentials, p.PotentialRule}, {"constraint", &p.Constraints, p.ConstraintRule}} {
		var rows [n][]string
		for k, r := range part.rule {
			col, val := part.rows.Row(k)
			deepCol, deepVal := part.rows.DeepRow(k)
			of := int(col[0]) / targets
			text := fmt.Sprint(r, part.rows.Const[k])
			for i, c := range col {
				text += fmt.Sprintf(" %g*y%d", val[i], int(c)-of*targets)
			}
			for i, c := range deepCol {
				text += fmt.Sprintf(" %g*g%d", deepVal[i], int(c)-of*deep)
			}
			rows[of] = append(rows[of], text)
		}
		for of := 1; of < n; of++ {
			if !slices.Equal(rows[of], rows[0]) {
				t.Errorf("the %ss of addition %d are not those of the first", part.name, of)
			}
		}
		if len(rows[0]) == 0 {
			t.Errorf("no %ss", part.name)
		}
	}
}

// add1Rules is the sum of two digits, as in the paper's experiments.
const add1Rules = `
1: 0*Block(A, B) + 0*Ones(X, Y, Z) + Digit(A, X) + Digit(B, Y) <= Place(A, B, '1', Z) + 1 ^2
1: 0*Block(A, B) + 0*Ones(X, Y, Z) + Digit(A, X) + Place(A, B, '1', Z) <= Digit(B, Y) + 1 ^2
1: 0*Block(A, B) + 0*Ones(X, Y, Z) + Digit(B, Y) + Place(A, B, '1', Z) <= Digit(A, X) + 1 ^2
1: 0*Block(A, B) + 0*Tens(X, Y, Z) + Digit(A, X) + Digit(B, Y) <= Place(A, B, '10', Z) + 1 ^2
1: 0*Block(A, B) + Digit(A, +X) <= 1 - Sum(A, B, Z) {X: !Possible(X, Z)}
1: 0*Block(A, B) + Digit(B, +X) <= 1 - Sum(A, B, Z) {X: !Possible(X, Z)}

Carry(A, B, W) = Place(A, B, '10', W) .
0*Placed(T, O, Z) + Sum(A, B, Z) <= Place(A, B, '1', O) .
0*Placed(T, O, Z) + Sum(A, B, Z) <= Place(A, B, '10', T) .
0*Placed(T, O, Z) + Place(A, B, '1', O) + Place(A, B, '10', T) <= Sum(A, B, Z) + 1 .
0*Placed(T, O, Z) + Place(A, B, '1', O) + Sum(A, B, Z) <= Place(A, B, '10', T) + 1 .
0*Placed(T, O, Z) + Place(A, B, '10', T) + Sum(A, B, Z) <= Place(A, B, '1', O) + 1 .
Sum(A, B, +Z) = 1 .
Place(A, B, P, +Z) = 1 .
Carry(A, B, +W) = 1 .
0*Large(Z) + Place(A, B, '10', Z) = 0 .
`

// TestMNISTAdd1Counts counts the ground terms of each rule; in all there are
// 547 an addition.
func TestMNISTAdd1Counts(t *testing.T) {
	rules, err := psl.Parse("add1.psl", []byte(add1Rules))
	if err != nil {
		t.Fatal(err)
	}
	const n = 7
	db := declare(t, "Block/2", "Ones/3", "Tens/3", "Digit/2", "Place/4", "Sum/3", "Carry/3", "Placed/3", "Possible/2", "Large/1")
	for x := range 10 {
		for y := range 10 {
			fill(t, db, fmt.Sprintf("obs Ones(%d,%d,%d)", x, y, (x+y)%10), fmt.Sprintf("obs Tens(%d,%d,%d)", x, y, (x+y)/10),
				fmt.Sprintf("obs Possible(%d,%d)", x, x+y))
		}
		if x > 1 {
			fill(t, db, fmt.Sprintf("obs Large(%d)", x))
		}
	}
	for k := range n {
		a, b := 2*k, 2*k+1
		fill(t, db, fmt.Sprintf("obs Block(%d,%d)", a, b))
		for z := range 19 {
			fill(t, db, fmt.Sprintf("target Sum(%d,%d,%d)", a, b, z))
			if k == 0 {
				fill(t, db, fmt.Sprintf("obs Placed(%d,%d,%d)", z/10, z%10, z))
			}
		}
		for z := range 10 {
			fill(t, db, fmt.Sprintf("target Place(%d,%d,1,%d)", a, b, z), fmt.Sprintf("target Place(%d,%d,10,%d)", a, b, z),
				fmt.Sprintf("deep Digit(%d,%d)", a, z), fmt.Sprintf("deep Digit(%d,%d)", b, z))
		}
		fill(t, db, fmt.Sprintf("target Carry(%d,%d,0)", a, b), fmt.Sprintf("target Carry(%d,%d,1)", a, b))
	}
	p, err := ground.Ground(context.Background(), rules, db, ground.Options{})
	if err != nil {
		t.Fatal(err)
	}
	soft, hard := make([]int, len(p.Rules)), make([]int, len(p.HardRules))
	for _, r := range p.PotentialRule {
		soft[r]++
	}
	for _, r := range p.ConstraintRule {
		hard[r]++
	}
	total := 0
	for i, want := range []int{100, 100, 100, 100, 19, 19} {
		if soft[i] != n*want {
			t.Errorf("%s has %d potentials, want %d", p.Rules[i].Text, soft[i], n*want)
		}
		total += soft[i]
	}
	for i, want := range []int{2, 19, 19, 19, 19, 19, 1, 2, 1, 8} {
		if hard[i] != n*want {
			t.Errorf("%s has %d constraints, want %d", p.HardRules[i].Text, hard[i], n*want)
		}
		total += hard[i]
	}
	if total != 547*n {
		t.Errorf("%d ground terms, want %d", total, 547*n)
	}
	// The digits that cannot be in a sum of 17 are 0 to 7.
	for k, r := range p.PotentialRule {
		if col, _ := p.Potentials.Row(k); r == 4 && p.Targets[col[0]] == "Sum(0,1,17)" {
			if deep, _ := p.Potentials.DeepRow(k); len(deep) != 8 || p.Potentials.Const[k] != -1 {
				t.Errorf("the sum 17 excludes %d digits, constant %v", len(deep), p.Potentials.Const[k])
			}
		}
	}
}

// BenchmarkMNISTAdd2 grounds 250 additions, 901,250 terms.
func BenchmarkMNISTAdd2(b *testing.B) {
	rules, err := psl.Parse("add2.psl", []byte(add2Rules))
	if err != nil {
		b.Fatal(err)
	}
	db := add2Database(b, 250)
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	terms := 0
	for b.Loop() {
		p, err := ground.Ground(context.Background(), rules, db, ground.Options{})
		if err != nil {
			b.Fatal(err)
		}
		terms = p.Potentials.Len() + p.Constraints.Len()
		runtime.ReadMemStats(&after)
	}
	if terms != 901250 {
		b.Fatalf("%d terms", terms)
	}
	b.ReportMetric(float64(after.Sys)/1e6, "MB-from-system")
}
