package ground

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTable compares a table with a map under random insertions.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, arity := range []int{1, 2, 5} {
		tab := table{arity: arity}
		if tab.find(make([]int32, arity)) != -1 {
			t.Error("a tuple in the empty table")
		}
		rows := map[string]int32{}
		for range 3000 {
			tuple := make([]int32, arity)
			for i := range tuple {
				tuple[i] = int32(rng.IntN(40))
			}
			key := fmt.Sprint(tuple)
			want, known := rows[key]
			got := tab.find(tuple)
			if !known {
				want = -1
			}
			if got != want {
				t.Fatalf("find(%v) = %d, want %d", tuple, got, want)
			}
			row, added := tab.insert(tuple)
			if added == known || known && row != want || !known && int(row) != len(rows) {
				t.Fatalf("insert(%v) = %d, %v; known %v as %d", tuple, row, added, known, want)
			}
			rows[key] = row
			if !slices.Equal(tab.row(row), tuple) {
				t.Fatalf("row %d is %v, want %v", row, tab.row(row), tuple)
			}
		}
		if tab.rows != len(rows) {
			t.Errorf("%d rows, want %d", tab.rows, len(rows))
		}
	}
}
