package lcqp

import (
	"math/rand/v2"
	"testing"
)

// Union–find against labels that are rewritten at every union.
func TestDisjoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 1 + rng.IntN(60)
		d := newDisjoint(n)
		label := make([]int, n)
		for i := range label {
			label[i] = i
		}
		for range rng.IntN(2 * n) {
			a, b := rng.IntN(n), rng.IntN(n)
			d.union(int32(a), int32(b))
			old, now := label[a], label[b]
			for i, l := range label {
				if l == old {
					label[i] = now
				}
			}
		}
		for i := range n {
			for j := range n {
				if same := d.find(int32(i)) == d.find(int32(j)); same != (label[i] == label[j]) {
					t.Fatalf("%d and %d: together %v, want %v", i, j, same, !same)
				}
			}
		}
	}
}

// Paths must stay short: a chain of unions ends with depth at most log₂ n.
func TestDisjointDepth(t *testing.T) {
	const n = 1 << 12
	d := newDisjoint(n)
	for i := range int32(n - 1) {
		d.union(i, i+1)
	}
	for i := range int32(n) {
		depth := 0
		for x := i; d.parent[x] != x; x = d.parent[x] {
			depth++
		}
		if depth > 12 {
			t.Fatalf("element %d is %d deep", i, depth)
		}
	}
}
