package nn

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStreamIsReproducible(t *testing.T) {
	a, b := rand.NewPCG(0, 0), rand.NewPCG(7, 7)
	b.Uint64()
	s := State{Seed: 1, Step: 2}
	s.stream(a, 3)
	s.stream(b, 3)
	for range 5 {
		require.Equal(t, b.Uint64(), a.Uint64(), "the generator's past shows")
	}
}
