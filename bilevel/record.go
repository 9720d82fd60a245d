package bilevel

// Terms are the parts of the loss in one step, summed over the samples of the batch
// (estimated, with Lagrangian.ConstraintSamples). The terms of the augmented Lagrangian add up
// to Lagrangian; a value-based loss has Energy alone.
type Terms struct {
	// Samples is the size of the batch.
	Samples int `json:"samples"`
	// Supervised is Σ d(y_i, t_i).
	Supervised float64 `json:"supervised"`
	// Energy is a·Σ V_{z*_i}; for the energy and structured-perceptron losses
	// the loss itself.
	Energy float64 `json:"energy"`
	// Linear is Σ λ_i (c_i + s_i), Quadratic (μ/2) Σ (c_i + s_i)².
	Linear    float64 `json:"linear"`
	Quadratic float64 `json:"quadratic"`
	// Lagrangian is their sum L_A.
	Lagrangian float64 `json:"lagrangian"`
	// Gap is Σ (M_i − V_i), Violation Σ |c_i + s_i| and Slack Σ s_i.
	Gap       float64 `json:"gap"`
	Violation float64 `json:"violation"`
	Slack     float64 `json:"slack"`
}

// scale multiplies the terms of the constraints and their points.
func (t *Terms) scale(f float64) {
	t.Supervised *= f
	t.Linear *= f
	t.Quadratic *= f
	t.Gap *= f
	t.Violation *= f
	t.Slack *= f
}

// Numbers are the terms in a fixed order, for sums over the parts of a batch. TermsOf
// reads them.
func (t *Terms) Numbers() []float64 {
	return []float64{
		float64(t.Samples), t.Supervised, t.Energy, t.Linear, t.Quadratic, t.Lagrangian, t.Gap, t.Violation, t.Slack,
	}
}

// TermsOf returns the terms that the first nine numbers of x are, in the order of Numbers,
// and the rest of x. It panics on fewer.
func TermsOf(x []float64) (t Terms, rest []float64) {
	return Terms{
		Samples: int(x[0]), Supervised: x[1], Energy: x[2], Linear: x[3], Quadratic: x[4],
		Lagrangian: x[5], Gap: x[6], Violation: x[7], Slack: x[8],
	}, x[9:]
}

// Outcome is the result of EndEpoch.
type Outcome struct {
	// Epoch counts the epochs ended, Round the relaxations ι^(t) and Inner the
	// tests k passed within a round.
	Epoch int `json:"epoch"`
	Round int `json:"round"`
	Inner int `json:"inner"`
	// Tested reports whether this epoch ended with a test; the numbers below are then those of
	// the test, before the action.
	Tested bool `json:"tested"`
	// Delta is the stationarity measure δ, Violation Σ |c_i + s_i| and Gap
	// Σ (M_i − V_i) over all samples.
	Delta     float64 `json:"delta"`
	Violation float64 `json:"violation"`
	Gap       float64 `json:"gap"`
	// Relaxation is ι, Penalty μ, Omega ω and Sigma σ.
	Relaxation float64 `json:"iota"`
	Penalty    float64 `json:"mu"`
	Omega      float64 `json:"omega"`
	Sigma      float64 `json:"sigma"`
	// Action is the change that followed the test.
	Action Action `json:"action"`
	// Done reports whether the algorithm has reached its end.
	Done bool `json:"done"`
}

// Action is the reaction to a test.
type Action string

const (
	// Continue: not yet a minimiser within ω (or no test was due).
	Continue Action = "continue"
	// Multipliers: the constraints hold within σ; λ ← λ + μ(c + s), ω and σ
	// tightened.
	Multipliers Action = "multipliers"
	// Penalised: they do not; μ grown, ω and σ reset.
	Penalised Action = "penalised"
	// Relaxed: the problem with this ι is solved; ι halved, ω and σ reset.
	Relaxed Action = "relaxed"
	// Finished: as Relaxed, with an ι of 0 that cannot be halved.
	Finished Action = "finished"
)
