package mnistadd

import (
	"math/rand/v2"

	"hinge/tasks/mnistadd/chain"
	"hinge/train"
)

// lead is how learning begins on long numbers (ours): for a while a step learns from the
// leading columns of the sums alone, those of so many additions that they have as many
// images as its batch. The label gives those digits; the carry that comes into
// them is latent.
//
// Inner columns say nothing to a network that knows nothing. With digits and carries
// uniform every digit x of a column has one partner y for each carry, so all digits
// explain a digit of the sum equally well. Nor do they tell a digit from x + 5 mod 10:
// when all are read so, the digits of every sum stay, and only carries are wrong. Networks
// that began on whole sums of 100 or more digits were seen to read so, and to stay with it.
// Only where the carry out is known, in the last column, is a large digit told from a
// small one. That is one column of N; among ten it is heard.
type lead struct {
	windows
	share float64 // of the run
	seed  uint64
	of    int          // additions
	batch int          // windows that a step learns from
	chain *chain.Chain // of the loss "chain"
	on    bool         // it is what the running step learns from
}

// leadColumns is the least number of columns, from ten, that numbers of more than twenty
// digits begin with. It must cut the numbers into parts of equal length, and there must be
// enough additions for a pass. 0 means that there is none, or no need.
func leadColumns(digits, pass, additions int) int {
	for k := 10; digits > 20 && k < digits; k++ {
		if digits%k == 0 && pass%k == 0 && pass/k <= additions {
			return k
		}
	}
	return 0
}

const leadStream = 0x6c656164 // "lead", of the seed

// newLead says how a run begins; nil where the options ask for no such beginning.
func newLead(cfg *train.Config, digits int) *lead {
	o := OptionsOf(cfg)
	if o.LeadColumns == 0 {
		return nil
	}
	return &lead{windows: windows{digits, o.LeadColumns}, share: o.Lead, seed: cfg.Seed, of: o.Additions, batch: o.passColumns(cfg) / o.LeadColumns}
}

// newLeadChain is newLead with the chain of the leading columns, made from that of whole
// additions.
func newLeadChain(cfg *train.Config, digits, rules int, whole chain.Shape) (*lead, error) {
	d := newLead(cfg, digits)
	if d == nil {
		return nil, nil
	}
	var err error
	d.chain, err = d.windows.chain(whole, rules, d.batch, cfg.Neural.DrawTemperature)
	return d, err
}

// draw draws the windows that a step learns from; nil where the beginning is over.
func (d *lead) draw(step train.Step) []int {
	if step.Progress >= d.share {
		return nil
	}
	rng := rand.New(rand.NewPCG(d.seed, leadStream^step.Stream()<<1))
	batch := rng.Perm(d.of)[:d.batch]
	for i := range batch {
		batch[i] *= d.parts() // the leading one
	}
	return batch
}

// choose is Setup.Choose, of windows that are as long as the leading ones.
func (d *lead) choose(step train.Step, examples []int) []int {
	if first := d.draw(step); first != nil {
		return first
	}
	return examples
}

// begin loads the chain with the windows that draw returns.
func (d *lead) begin(step train.Step) ([]int, error) {
	batch := d.draw(step)
	if d.on = batch != nil; !d.on {
		return nil, nil
	}
	return batch, d.chain.Load(batch)
}
