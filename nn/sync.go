package nn

import "fmt"

// syncMoments replaces the moments of this part's rows, means and behind them biased
// variances, by the moments of the rows of all parts, and returns the number of these rows:
//
//	m = Σ m_p / P,  v = Σ (v_p + (m_p − m)²) / P
//
// over the P parts in their order (Chan, Golub and LeVeque, 1983).
func (s *State) syncMoments(layer string, moments []float64, rows int) (int, error) {
	parts, err := s.gather(layer, moments)
	if parts == nil || err != nil {
		return rows, err
	}
	c, n := len(moments)/2, float64(len(parts))
	clear(moments)
	mean, variance := moments[:c], moments[c:]
	for _, p := range parts {
		for j, m := range p[:c] {
			mean[j] += m / n
		}
	}
	for _, p := range parts {
		for j, v := range p[c:] {
			d := p[j] - mean[j]
			variance[j] += (v + d*d) / n
		}
	}
	return rows * len(parts), nil
}

// syncSums replaces sums over rows of this part by those over all parts, and returns the
// number of their rows.
func (s *State) syncSums(layer string, sums []float64, rows int) (int, error) {
	parts, err := s.gather(layer, sums)
	if parts == nil || err != nil {
		return rows, err
	}
	clear(sums)
	for _, p := range parts {
		for j, v := range p {
			sums[j] += v
		}
	}
	return rows * len(parts), nil
}

// gather returns the numbers of all parts, nil without Sync. A part that is at another
// layer runs another graph.
func (s *State) gather(layer string, own []float64) ([][]float64, error) {
	if s.Sync == nil {
		return nil, nil
	}
	width, tag := len(own)+1, float64(purposeOf(layer)>>11) // exact in 53 bits
	all, err := s.Sync(append([]float64{tag}, own...))
	if err != nil {
		return nil, err
	}
	if len(all) == 0 || len(all)%width != 0 {
		return nil, fmt.Errorf("State.Sync returned %d numbers for %d of each part", len(all), width)
	}
	var parts [][]float64
	for ; len(all) > 0; all = all[width:] {
		if all[0] != tag {
			return nil, fmt.Errorf("another part of the batch is at another layer; all must run one definition")
		}
		parts = append(parts, all[1:width])
	}
	return parts, nil
}
