package paper

import (
	"math/rand/v2"

	"hinge/symbolic/infer/internal/problem"
)

// blockOrder is the order in which a sweep of the paper's coordinate descent
// visits the blocks of a component.
type blockOrder struct {
	blocks []int32
	pcg    rand.PCG
	rng    *rand.Rand
}

// reset puts n blocks in the order of the rows. Every component has the same
// stream of permutations, so that it does not matter which goroutine solves it.
func (o *blockOrder) reset(seed uint64, n int) {
	const permutationStream = 0x7065726d
	o.blocks = problem.Resize(o.blocks, n)
	for k := range o.blocks {
		o.blocks[k] = int32(k)
	}
	o.pcg.Seed(seed, permutationStream)
	if o.rng == nil {
		o.rng = rand.New(&o.pcg)
	}
}

// shuffle permutes the blocks at random.
func (o *blockOrder) shuffle() {
	b := o.blocks
	o.rng.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
}
