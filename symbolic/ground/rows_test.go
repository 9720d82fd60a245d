package ground

import (
	"context"
	"slices"
	"testing"

	"hinge/symbolic/psl"
)

func TestChunks(t *testing.T) {
	for _, n := range []int{0, 1, firstChunk, firstChunk + 1, 3*maxChunk + 5} {
		var c chunks[int32]
		var want []int32
		for i := range int32(n) {
			c.add(i)
			want = append(want, i)
		}
		if c.n != n {
			t.Errorf("%d elements, want %d", c.n, n)
		}
		if got := c.drain([]int32{-1}); !slices.Equal(got, append([]int32{-1}, want...)) {
			t.Errorf("drain of %d elements is wrong", n)
		}
		if c.n != 0 || len(c.drain(nil)) != 0 {
			t.Error("not empty after drain")
		}
	}
}

// The rows of a program with constraints are one list, which saves a copy.
func TestGroundSharesRows(t *testing.T) {
	rules, err := psl.Parse("t.psl", []byte("1: P(A) & Q(A) -> R(A) ^2\nR(+A) <= 1 .\nP(A) >= R(A) .\n"))
	if err != nil {
		t.Fatal(err)
	}
	db := NewDatabase()
	for _, pred := range []string{"P", "Q", "R"} {
		if err := db.Predicate(pred, 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []string{"a", "b", "c"} {
		if err := db.Observe("Q", 0.5, a); err != nil {
			t.Fatal(err)
		}
		for _, pred := range []string{"P", "R"} {
			if _, err := db.Target(pred, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	p, err := Ground(context.Background(), rules, db, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all, ok := p.AllRows(); !ok || p.Constraints.Len() != 4 || all.Len() != 7 {
		t.Errorf("one list: %v, %d rows, %d constraints", ok, all.Len(), p.Constraints.Len())
	}
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		in, want []entry
		opposed  bool
	}{
		{nil, nil, false},
		{[]entry{{3, 0}}, []entry{{3, 0}}, false},
		{[]entry{{3, 1}, {1, 2}}, []entry{{1, 2}, {3, 1}}, false},
		{[]entry{{3, 1}, {1, 2}, {3, 1}, {1, 1}}, []entry{{1, 3}, {3, 2}}, false},
		{[]entry{{3, 1}, {3, -1}}, []entry{{3, 0}}, true},
		{[]entry{{3, 0}, {3, 1}}, []entry{{3, 1}}, true},
		{[]entry{{3, -1}, {3, 0}}, []entry{{3, -1}}, true},
		{[]entry{{3, 0}, {3, 0}}, []entry{{3, 0}}, false},
		{[]entry{{3, -1}, {2, 5}, {3, -2}}, []entry{{2, 5}, {3, -3}}, false},
	} {
		got, opposed := merge(slices.Clone(c.in))
		if !slices.Equal(got, c.want) || opposed != c.opposed {
			t.Errorf("merge(%v) = %v, %v, want %v, %v", c.in, got, opposed, c.want, c.opposed)
		}
	}
}
