package linqs

import (
	"fmt"
	"math/rand/v2"

	"hinge/data/citation"
)

// Half is one half of a citation graph: papers, the citations among them, and
// which topics are given.
type Half struct {
	// Papers are nodes of the whole graph, increasing; Given tells of each
	// whether its topic is observed.
	Papers []int32
	Given  []bool
	// Cites are those of the graph with both ends in the half, in its order.
	Cites []citation.Cite
}

// foldStream is the second half of the PCG seed of the folds.
const foldStream = 0x68616c766573

// Halves draws fold number fold ≥ 0 of a citation graph: a permutation of the
// papers is cut in the middle; the first half (rounded down) is to learn on, the
// second to test on. In each half every topic is given with probability 1/2, so
// the number given varies a little. The protocol is that of Bach et al.,
// Hinge-Loss Markov Random Fields and Probabilistic Soft Logic (2017), the draw
// is our own. Folds of different number or seed are independent, so their test
// halves overlap.
func Halves(g *citation.Graph, fold int, seed uint64) (learn, test Half, err error) {
	n := len(g.IDs)
	switch {
	case fold < 0 || fold >= 1<<16:
		return learn, test, fmt.Errorf("linqs: fold %d is not between 0 and 65535", fold)
	case n < 2:
		return learn, test, fmt.Errorf("linqs: %s: %d papers cannot be halved", g.Name, n)
	}
	rng := rand.New(rand.NewPCG(seed<<16+uint64(fold), foldStream))
	inLearn := make([]bool, n)
	for _, p := range rng.Perm(n)[:n/2] {
		inLearn[p] = true
	}
	half := func(side bool) (h Half) {
		for p := range n {
			if inLearn[p] == side {
				h.Papers = append(h.Papers, int32(p))
				h.Given = append(h.Given, rng.IntN(2) == 0)
			}
		}
		for _, c := range g.Cites {
			if inLearn[c.Citing] == side && inLearn[c.Cited] == side {
				h.Cites = append(h.Cites, c)
			}
		}
		return h
	}
	return half(true), half(false), nil
}
