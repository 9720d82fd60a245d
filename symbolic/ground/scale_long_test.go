//go:build long

package ground_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// TestTenMillion grounds more than 10^7 potentials in less than 2 GB of
// memory, garbage included.
func TestTenMillion(t *testing.T) {
	const n = 217
	db := declare(t, "Likes/2")
	for i := range n {
		for j := range n {
			_, err := db.Target("Likes", strconv.Itoa(i), strconv.Itoa(j))
			require.NoError(t, err)
		}
	}
	rules, err := psl.Parse("rules.psl", []byte("1: Likes(A, B) & Likes(B, C) -> Likes(A, C)"))
	require.NoError(t, err)
	start := time.Now()
	p, err := ground.Ground(context.Background(), rules, db, ground.Options{})
	require.NoError(t, err)
	took := time.Since(start)
	// A clause with an atom and its negation has A = B or B = C.
	assert.Equal(t, n*n*n-(2*n*n-n), p.Potentials.Len())
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d potentials in %v, %d MB from the system", p.Potentials.Len(), took, m.Sys>>20)
	if m.Sys > 2e9 {
		t.Errorf("%d bytes from the system", m.Sys)
	}
}
