package evaluate

import (
	"cmp"
	"slices"
)

// Point is a point of a curve over thresholds: the precision, recall and F1 of the positive class
// where values ≥ Threshold are positive. All are in [0, 1].
type Point struct {
	Threshold float64 `json:"threshold"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// step is a run of atoms with the same value: how many are positive and negative.
type step struct{ value, positive, negative float64 }

// steps groups the compared atoms by their values, to six decimals, the largest value first. Truths
// ≥ threshold are positive.
func (o Scope) steps(s *Sample, threshold float64) (steps []step) {
	type pair struct {
		value    float64
		positive bool
	}
	var all []pair
	o.pairs(s, func(value, truth float64) {
		all = append(all, pair{Value(finite(value)), Positive(truth, threshold)})
	})
	slices.SortFunc(all, func(a, b pair) int { return cmp.Compare(b.value, a.value) })
	for i, p := range all {
		if i == 0 || p.value != all[i-1].value {
			steps = append(steps, step{value: p.value})
		}
		if last := &steps[len(steps)-1]; p.positive {
			last.positive++
		} else {
			last.negative++
		}
	}
	return steps
}

// At returns the point at the evaluator's threshold of values.
func (d *Discrete) At(s *Sample) (Point, error) {
	r, err := d.Evaluate(s)
	p := Point{Threshold: d.ValueThreshold()}
	p.Precision, _ = r.Get("positive_precision")
	p.Recall, _ = r.Get("positive_recall")
	p.F1, _ = r.Get("f1")
	return p, err
}

// Curve returns a point for each set of atoms that a threshold can make positive, the fewest atoms
// first. Its Threshold lies midway between the least value that counts and the next smaller one, to
// six decimals, so that values of other data, which are a little smaller, count too; where all
// values count it is 0. Representative and Cut have no influence. The curve is empty without atoms.
func (d *Discrete) Curve(s *Sample) ([]Point, error) {
	curve, _, err := d.curve(s)
	return curve, err
}

// Choose returns the threshold of values at which the main metric of the evaluator is largest, of
// several such ones the largest. It makes at least one atom positive. ok is false where the sample has not both positive and negative
// atoms: then every threshold is as good as another or no better than one.
func (d *Discrete) Choose(s *Sample) (threshold float64, ok bool, err error) {
	curve, best, err := d.curve(s)
	if err != nil || best < 0 {
		return 0, false, err
	}
	return curve[best].Threshold, true, nil
}

// curve returns the curve and the place of the best point, -1 for none.
func (d *Discrete) curve(s *Sample) (curve []Point, best int, err error) {
	if err := d.Check(s.Arity); err != nil {
		return nil, -1, err
	}
	steps := d.steps(s, d.Threshold)
	all := totals(steps)
	n := cells{tn: all.negative, fn: all.positive}
	best = -1
	most := 0.0
	for i, st := range steps {
		n = cells{n.tp + st.positive, n.fp + st.negative, n.tn - st.negative, n.fn - st.positive}
		at := 0.0
		if i+1 < len(steps) {
			if at = Value(max(0, (st.value+steps[i+1].value)/2)); at <= steps[i+1].value {
				at = st.value // the values are neighbours
			}
		}
		r := d.report(n)
		precision, recall := ratio(n.tp, n.tp+n.fp), ratio(n.tp, n.tp+n.fn)
		curve = append(curve, Point{min(at, 1), precision, recall, ratio(2*precision*recall, precision+recall)})
		if best < 0 || r.Score > most+1e-12 { // a ratio has several ways to be rounded
			best, most = i, r.Score
		}
	}
	if all.positive == 0 || all.negative == 0 {
		best = -1
	}
	return curve, best, nil
}

// Thin returns at most n ≥ 2 points of a curve, the first, the last and others at equal distances in the
// list, and no copy where the curve has no more.
func Thin(curve []Point, n int) []Point {
	if len(curve) <= n || n < 2 {
		return curve
	}
	thin := make([]Point, n)
	for i := range thin {
		thin[i] = curve[i*(len(curve)-1)/(n-1)]
	}
	return thin
}
