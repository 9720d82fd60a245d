package mnistadd

import (
	"math/rand/v2"

	"hinge/chain"
	"hinge/train"
)

// lead is how the loss "chain" begins on long numbers (ours): for a while a step learns
// from the leading columns of the sums alone, those of so many additions that they have
// as many images as whole ones. The label gives those digits; the carry that comes into
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
	columns int
	share   float64 // of the run
	digits  int
	seed    uint64
	of      int // additions
	chain   *chain.Chain
	on      bool // it is what the running step learns from
}

// leadColumns is the least number of columns, from ten, that numbers of more than twenty
// digits begin with: they are so many parts of equal length, for batches of which there
// are enough additions. 0 means that there is none, or no need.
func leadColumns(digits, batch, additions int) int {
	for k := 10; digits > 20 && k < digits; k++ {
		if digits%k == 0 && batch*digits/k <= additions {
			return k
		}
	}
	return 0
}

const leadStream = 0x6c656164 // "lead", of the seed

// newLead makes the chain of the leading columns out of that of whole additions, for
// passes of so many; nil where the options ask for none.
func newLead(cfg *train.Config, digits, rules int, links []chain.Link, states []int) (*lead, error) {
	o := OptionsOf(cfg)
	if o.LeadColumns == 0 {
		return nil, nil
	}
	d := &lead{columns: o.LeadColumns, share: o.Lead, digits: digits, seed: cfg.Seed, of: o.Additions}
	samples := cfg.Training.Pass() * digits / d.columns
	links, states = leading(links, states, d.columns)
	var err error
	d.chain, err = chain.New(links, states, rules, samples, 2*d.columns*10, cfg.Neural.DrawTemperature)
	return d, err
}

// leading cuts the chain of an addition to its last columns, with the outputs of their
// images alone. The carry that comes in is free.
func leading(links []chain.Link, states []int, columns int) ([]chain.Link, []int) {
	digits := len(links)
	low := digits - columns
	out := make([]chain.Link, columns)
	for l, link := range links[low:] {
		out[l] = chain.Link{Table: link.Table}
		for v, places := range link.Variables { // of the first number and the second
			own := make([]int, len(places))
			for x, j := range places {
				own[x] = j - 10*low*v
			}
			out[l].Variables = append(out[l].Variables, own)
		}
	}
	return out, states[low:]
}

// begin draws the additions that a step learns from and loads the chain with them; it
// returns nil where the beginning is over.
func (d *lead) begin(step train.Step) ([]int, error) {
	if d.on = step.Progress < d.share; !d.on {
		return nil, nil
	}
	rng := rand.New(rand.NewPCG(d.seed, leadStream^step.Stream()<<1))
	additions := rng.Perm(d.of)[:d.chain.Samples()]
	return additions, d.chain.Load(additions)
}

// images adds those of the leading columns of an addition, given all.
func (d *lead) images(to, row []int32) []int32 {
	return append(append(to, row[:d.columns]...), row[d.digits:][:d.columns]...)
}
