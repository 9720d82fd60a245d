package train

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hinge/bilevel"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// standstill watches the validations of a run for an accuracy that stands still while the
// network has hardly any belief. It then proposes settings, once.
type standstill struct {
	best  float64 // accuracy that a later one has to exceed by leastGain, which none can near 1
	since int     // step of its validation
	seen  int     // validations since then
	told  bool
}

const (
	// leastGain is how much better an accuracy is that does not stand still, leastEntropy the
	// entropy from which outputs count as hardly any belief.
	leastGain, leastEntropy = 0.02, 0.4
	// stillFor is the share of the steps of a run, and stillSeen the number of validations, for
	// which the accuracy has to stand still.
	stillFor, stillSeen = 0.1, 3
	// uniform is the entropy of outputs that are near uniform.
	uniform = 0.95
)

// note takes a validation and returns a message, or "". total is the number of steps of the
// run, spread is Work.DrawSpread of the last one.
func (s *standstill) note(m *record.Metric, total int, spread float64, c *config.Config) string {
	if m.Accuracy == nil || m.Entropy == nil {
		return ""
	}
	if *m.Accuracy > s.best+leastGain || s.since == 0 {
		s.best, s.since, s.seen = *m.Accuracy, m.Step, 0
		return ""
	}
	s.seen++
	if s.told || s.best+leastGain > 1 || *m.Entropy < leastEntropy || s.seen < stillSeen || float64(m.Step-s.since) < stillFor*float64(total) {
		return ""
	}
	try := advice(c, spread)
	if try == "" {
		return ""
	}
	s.told = true
	why := "the network has hardly any belief"
	if *m.Entropy >= uniform && holds(m.Rules) {
		why = "outputs are near uniform and no rule is violated"
	}
	return fmt.Sprintf("the %s stands still at %.3g since step %d, and %s (entropy %.2g): %s; see docs/LEARNING.md", cmp.Or(m.Figure, "accuracy"), s.best, s.since, why, *m.Entropy, try)
}

// holds reports whether there are rules, none of them broken to speak of.
func holds(rules []learning.Rule) bool {
	return len(rules) > 0 && !slices.ContainsFunc(rules, func(r learning.Rule) bool { return r.Satisfaction < 0.999 })
}

// Draws that rules can judge (docs/LEARNING.md): their number, temperatures at which they are nearly
// decisions, and a draw temperature for programs with few ground rules, whose weights are on the unit
// simplex.
const (
	advisedDraws       = 32
	advisedStart       = 0.3
	advisedMin         = 0.25
	advisedTemperature = 0.05
	// A good draw temperature is a tenth to a half of the spread of V over the draws.
	leastOfSpread, mostOfSpread, ofSpread = 0.1, 0.5, 0.2
)

// advice returns settings, in the form of flags, for a network that learns through rules and
// has no belief: k-best where the task has it, then draws where the loss has them.
func advice(c *config.Config, spread float64) string {
	kBest := string(bilevel.LossKBest)
	if !c.NeuPSL() || c.Loss == kBest {
		return ""
	}
	var try []string
	if slices.Contains(c.Losses(), kBest) {
		zero := ""
		if c.Neural.Samples > 0 {
			zero = " -set neural.gumbel-samples=0"
		}
		try = append(try, fmt.Sprintf("-loss %s%s lists the states that the labels allow", kBest, zero))
	}
	if c.LossKind().Draws {
		try = append(try, drawAdvice(&c.Neural, spread))
	}
	return strings.Join(try, "; or, with the loss "+c.Loss+", ")
}

// drawAdvice is the advice about the draws of the outputs.
func drawAdvice(n *config.Neural, spread float64) string {
	var set []string
	add := func(key string, value any) { set = append(set, fmt.Sprintf("-set neural.%s=%v", key, value)) }
	switch {
	case n.Samples < advisedDraws/4:
		add("gumbel-samples", advisedDraws)
		add("draw-temperature", advisedTemperature)
		if n.TemperatureMin > advisedMin {
			add("temperature-start", advisedStart)
			add("temperature-min", advisedMin)
		}
		return "ask the rules about decisions in place of beliefs, with " + strings.Join(set, " ")
	case n.TemperatureMin > 2*advisedMin:
		add("temperature-start", advisedStart)
		add("temperature-min", advisedMin)
		return "the draws are beliefs and no decisions; try " + strings.Join(set, " ")
	case spread > 0 && (n.DrawTemperature < leastOfSpread*spread || n.DrawTemperature > mostOfSpread*spread):
		add("draw-temperature", fmt.Sprintf("%.2g", ofSpread*spread))
		return fmt.Sprintf("V differs by %.2g between the draws, and the draw temperature should be a fifth of that; try %s", spread, set[0])
	}
	add("gumbel-samples", 2*n.Samples)
	return "few draws agree with the labels; try " + set[0]
}
