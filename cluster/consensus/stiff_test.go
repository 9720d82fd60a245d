package consensus_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/cluster/consensus"
	"hinge/symbolic/familytest"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/psl"
)

// stiff is a path on which what holds one place is felt far away, and a short one whose
// halves lie at the ends of the data, so that blocks cut both in the middle.
func stiff(t *testing.T, n int) *familytest.Model {
	t.Helper()
	rules, err := psl.Parse("stiff", []byte("10: Next(A, B) & Is(A) -> Is(B) ^2\n10: Next(A, B) & Is(B) -> Is(A) ^2\n1: Seen(A) -> Is(A) ^2\n0.001: !Is(A) ^2"))
	require.NoError(t, err)
	b := ground.NewBuilder()
	for _, p := range []string{"u", "v"} {
		b.Target("Is", p)
	}
	for i := range n {
		b.Target("Is", strconv.Itoa(i))
		if i > 0 {
			b.Observe("Next", strconv.Itoa(i-1), strconv.Itoa(i))
		}
	}
	for _, p := range []string{"w", "x"} {
		b.Target("Is", p)
	}
	for _, p := range [][2]string{{"u", "v"}, {"v", "w"}, {"w", "x"}} {
		b.Observe("Next", p[0], p[1])
	}
	b.Observe("Seen", "0")
	b.Observe("Seen", strconv.Itoa(n/2+300))
	b.Observe("Seen", "u")
	require.NoError(t, b.Err)
	return &familytest.Model{Rules: rules, Data: b.DB, Epsilon: 1e-6}
}

// TestStiff: where the border is not enough, iterations take turns with it, few because they
// begin with its multipliers; what one rank was sent stays as it is meanwhile.
func TestStiff(t *testing.T) {
	m := stiff(t, 1000)
	in, want := alone(t, m)
	got := solve(t, m, ground.SplitBlocks(m.Data, 2), consensus.Settings{Infer: infer.Settings{Workers: 1}, Small: 30})
	compare(t, "stiff", m, in, want, got)
	if r := &got.ranks[0]; r.Shared != 2 || r.Components != 2 || r.Near == 0 || r.Iterations == 0 || r.Iterations > 30 {
		t.Errorf("%d targets in common, %d components, %d iterations and %d near the border", r.Shared, r.Components, r.Iterations, r.Near)
	}
}
