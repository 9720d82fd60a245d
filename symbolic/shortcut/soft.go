package shortcut

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"time"

	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
)

// Relaxed is the count with outputs between 0 and 1.
type Relaxed struct {
	// Number is the number of maps that are the answers of some outputs with which all rules
	// hold. Where the count is not Complete it is an upper bound: the product of the
	// values that each exemplar can be given by itself.
	Number   *big.Int
	Complete bool
	// Silent reports whether uninformative outputs, 1/n for each of n classes and 1/2 without
	// OneHot, break no rule: a network that knows nothing is then as good as a correct one.
	Silent bool
}

// margin is how far the answer has to be above all other outputs.
const margin = 0.02

// mostSoft is the most maps of an independent group of exemplars: each costs a program.
const mostSoft = 2000

// Soft counts the maps that a network can answer with soft outputs, which are at least 0.02
// larger for the answer than for any other class (and 0.01 from 1/2 without OneHot), such that
// all required rules hold; targets without a label may have any value from 0 to 1, too. Hinge
// potentials and the gradients of a loss see these outputs, so maps that no rule allows as
// values 0 and 1 may cost nothing. An error comes from the context or from the solver.
func (r *Result) Soft(ctx context.Context, o Options) (*Relaxed, error) {
	deadline := time.Now().Add(cmp.Or(o.MaxTime, 10*time.Second))
	in, answers, err := r.softened()
	if err != nil {
		return nil, err
	}
	list := func(in *lcqp.Instance, targets []int) (*integer.Listing, error) {
		l, err := integer.List(ctx, in, targets, integer.ListSettings{MaxTime: max(time.Until(deadline), 1), MaxPoints: cmp.Or(o.MaxMaps, mostSoft)})
		if err == nil && l.Search == integer.Interrupted {
			err = ctx.Err()
		}
		return l, err
	}
	soft := &Relaxed{Number: big.NewInt(1)}
	if soft.Silent, err = r.silent(list); err != nil {
		return nil, err
	}
	var all []int
	for n, own := range answers { // each by itself: an impossible answer is fixed for all
		all = append(all, own...)
		l, err := list(in, own)
		if err != nil {
			return nil, err
		}
		if !l.Complete() {
			values := big.NewInt(int64(len(own)))
			if !r.Concepts[r.Exemplars[n].Concept].OneHot {
				values.Lsh(big.NewInt(1), uint(len(own)))
			}
			soft.Number.Mul(soft.Number, values)
			continue
		}
		soft.Number.Mul(soft.Number, l.Number())
		for _, part := range l.Parts {
			for k, target := range part.Targets {
				if !slices.ContainsFunc(part.Points, func(on []bool) bool { return on[k] }) {
					if err := in.Fix(target, 0); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	l, err := list(in, all)
	if err != nil {
		return nil, err
	}
	if soft.Complete = l.Complete(); soft.Complete {
		soft.Number = l.Number()
	}
	return soft, nil
}

// softened returns the program of the maps with outputs between 0 and 1, and for each exemplar
// further targets that indicate which output is the answer.
func (r *Result) softened() (in *lcqp.Instance, answers [][]int, err error) {
	from := &r.at.Sparse
	t := &table{first: r.at.first, Sparse: lcqp.Sparse{
		Targets: from.Targets, Ptr: slices.Clone(from.Ptr), Col: slices.Clone(from.Col), Val: slices.Clone(from.Val),
		B: slices.Clone(from.B), Kinds: slices.Clone(from.Kinds),
	}}
	for n, e := range r.Exemplars {
		c := &r.Concepts[e.Concept]
		var own []int
		var one []entry
		for k := range c.Outputs {
			answer, x := int32(t.Targets+k), int32(t.first[n]+k)
			own, one = append(own, int(answer)), append(one, entry{answer, 1})
			if !c.OneHot { // x ≥ 1/2 + margin/2 if the answer is 1, x ≤ 1/2 − margin/2 if it is 0
				t.row([]entry{{answer, 0.5 + margin/2}, {x, -1}}, 0, lcqp.HardLE)
				t.row([]entry{{x, 1}, {answer, -0.5 - margin/2}}, -0.5+margin/2, lcqp.HardLE)
				continue
			}
			for other := range c.Outputs {
				if other != k { // x_other + margin ≤ x where the answer is k
					t.row([]entry{{int32(t.first[n] + other), 1}, {x, -1}, {answer, 1 + margin}}, -1, lcqp.HardLE)
				}
			}
		}
		t.Targets += len(c.Outputs)
		answers = append(answers, own)
		if c.OneHot {
			t.row(one, -1, lcqp.HardEQ)
		}
	}
	in, err = t.instance(r.Problem)
	return in, answers, err
}

// silent reports whether outputs without any belief break no rule. Outputs of labelled
// exemplars keep their labels.
func (r *Result) silent(list func(*lcqp.Instance, []int) (*integer.Listing, error)) (bool, error) {
	in := *r.rows
	in.Lower, in.Upper = slices.Clone(in.Lower), slices.Clone(in.Upper)
	some := false
	for n, e := range r.Exemplars {
		c := &r.Concepts[e.Concept]
		v := 0.5
		if c.OneHot {
			v = 1 / float64(len(c.Outputs))
		}
		for k := range c.Outputs {
			if i := r.at.first[n] + k; in.Lower[i] < in.Upper[i] {
				in.Lower[i], in.Upper[i] = v, v
				some = true
			}
		}
	}
	if !some {
		return false, nil
	}
	l, err := list(&in, nil)
	return err == nil && l.Search == integer.Listed, err
}
