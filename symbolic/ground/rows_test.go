package ground

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/psl"
)

// The rows of a program with constraints are one list, which saves a copy.
func TestGroundSharesRows(t *testing.T) {
	rules, err := psl.Parse("t.psl", []byte("1: P(A) & Q(A) -> R(A) ^2\nR(+A) <= 1 .\nP(A) >= R(A) .\n"))
	require.NoError(t, err)
	db := NewDatabase()
	for _, pred := range []string{"P", "Q", "R"} {
		require.NoError(t, db.Predicate(pred, 1))
	}
	for _, a := range []string{"a", "b", "c"} {
		require.NoError(t, db.Observe("Q", 0.5, a))
		for _, pred := range []string{"P", "R"} {
			_, err := db.Target(pred, a)
			require.NoError(t, err)
		}
	}
	p, err := Ground(context.Background(), rules, db, Options{})
	require.NoError(t, err)
	if all, ok := p.AllRows(); !ok || p.Constraints.Len() != 4 || all.Len() != 7 {
		t.Errorf("one list: %v, %d rows, %d constraints", ok, all.Len(), p.Constraints.Len())
	}
}
