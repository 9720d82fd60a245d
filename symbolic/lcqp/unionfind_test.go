package lcqp

import (
	"testing"
)

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
