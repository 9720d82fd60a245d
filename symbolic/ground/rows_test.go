package ground_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
)

// The rows of a program with constraints are one list, which saves a copy.
func TestGroundSharesRows(t *testing.T) {
	db := declare(t, "P/1", "Q/1", "R/1")
	for _, a := range []string{"a", "b", "c"} {
		fill(t, db, "obs Q("+a+") 0.5", "target P("+a+")", "target R("+a+")")
	}
	p, err := groundText(t, "1: P(A) & Q(A) -> R(A) ^2\nR(+A) <= 1 .\nP(A) >= R(A) .\n", db, ground.Options{})
	require.NoError(t, err)
	if all, ok := p.AllRows(); !ok || p.Constraints.Len() != 4 || all.Len() != 7 {
		t.Errorf("one list: %v, %d rows, %d constraints", ok, all.Len(), p.Constraints.Len())
	}
}
