package learning

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"hinge/symbolic/evaluate"
	"hinge/train/mapstate"
)

// Shown is the report of a model about its last test; it is the content of ShownFile in the
// run folder.
type Shown struct {
	// Confusions and Calibrations are of the network alone or of the answers.
	Confusions   []Confusion            `json:"confusions,omitempty"`
	Calibrations []evaluate.Calibration `json:"calibrations,omitempty"`
	// Curves are the curves of predicates whose atoms count as true from a threshold on.
	Curves []Curve `json:"curves,omitempty"`
	// Ablations are the figures without single rules; nil where they were not computed.
	Ablations *Ablations `json:"ablations,omitempty"`
	// Cases are the worst of Examples; Wrong is the number of wrong answers.
	Examples int    `json:"examples"`
	Wrong    int    `json:"wrong"`
	Cases    []Case `json:"cases,omitempty"`
}

// Curve is precision, recall and F1 over thresholds of the values, the largest first. At is the
// point at which the test was evaluated.
type Curve struct {
	Name   string           `json:"name"`
	At     evaluate.Point   `json:"at"`
	Points []evaluate.Point `json:"points"`
}

// Ablations are figures of the test that was inferred again without each rule and each network. The
// first row is without nothing.
type Ablations struct {
	Figures []string      `json:"figures"`
	Rows    []AblationRow `json:"rows"`
}

// AblationRow holds a value for each figure, none where the inference did not end in time.
type AblationRow struct {
	Without string    `json:"without"`
	Values  []float64 `json:"values,omitempty"`
}

// Confusion counts by true class (rows) and by what was read or answered (columns).
type Confusion struct {
	Name    string   `json:"name"`
	Classes []string `json:"classes"`
	Counts  [][]int  `json:"counts"`
}

// NewConfusion names the classes by their numbers.
func NewConfusion(name string, counts [][]int) Confusion {
	c := Confusion{Name: name, Counts: counts}
	for i := range counts {
		c.Classes = append(c.Classes, strconv.Itoa(i))
	}
	return c
}

// Case is an example together with its answer.
type Case struct {
	Name string `json:"name"`
	// Pictures are PNG files.
	Pictures [][]byte `json:"pictures,omitempty"`
	// Read is the reading of the network alone, if that differs from an answer; Answer is the
	// answer and Truth the right one.
	Read   string `json:"read,omitempty"`
	Answer string `json:"answer"`
	Truth  string `json:"truth"`
	Right  bool   `json:"right"`
	// Belief is the network's belief in the truth, the least over the example's parts; of a model
	// file it is 1 less the distance of the inferred value from the true one. It is nil where the
	// truth of parts is not known.
	Belief *float64 `json:"belief,omitempty"`
	// Inputs are lines about what the networks saw: features of the example's entities that are
	// no pictures, or parts of a picture that misled the answer.
	Inputs []string `json:"inputs,omitempty"`
	// Pulls are the rules that pull most at the answer, and away from the truth.
	Pulls []Pull `json:"pulls,omitempty"`
	// Values are those MAP inference gives what decides, the answer and the truth.
	Values []mapstate.AtomValue `json:"values,omitempty"`
	// Explanation names the rules that the answer breaks; nil without rules.
	*mapstate.Explanation
}

// Pull is the force of a ground rule on an atom; a positive force pushes its value up.
type Pull struct {
	Atom string `json:"atom"`
	mapstate.RuleForce
}

// worstCases is how many cases are shown.
const worstCases = 24

// Worst adds the worst cases of a test: first the wrong ones, and among equals the cases of the
// least rank, such as the belief in the truth. describe is called for the cases that are kept;
// Worst fills in Right.
func (s *Shown) Worst(right []bool, rank []float64, describe func(example int) (Case, error)) error {
	order := All(len(right))
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case right[a] == right[b]:
			return cmp.Compare(rank[a], rank[b])
		case right[b]:
			return -1
		}
		return 1
	})
	s.Examples = len(right)
	for _, ok := range right {
		if !ok {
			s.Wrong++
		}
	}
	for _, e := range order[:min(worstCases, len(order))] {
		c, err := describe(e)
		if err != nil {
			return err
		}
		c.Right = right[e]
		s.Cases = append(s.Cases, c)
	}
	return nil
}

// Reporter is implemented by models that can report more about their last test than Evaluate
// returns.
type Reporter interface {
	// Report returns further figures of the final weights on the test, accuracies by name, or
	// the context's error where that ends before.
	Report(ctx context.Context) (map[string]float64, error)
	// Show returns what was answered in the test, nil where there is nothing to show.
	Show() (*Shown, error)
}
