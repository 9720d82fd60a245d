package ground

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/psl"
)

// TestNil: rules or a database that are nil are an error; numbers below zero in Options are as zero.
func TestNil(t *testing.T) {
	_, err := Ground(t.Context(), nil, &Database{}, Options{})
	require.ErrorContains(t, err, "nil")
	_, err = Ground(t.Context(), &psl.Program{}, nil, Options{})
	require.ErrorContains(t, err, "nil")
	p, err := psl.Parse("r", []byte("1: P(A) = 1"))
	require.NoError(t, err)
	b := NewBuilder()
	b.Target("P", "a")
	b.Target("P", "b")
	for _, n := range []int{0, -1} {
		got, err := Ground(t.Context(), p, b.DB, Options{MaxRows: n, Workers: n})
		require.NoError(t, err)
		require.Len(t, got.PotentialRule, 2)
	}
}
