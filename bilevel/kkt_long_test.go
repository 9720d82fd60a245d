//go:build long

package bilevel

import "testing"

func TestLimitSatisfiesKKTLong(t *testing.T) {
	var seeds []uint64
	for seed := range uint64(25) {
		seeds = append(seeds, seed)
	}
	limitsSatisfyKKT(t, seeds)
}
