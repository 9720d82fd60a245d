package citation

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// splitStream is the second half of the PCG seed of every split.
const splitStream = 0x6369746174696f6e

// Splits is the number of splits of the paper's experiments: 0 to Splits − 1. There
// are as many more as anybody asks for.
const Splits = 10

// Split is one draw of training, validation and test nodes; the rest is latent:
// its classes are never looked at. Each list is in increasing order.
type Split struct {
	Train, Valid, Test, Latent []int
}

// SplitSizes are the numbers of nodes drawn.
type SplitSizes struct{ Train, Valid, Test int }

// PaperSizes returns the sizes of the paper's experiments: 5 % of the papers for
// training, as many for validation, 1,000 for testing (a third of a graph of less
// than 2,500 nodes). Nodes without words count as nodes, not as papers: Cora
// gives 135, CiteSeer in both forms 165.
func PaperSizes(g *Graph) SplitSizes {
	papers := 0
	for i := range g.Nodes() {
		if len(g.Node(i)) > 0 {
			papers++
		}
	}
	s := SplitSizes{Train: papers / 20, Valid: papers / 20, Test: 1000}
	if g.Nodes() < 2500 {
		s.Test = g.Nodes() / 3
	}
	return s
}

// NewSplit draws split number index: of one permutation of all nodes the first
// are for training, the next for validation, the next for testing. As in the
// reference experiments no class is treated specially, so a training part may
// lack one. The permutation comes from PCG seeded with index, so the nodes differ
// from those the reference draws by another generator.
func NewSplit(nodes int, sizes SplitSizes, index int) (*Split, error) {
	if index < 0 {
		return nil, fmt.Errorf("citation: split %d, want 0 or more", index)
	}
	total := sizes.Train + sizes.Valid + sizes.Test
	if sizes.Train < 1 || sizes.Valid < 1 || sizes.Test < 1 || total > nodes {
		return nil, fmt.Errorf("citation: %d training, %d validation and %d test nodes of %d: each part needs one, and PaperSizes gives a twentieth of the papers to each of the first two, so give a graph of 20 papers or more", sizes.Train, sizes.Valid, sizes.Test, nodes)
	}
	order := rand.New(rand.NewPCG(uint64(index), splitStream)).Perm(nodes)
	take := func(n int) []int {
		part := slices.Clone(order[:n])
		order = order[n:]
		slices.Sort(part)
		return part
	}
	s := new(Split)
	s.Train, s.Valid, s.Test = take(sizes.Train), take(sizes.Valid), take(sizes.Test)
	s.Latent = take(len(order))
	return s, nil
}
