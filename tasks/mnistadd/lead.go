package mnistadd

import (
	"math/rand/v2"

	"hinge/train/config"
	"hinge/train/learning"
)

// lead is the beginning of learning on long numbers (ours). For a while a step learns from the
// leading columns of the sums alone, of so many additions that they have as many images as its
// batch. The label gives the digits of these columns; the carry that comes into them is
// latent.
//
// Inner columns teach an untrained network nothing. With uniform digits and carries every
// digit x of a column has one partner y for each carry, so all digits explain a digit of the
// sum equally well. Nor do they distinguish a digit from x + 5 mod 10: if all digits are read
// so, the digits of every sum stay, and only carries are wrong. Networks that began on whole
// sums of 100 or more digits have ended in this reading. Only in the last column, whose carry
// out is known, do large digits differ from small ones. That is one column of N, which matters
// if N is ten and not if N is a hundred.
type lead struct {
	windows
	share float64 // of the run
	seed  uint64
	of    int     // additions
	batch int     // windows that a step learns from
	among windows // that the run goes on with
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

// newLead returns the configured beginning of a run, or nil if there is none.
func newLead(cfg *config.Config, digits int) *lead {
	o := OptionsOf(cfg)
	if o.LeadColumns == 0 {
		return nil
	}
	return &lead{
		windows: windows{digits, o.LeadColumns}, share: o.Lead, seed: cfg.Seed, of: o.Additions,
		batch: o.passColumns(cfg) / o.LeadColumns, among: windowsOf(cfg, digits),
	}
}

// choose is Inputs.Choose: at the beginning of a run it draws leading windows in place of the
// step's examples. Where they are as long as the windows that the run goes on with, they are
// some of these; elsewhere they have numbers of their own, which follow those of all windows.
func (d *lead) choose(step learning.Step, examples []int) []int {
	if step.Progress >= d.share {
		return examples
	}
	rng := rand.New(rand.NewPCG(d.seed, leadStream^step.Stream()<<1))
	batch := rng.Perm(d.of)[:d.batch]
	for i := range batch {
		if d.columns == d.among.columns {
			batch[i] *= d.parts()
		} else {
			batch[i] += d.of * d.among.parts()
		}
	}
	return batch
}

// window returns the number of an example among the windows as long as the leading ones, if it is a
// leading window with a number of its own.
func (d *lead) window(example int) (e int, ok bool) {
	if d == nil || example < d.of*d.among.parts() {
		return 0, false
	}
	return (example - d.of*d.among.parts()) * d.parts(), true
}
