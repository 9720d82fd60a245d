package infer

import (
	"errors"
	"flag"
	"slices"
	"strings"

	"hinge/app/cli"
	"hinge/bilevel"
	"hinge/optim"
	"hinge/optim/setting"
	"hinge/symbolic/model"
	"hinge/train/weights"
)

// learnNone is the value of -learn that keeps the weights as written.
const learnNone = "none"

// learning are the flags that only -learn has a use for.
type learning struct {
	weights.Config
	loss, keep, update string
	names              []string // of the flags but -learn
}

// add declares the flags.
func (l *learning) add(f *flag.FlagSet) {
	f.StringVar(&l.loss, "learn", "", "learn the rules' weights by this `loss`, and do no more: "+strings.Join(lossNames(), ", ")+
		"; none: infer with the weights as written, even if the model has data to learn from; by a name of the reference (--learn NAME), with the settings of the model: "+
		strings.Join(model.Learners(), ", "))
	float := func(to *float64, name string, value float64, text string) {
		l.names = append(l.names, name)
		f.Float64Var(to, name, value, "-learn: "+text)
	}
	number := func(to *int, name string, value int, text string) {
		l.names = append(l.names, name)
		f.IntVar(to, name, value, "-learn: "+text)
	}
	number(&l.Epochs, "epochs", 500, "most steps")
	float(&l.Step, "step", optim.WeightOptions{}.Resolve().Step, "step size on the weights")
	l.names = append(l.names, "shrink", "keep", "update")
	f.StringVar(&l.update, "update", string(optim.Mirror), "-learn: how weights move: mirror descent, projected gradient, or gradient, which does not keep their sum: mirror, projected, gradient")
	f.BoolVar(&l.Shrink, "shrink", false, "-learn: divide the step size by the number of the step")
	float(&l.MaxNorm, "max-norm", optim.WeightOptions{}.Resolve().MaxNorm, "bound on the gradient's largest entry, negative for none")
	float(&l.NegLog, "neglog", 1e-3, "regulariser: factor r of −r·Σ log w")
	float(&l.Entropy, "entropy", 0, "regulariser: factor of Σ w·log w")
	float(&l.L2, "l2", 0, "regulariser: factor of Σ w²")
	number(&l.ScoreEvery, "score-every", 5, "steps between two evaluations")
	number(&l.Patience, "patience", 50, "steps without a better evaluation after which to end, negative for no end")
	f.StringVar(&l.keep, "keep", string(weights.KeepBest), "-learn: which weights to keep: best by the evaluation of the model, the first ones included, or last; without an evaluation they are the last")
	float(&l.EnergyCoefficient, "energy-coefficient", 0, "mse, bce: factor a of the energy of the labels")
	float(&l.ProxWeight, "prox-weight", 0, "mse, bce: factor r = 1/(2ρ) of the Moreau envelope (default 2 over the number of rules)")
	float(&l.PointStep, "y-step", 0.1, "mse, bce: step size on the points y")
	float(&l.InitialPenalty, "penalty", 2, "mse, bce: penalty μ > 1 at the start")
	float(&l.PenaltyGrowth, "penalty-growth", 2, "mse, bce: factor > 1 by which μ grows")
	float(&l.InitialMultiplier, "multiplier", 0.1, "mse, bce: multiplier λ at the start, negative for 0")
	float(&l.ConstraintTolerance, "gap-tolerance", 0, "mse, bce: M − V at which learning ends (default 1e-3·r a target)")
}

// lossNames lists the values of -learn that learn.
func lossNames() (names []string) {
	for _, loss := range bilevel.Everywhere() {
		names = append(names, string(loss))
	}
	return names
}

// validateLearning checks the flags of learning; set are the flags given.
func (o *options) validateLearning(set map[string]bool) error {
	if !o.onlyLearns() {
		for _, name := range o.learning.names {
			if set[name] {
				return cli.Usage("-%s has a meaning only with -learn", name)
			}
		}
		return nil
	}
	if !set["partition"] {
		o.partition = string(model.Learn)
	}
	l := &o.learning
	for _, v := range []struct {
		name  string
		value float64
	}{{"epochs", float64(l.Epochs)}, {"score-every", float64(l.ScoreEvery)}, {"step", l.Step}, {"y-step", l.PointStep},
		{"penalty", l.InitialPenalty}, {"penalty-growth", l.PenaltyGrowth}} {
		// To package weights a zero stands for the default.
		if !(v.value > 0) {
			return cli.Usage("-%s %v is not above 0", v.name, v.value)
		}
	}
	o.Config.Loss, o.Config.Keep, o.Config.Method = bilevel.LossName(o.loss), weights.Keep(o.keep), optim.Method(o.update)
	if !slices.Contains(bilevel.Everywhere(), o.Config.Loss) {
		hint := cli.DidYouMean(strings.TrimSuffix(o.loss, "Loss"), "", append(model.Learners(), lossNames()...))
		return cli.Usage("-learn: %q is none of %s, none, nor of the reference's %s%s", o.loss, strings.Join(lossNames(), ", "), strings.Join(model.Learners(), ", "), hint)
	}
	if _, err := o.Config.Resolve(); err != nil {
		if f := (*setting.Fault)(nil); errors.As(err, &f) { // its name is that of the flag
			return cli.Usage("-%s: %s", strings.ReplaceAll(f.Key, "_", "-"), f.Problem)
		}
		return cli.Usage("-learn: %s", strings.TrimPrefix(strings.TrimPrefix(err.Error(), "weights: "), "bilevel: "))
	}
	return nil
}
