package addition

import (
	"hinge/lab/tables"
	"hinge/tasks/mnistadd"
	"hinge/train/config"
	"hinge/train/learning"
)

// noisyFile is the rule base with wrong rules in it, from the root of the repository;
// its last wrongRules rules are wrong.
const (
	noisyFile  = "examples/noisy-rules/rules.psl"
	wrongRules = 3
)

// wrongWeight is a further figure of runs with wrong rules.
const wrongWeight = "Largest weight of a wrong rule (%)"

// learnRules are the settings of examples/noisy-rules.
func learnRules(c *config.Config) {
	n := &c.Neural
	n.TemperatureDecay, n.TemperatureMin, n.TemperatureSpread, n.TestTemperature = 0.04, 0.25, 1, 0.25
	s := &c.Symbolic
	s.FreezeRules, s.After, s.Step, s.NegLog = false, 0.125, 0.05, 5e-3
}

// keptSplits were used by nothing before.
var keptSplits = []int{40, 41, 42, 43, 44, 45, 46, 47, 48, 49}

// NoisyRules shows what learned rule weights are for: MNIST-Add1 with its own rules
// and with three wrong ones beside them, the rule weights frozen and learned. It is
// run from the root of the repository, where the rule file lies. Two further rows are the recipe
// itself. The quick form has the wrong rules on one split.
func NoisyRules(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Name: "table6-rules", Title: "MNIST-Addition: learned rule weights against wrong rules", Unit: "accuracy of the sum on validation (%)",
		Code: "tasks/mnistadd",
		Text: []string{"An experiment of ours. *Clean* are the six weighted rules of MNIST-Add1, *noisy* the same with three wrong ones, off by one (" + noisyFile + "). " +
			"All weights start equal. *Learned* rule weights move by mirror descent along Φ(y*), *frozen* ones stay; " +
			"all else is the same in the rows: the recipe *best* with Gumbel draws that grow cold (examples/noisy-rules/README.md says why).",
			"A *dead zone* keeps the weight of a rule that labels break by at most that, on average over a batch. The recipe has .5, which true rules do not reach: with clean rules the runs are those of frozen weights, to the bit. " +
				"Wrong rules keep the network undecided, and then break by less than that for long; so examples/noisy-rules has none.",
			"The last two rows are the recipe *best* itself, on splits that nothing else has used. No weight moved: the two runs of a split are the same, to the bit.",
			"Validation has 1,000 images a split, the further validation 5,000 others. No test addition is answered."},
	}
	rows := []struct {
		name, file string
		frozen     bool
		zone       float64
	}{
		{"clean rules, frozen", "", true, 0}, {"clean rules, learned", "", false, 0}, {"clean rules, learned, dead zone .5", "", false, 0.5},
		{"noisy rules, frozen", noisyFile, true, 0}, {"noisy rules, learned", noisyFile, false, 0}, {"noisy rules, learned, dead zone .5", noisyFile, false, 0.5},
	}
	splits := fiveSplits
	if o.Quick {
		splits, rows = splits[:1], rows[3:5]
	}
	for _, r := range rows {
		z := sizes[0]
		cfg := best("neupsl", z.task(), "energy", z.additions)
		learnRules(&cfg)
		cfg.Rules, cfg.Symbolic.FreezeRules = r.file, r.frozen
		cfg.Symbolic.DeadZone = r.zone
		if err := t.Add(trial(o, r.name, z, splits, cfg)); err != nil {
			return nil, err
		}
	}
	if o.Quick {
		return t, nil
	}
	for _, z := range []size{sizes[0], sizes[2]} {
		frozen := best("neupsl", z.task(), "energy", z.additions)
		learned := mnistadd.SystemDefaults("neupsl", z.task(), "energy", "best", z.additions)
		if err := t.Add(trial(o, "the recipe, frozen", z, keptSplits, frozen)); err != nil {
			return nil, err
		}
		if err := t.Add(trial(o, "the recipe, learned, dead zone .5", z, keptSplits, learned)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// largestWrong is the largest weight of a wrong rule.
func largestWrong(rules []learning.Rule) float64 {
	w := 0.0
	for _, r := range rules[len(rules)-wrongRules:] {
		w = max(w, r.Weight)
	}
	return w
}
