package evaluate

// Ranking sums up the ranks of true answers among all answers, as in the completion of knowledge
// graphs.
//
//	MRR     mean of 1/rank
//	Hits    share of the ranks that are at most k
//
// Ranks begin at 1 and may be halves, see Rank.
type Ranking []float64

// Rank returns the filtered rank of answer i among scores: larger scores are better, and answers for which
// drop, a list of the same length, is true are left out; i itself counts whatever drop is. Equal scores share the
// mean of the ranks that they take up, so that the order of answers has no effect. What is not a number
// comes last.
func Rank(scores []float64, i int, drop []bool) float64 {
	better, equal, own := 0, 0, finite(scores[i])
	for j, s := range scores {
		switch s = finite(s); {
		case j == i || drop[j]:
		case s > own:
			better++
		case s == own:
			equal++
		}
	}
	return 1 + float64(better) + float64(equal)/2
}

// MRR returns the mean reciprocal rank, 0 without ranks.
func (r Ranking) MRR() float64 { return r.mean(func(x float64) float64 { return 1 / x }) }

// Hits returns the share of the ranks that are at most k, 0 without ranks.
func (r Ranking) Hits(k int) float64 {
	return r.mean(func(x float64) float64 {
		if x <= float64(k) {
			return 1
		}
		return 0
	})
}

func (r Ranking) mean(f func(float64) float64) float64 {
	sum := 0.0
	for _, x := range r {
		sum += f(x)
	}
	return sum / float64(max(1, len(r)))
}
