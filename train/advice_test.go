package train

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// TestStandstill: told once, of an accuracy that stands still for long enough without belief.
func TestStandstill(t *testing.T) {
	c := config.Defaults(config.Config{Loss: "energy", System: "neupsl"})
	c.Neural.Samples = 0
	kept, broken := learning.Rule{Satisfaction: 1}, learning.Rule{Satisfaction: 0.9}
	run := func(entropy float64, rule learning.Rule, accuracies ...float64) (told []string) {
		var s standstill
		for i, a := range accuracies {
			if text := s.note(&record.Metric{Step: 10 * (i + 1), Accuracy: &a, Entropy: &entropy, Rules: []learning.Rule{rule}}, 200, 0, &c); text != "" {
				told = append(told, text)
			}
		}
		return told
	}
	still := []float64{0.3, 0.31, 0.3, 0.29, 0.3, 0.3}
	require.Len(t, run(0.99, kept, still...), 1)
	for want, told := range map[string][]string{
		"stands still at 0.3 since step 10, and outputs are near uniform and no rule is violated (entropy 0.99)": run(0.99, kept, still...),
		"and the network has hardly any belief (entropy 0.99)":                                                   run(0.99, broken, still...),
		"and the network has hardly any belief (entropy 0.5)":                                                    run(0.5, kept, still...),
	} {
		require.Len(t, told, 1)
		require.Contains(t, told[0], want)
	}
	require.Empty(t, run(0.1, kept, still...), "a network that believes something")
	require.Empty(t, run(0.99, kept, still[:3]...), "too early")
	require.Empty(t, run(0.99, kept, 0.3, 0.33, 0.36, 0.39, 0.42, 0.45), "it rises")
	require.Empty(t, run(0.99, kept, .99, .99, .99, .99, .99, .99), "there is nothing to gain")
}

// rows is a section of a task whose networks choose classes.
type rows struct{}

func (rows) Uses(*config.Config) config.Uses { return config.Uses{Losses: config.LossesOfRows()} }
func (rows) Validate(*config.Config) error   { return nil }

// TestAdvice: what is advised is a setting that there is, and not one that the run has.
func TestAdvice(t *testing.T) {
	c := config.Defaults(config.Config{Loss: "energy", System: "neupsl"})
	c.Neural.Samples, c.Neural.TemperatureMin = 0, 1
	follow := func(spread float64) string {
		text := advice(&c, spread)
		words := strings.Fields(text)
		for i, w := range words {
			if w != "-set" {
				continue
			}
			key, value, _ := strings.Cut(strings.TrimRight(words[i+1], ",;"), "=")
			number, err := strconv.ParseFloat(value, 64)
			require.NoError(t, err)
			if whole, err := strconv.Atoi(value); err == nil {
				require.NoError(t, c.Set(key, whole))
			} else {
				require.NoError(t, c.Set(key, number))
			}
		}
		return text
	}
	require.Contains(t, follow(0), "-set neural.gumbel-samples=32 -set neural.draw-temperature=0.05 -set neural.temperature-start=0.3 -set neural.temperature-min=0.25")
	require.Equal(t, 32, c.Neural.Samples)
	require.Contains(t, follow(2), "V differs by 2 between the draws")
	require.Equal(t, 0.4, c.Neural.DrawTemperature)
	require.Contains(t, follow(2), "few draws agree")
	require.Equal(t, 64, c.Neural.Samples)
	c.Neural.TemperatureMin = 1
	require.Contains(t, follow(2), "no decisions")
	require.Empty(t, advice(&config.Config{System: "gcn"}, 1))

	// Where the task has k-best it comes first, and what is advised is taken.
	c.Options, c.Neural.Samples = rows{}, 0
	text := follow(2)
	require.Contains(t, text, "-loss k-best lists the states that the labels allow; or, with the loss energy, ")
	require.NoError(t, c.Validate())
	require.Equal(t, 32, c.Neural.Samples)
	require.Contains(t, follow(0.2), "-loss k-best -set neural.gumbel-samples=0 lists")
	require.NoError(t, c.Validate())
	c.Loss, c.Neural.Samples = "k-best", 0
	require.NoError(t, c.Validate())
	require.Empty(t, advice(&c, 2))
}
