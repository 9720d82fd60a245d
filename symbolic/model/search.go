package model

import (
	"slices"
	"strings"
)

// Search are the options of the learners that try weights, 0 where the model does not
// say: package train/weights/search has the defaults.
type Search struct {
	// Grid are the possible weights of the grid searches (gridsearch.weights).
	Grid []float64
	// RandomLocations and ContinuousLocations are numbers of trials
	// (randomgridsearch. and continuousrandomgridsearch.maxlocations), GuidedSeeds and
	// GuidedExplore those of guidedrandomgridsearch.seedlocations and
	// .explorelocations.
	RandomLocations, ContinuousLocations, GuidedSeeds, GuidedExplore int
	// BracketSize, Brackets and Survival are hyperband.basebracketsize, .numbrackets
	// and .survival.
	BracketSize, Brackets, Survival int
	// Alpha is the parameter of the Dirichlet distribution (search.dirichletalpha), unless
	// Dirichlet is false (search.dirichlet).
	Alpha     float64
	Dirichlet bool
	// Candidates, Trials and Explore are gpp.maxconfigs, .maxiterations and .explore;
	// EarlyStop is gpp.earlystopping, UseStart gpp.useprovidedweight. Scale, Relevance and
	// Space belong to the kernel (gppker.scale, .reldep and .space).
	Candidates, Trials        int
	Explore, Scale, Relevance float64
	EarlyStop, UseStart       bool
	Space                     string
}

// searches are the reference's learners that try weights.
var searches = []string{"GridSearch", "RandomGridSearch", "GuidedRandomGridSearch", "ContinuousRandomGridSearch", "Hyperband", "GaussianProcessPrior"}

// Searches reports whether the learner tries weights.
func (o *Learning) Searches() bool { return slices.Contains(searches, o.Method) }

// searchSettings are the options of searches that are read.
func (l *loader) searchSettings() []setting {
	s := &l.m.Options.Learning.Search
	return []setting{
		{"gridsearch.weights", l.weightList(&s.Grid)},
		{"randomgridsearch.maxlocations", l.count(&s.RandomLocations)},
		{"continuousrandomgridsearch.maxlocations", l.count(&s.ContinuousLocations)},
		{"guidedrandomgridsearch.seedlocations", l.count(&s.GuidedSeeds)},
		{"guidedrandomgridsearch.explorelocations", l.count(&s.GuidedExplore)},
		{"hyperband.basebracketsize", l.count(&s.BracketSize)},
		{"hyperband.numbrackets", l.count(&s.Brackets)},
		{"hyperband.survival", l.count(&s.Survival)},
		{"search.dirichlet", l.truth(&s.Dirichlet)},
		{"search.dirichletalpha", l.positive(&s.Alpha)},
		{"gpp.maxconfigs", l.count(&s.Candidates)},
		{"gpp.maxiterations", l.count(&s.Trials)},
		{"gpp.explore", l.positive(&s.Explore)},
		{"gpp.earlystopping", l.truth(&s.EarlyStop)},
		{"gpp.useprovidedweight", l.truth(&s.UseStart)},
		{"gppker.scale", l.positive(&s.Scale)},
		{"gppker.reldep", l.positive(&s.Relevance)},
		{"gppker.space", l.word(&s.Space, "SS", "OS", "LS")},
	}
}

// weightList reads weights between colons or commas.
func (l *loader) weightList(to *[]float64) func(*option) error {
	return func(e *option) error {
		*to = nil
		for _, text := range strings.FieldsFunc(e.value, func(r rune) bool { return r == ':' || r == ',' }) {
			v, err := parseNumber(text)
			if err != nil || !(v >= 0) || v-v != 0 {
				return l.errorf(e.node, "the option %s is %s, want numbers ≥ 0 between colons", e.name, show(e.value))
			}
			*to = append(*to, v)
		}
		if len(*to) == 0 {
			return l.errorf(e.node, "the option %s holds no number", e.name)
		}
		return nil
	}
}
