package lcqp

import (
	"fmt"
	"math"
	"slices"
)

// SetDeep sets the neural outputs: b = b₀ + B·g, one sparse product. It is an
// error when len(g) is not Deep or an output is not finite; the instance is
// then unchanged. Outputs outside [0,1] are allowed: finite differences and
// unnormalised models need them.
func (in *Instance) SetDeep(g []float64) error {
	if len(g) != in.Deep {
		return fmt.Errorf("lcqp: %d neural outputs given, the program has %d", len(g), in.Deep)
	}
	if j := firstBad(g, false); j >= 0 {
		return fmt.Errorf("lcqp: neural output %d (%s) is %v; if it is a network that learns, a lower learning rate is the usual cure", j, in.program.Deep[j], g[j])
	}
	in.affines().apply(g, in.B)
	return nil
}

// SetWeights copies the symbolic weights w_sy, one per rule. It is an error when
// the length differs from Rules or a weight is negative or not finite.
func (in *Instance) SetWeights(w []float64) error {
	if len(w) != in.Rules {
		return fmt.Errorf("lcqp: %d weights given, the program has %d weighted rules", len(w), in.Rules)
	}
	if r := firstBad(w, true); r >= 0 {
		return fmt.Errorf("lcqp: weight %d is %v, not a finite number ≥ 0", r, w[r])
	}
	copy(in.Weights, w)
	return nil
}

// Fix sets target i to the label v ∈ [0,1] (latent inference).
func (in *Instance) Fix(i int, v float64) error {
	if err := in.has(i); err != nil {
		return err
	}
	if !(v >= 0 && v <= 1) {
		return fmt.Errorf("lcqp: label %v of target %s is outside [0,1]", v, in.program.Targets[i])
	}
	in.Lower[i], in.Upper[i] = v, v
	return nil
}

// FixOneHot fixes target targets[hot] to 1 and the others of targets to 0. On error, a target or
// hot out of range, the instance is unchanged.
func (in *Instance) FixOneHot(targets []int, hot int) error {
	if hot < 0 || hot >= len(targets) {
		return fmt.Errorf("lcqp: no place %d among %d targets", hot, len(targets))
	}
	for _, i := range targets {
		if err := in.has(i); err != nil {
			return err
		}
	}
	for _, i := range targets {
		in.Lower[i], in.Upper[i] = 0, 0
	}
	in.Lower[targets[hot]], in.Upper[targets[hot]] = 1, 1
	return nil
}

// has reports a target out of range.
func (in *Instance) has(i int) error {
	if i < 0 || i >= in.Targets {
		return fmt.Errorf("lcqp: no target %d, the program has %d", i, in.Targets)
	}
	return nil
}

// Free undoes Fix: target i may again take any value in [0,1].
func (in *Instance) Free(i int) error {
	if err := in.has(i); err != nil {
		return err
	}
	in.Lower[i], in.Upper[i] = 0, 1
	return nil
}

// FreeAll frees every target.
func (in *Instance) FreeAll() {
	for i := range in.Lower {
		in.Lower[i], in.Upper[i] = 0, 1
	}
}

// SetBounds sets Lower ≤ y ≤ Upper, one finite number a target each, in place of the
// unit box. Fix and Free know the unit box only. On error the instance is unchanged.
func (in *Instance) SetBounds(lower, upper []float64) error {
	if len(lower) != in.Targets || len(upper) != in.Targets {
		return fmt.Errorf("lcqp: %d lower and %d upper bounds given, the program has %d targets", len(lower), len(upper), in.Targets)
	}
	for i, lo := range lower {
		if up := upper[i]; !(lo <= up) || math.IsInf(lo, 0) || math.IsInf(up, 0) {
			return fmt.Errorf("lcqp: bounds of target %d (%s) are %v and %v, want finite ones in order", i, in.program.Targets[i], lo, up)
		}
	}
	copy(in.Lower, lower)
	copy(in.Upper, upper)
	return nil
}

// SetProx sets the proximal term Σ r_i (y_i − ŷ_i)² of the Moreau envelope.
// r has one number ≥ 0 a target, or is a single number for all of them
// (r = 1/(2ρ) in the paper's notation); center is ŷ, one finite number a
// target. On error the instance is unchanged.
func (in *Instance) SetProx(r, center []float64) error {
	if len(r) != in.Targets && len(r) != 1 {
		return fmt.Errorf("lcqp: %d proximal weights given, want 1 or %d", len(r), in.Targets)
	}
	if len(center) != in.Targets {
		return fmt.Errorf("lcqp: proximal centre of length %d, want %d", len(center), in.Targets)
	}
	if i := firstBad(r, true); i >= 0 {
		return fmt.Errorf("lcqp: proximal weight %d is %v, not a finite number ≥ 0", i, r[i])
	}
	if i := firstBad(center, false); i >= 0 {
		return fmt.Errorf("lcqp: proximal centre of target %d is %v", i, center[i])
	}
	if len(r) == in.Targets {
		copy(in.Prox, r)
	} else {
		for i := range in.Prox {
			in.Prox[i] = r[0]
		}
	}
	copy(in.Center, center)
	return nil
}

// SetTies selects the optimum that, as ε → 0, has the least 2‖y − center‖² + ‖s‖² among the optima
// without regularisation: the nearest to center, where they do not differ in the slacks s of linear
// potentials. center has one finite number a target. SetTies replaces ε‖y‖² by 2ε‖y − center‖², up to a
// constant, by means of the proximal term. So a target that no rule moves no longer becomes 0.
func (in *Instance) SetTies(center []float64) error {
	twice := make([]float64, len(center))
	for i, c := range center {
		twice[i] = 2 * c // ε y² + ε (y − 2c)² = 2ε (y − c)² + 2εc²
	}
	return in.SetProx([]float64{in.Epsilon}, twice)
}

// ClearProx removes the proximal term.
func (in *Instance) ClearProx() {
	clear(in.Prox)
	clear(in.Center)
}

// firstBad returns the index of the first number that is not finite or, with nonNegative,
// below zero; −1 when there is none.
func firstBad(x []float64, nonNegative bool) int {
	return slices.IndexFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) || nonNegative && v < 0 })
}
