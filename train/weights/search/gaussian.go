package search

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Space says how the kernel of a GaussianProcess sees weights.
type Space string

const (
	// Scaled, "SS", takes the logarithms of the weights minus the logarithm of the first
	// weight: a common factor does not matter, as in inference. It is the default.
	Scaled Space = "SS"
	// Logarithms, "LS", takes logarithms.
	Logarithms Space = "LS"
	// Original, "OS", takes weights as they are.
	Original Space = "OS"
)

// GaussianProcess is "GaussianProcessPrior": Bayesian optimisation of the score
// (Srinivasan et al., BOWL, 2020). Candidates are draws; with the kernel
// k(v, w) = Scale·exp(−Relevance/2·‖v − w‖) the scores so far predict mean and
// variance of theirs, and the next is the one with the largest mean/Explore + variance.
// The first are the weights at the start.
type GaussianProcess struct {
	Draws
	// Candidates is the number of draws, 0: 100,000; Trials the largest number of
	// scores, 0: 25; Explore > 0 the weight of what is not known, 0: 2.
	Candidates, Trials int
	Explore            float64
	// Scale and Relevance are parameters of the kernel, 0 means 1; Space is SS by default.
	Scale, Relevance float64
	Space            Space
	// Full goes on when all variances are below 0.4, where the reference stops.
	Full bool
	// NoStart leaves out the weights at the start.
	NoStart bool
}

// enough is the variance below which nothing is left to explore.
const enough = 0.4

// Name returns "GaussianProcessPrior".
func (GaussianProcess) Name() string { return "GaussianProcessPrior" }

// feature is how the kernel sees weights.
func (g *GaussianProcess) feature(w []float64) []float64 {
	x := make([]float64, len(w))
	for i, v := range w {
		switch g.Space {
		case Original:
			x[i] = v
		case Logarithms:
			x[i] = math.Log(max(v, least))
		default:
			x[i] = math.Log(max(v, least)) - math.Log(max(w[0], least))
		}
	}
	return x
}

func (g *GaussianProcess) kernel(x, y []float64) float64 {
	d := 0.0
	for i, v := range x {
		d += (v - y[i]) * (v - y[i])
	}
	return g.Scale * math.Exp(-0.5*g.Relevance*math.Sqrt(d))
}

func (g GaussianProcess) search(s *session) error {
	g.Explore, g.Scale, g.Relevance, g.Space = cmp.Or(g.Explore, 2), cmp.Or(g.Scale, 1), cmp.Or(g.Relevance, 1), cmp.Or(g.Space, Scaled)
	if !(g.Explore > 0) || !(g.Scale > 0) || !(g.Relevance > 0) || g.Space != Scaled && g.Space != Logarithms && g.Space != Original {
		return fmt.Errorf("search: GaussianProcessPrior with Explore %v, Scale %v, Relevance %v, Space %q", g.Explore, g.Scale, g.Relevance, g.Space)
	}
	d := g.drawer(len(s.Start), s.Seed)
	var candidates, features [][]float64
	add := func(w []float64) { candidates, features = append(candidates, w), append(features, g.feature(w)) }
	if !g.NoStart {
		add(s.Start)
	}
	for range cmp.Or(g.Candidates, 100_000) {
		add(d.draw())
	}
	// k[i] are the kernels of candidate i and the known points.
	k := make([][]float64, len(candidates))
	var known [][]float64
	var scores []float64
	next := 0
	for n := 0; n < cmp.Or(g.Trials, 25) && len(candidates) > 0; n++ {
		score, err := s.try(candidates[next], 1)
		if err != nil {
			return err
		}
		known, scores = append(known, features[next]), append(scores, score)
		last := len(candidates) - 1
		candidates[next], features[next], k[next] = candidates[last], features[last], k[last]
		candidates, features, k = candidates[:last], features[:last], k[:last]
		var spread float64
		if next, spread, err = g.choose(features, k, known, scores); err != nil {
			return err
		}
		if spread <= enough && !g.Full {
			break
		}
	}
	return nil
}

// choose returns the candidate to try next and the largest variance.
func (g *GaussianProcess) choose(features, k, known [][]float64, scores []float64) (best int, spread float64, err error) {
	n := len(known)
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			gram.SetSym(i, j, g.kernel(known[i], known[j]))
		}
		gram.SetSym(i, i, gram.At(i, i)*(1+1e-8)) // equal points may be drawn twice
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) {
		return 0, 0, fmt.Errorf("search: the kernel matrix of %d points is not positive definite", n)
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return 0, 0, fmt.Errorf("search: %w", err)
	}
	var alpha mat.VecDense
	alpha.MulVec(&inverse, mat.NewVecDense(n, scores))
	most := math.Inf(-1)
	for i, x := range features {
		k[i] = append(k[i], g.kernel(x, known[n-1]))
		mean, variance := 0.0, g.Scale
		for a, ka := range k[i] {
			mean += ka * alpha.AtVec(a)
			row := 0.0
			for b, kb := range k[i] {
				row += inverse.At(a, b) * kb
			}
			variance -= ka * row
		}
		spread = max(spread, variance)
		if v := mean/g.Explore + variance; v > most {
			best, most = i, v
		}
	}
	return best, spread, nil
}
