package bilevel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gorgonia.org/gorgonia"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
)

// LossKBest is ours, after abductive learning (Dai et al., NeurIPS 2019): the cross entropy of the
// outputs and of the k best whole-number states that the label allows (kbest.go).
const LossKBest LossName = "k-best"

// kBest is the loss of whole-number states. The outputs of a sample are rows r = 1 … R, each a
// distribution p_r over classes. A state x has a class of every row. The loss uses the states
// for which, with the labels fixed, rules cost nothing (integer.Outputs). The energy of such a
// state comes from the network alone,
//
//	V(x) = −Σ_r log p_r(x_r),   L = −T log Σ_{x ∈ B} e^(−V(x)/T),
//
// with B the Lagrangian.States states of least V, and T = Lagrangian.StateTemperature. Its
// gradient is that of the cross entropy −Σ_r Σ_c q_r(c)·log p_r(c) whose targets q_r(c) are the
// shares e^(−V(x)/T)/Σ of the states with x_r = c, held fixed. With all states and T = 1 it is
// the exact likelihood of the labels; with one state, or T → 0, the network learns the
// reading that it finds likeliest among those which explain the label.
//
// States are listed once for each set of labels, and weighed in every step. What inference finds
// at the outputs is for Objective.Satisfaction alone: soft outputs may leave a hard rule no point
// although states keep it. The rule weights have no gradient: the set of states does not depend
// on them.
type kBest struct {
	Stateless
	latent *ValueFunction
	rowsOf func(sample int) []int
	as     Reduction
	most   int     // k, 0 for all
	temp   float64 // T
	known  map[labelledRows][][]int
	rows   [][]int   // of each loaded sample
	states [][][]int // of each loaded sample
	shares []share
	value  float64 // Σ over the samples
	unmet  bool    // hard rules have no point at the outputs
}

// labelledRows is a program with labels and the numbers of classes of its outputs.
type labelledRows struct {
	labelledProgram
	rows string
}

// share is a state with e^(−V/T).
type share struct {
	state []int
	value float64 // V, then the share
}

// leastBelief is what a belief counts at least, so that a class which the network excludes
// to the last bit does not make the loss infinite.
const leastBelief = 1e-30

// mostStates bounds the states that a set of labels allows.
const mostStates = 100_000

// kBestKind takes the beliefs as they are.
var kBestKind = Kind{
	Name: LossKBest, Solves: true, Rows: true, Sums: true,
	New: func(o *Objective) (Loss, error) {
		return &kBest{
			latent: o.Latent(), rowsOf: o.problem.Rows, as: o.set.Reduction, most: o.set.States, temp: o.set.StateTemperature,
			known: map[labelledRows][][]int{}, rows: make([][]int, o.Latent().Samples()), states: make([][][]int, o.Latent().Samples()),
		}, nil
	},
}

// Load lists the states of labels that are new.
func (l *kBest) Load(batch []int) error {
	for i := range l.states {
		in := l.latent.Instance(i)
		l.rows[i] = l.rowsOf(batch[i])
		key := labelledRows{programOf(in), fmt.Sprint(l.rows[i])}
		if _, ok := l.known[key]; !ok {
			states, search, err := list(in, in.Program(), l.rows[i])
			switch {
			case err != nil:
				return fmt.Errorf("bilevel: sample %d: %w", batch[i], err)
			case search == integer.Infeasible:
				return contrary(batch[i], in, l.rows[i])
			case search != integer.Listed:
				return fmt.Errorf("bilevel: sample %d: the states that the labels allow are more than %d (%v)", batch[i], mostStates, search)
			}
			l.known[key] = states
		}
		l.states[i] = l.known[key]
	}
	return nil
}

// list returns the states that the labels of an instance allow by a program with its targets.
func list(in *lcqp.Instance, p *hlmrf.Program, rows []int) ([][]int, integer.Status, error) {
	return integer.Outputs(context.Background(), p, fixedLabels(in), rows, integer.ListSettings{MaxPoints: mostStates})
}

// A ContraryError reports a sample whose labels break a rule whatever class each row has.
type ContraryError struct {
	Sample int
	// Targets are the labelled targets, and Rules the rules, of a set of ground rules of which
	// every state breaks one, and all but any one of which some state keeps.
	Targets []int32
	Rules   []hlmrf.Rule
}

func (e *ContraryError) Error() string {
	var rules []string
	for _, r := range e.Rules {
		rules = append(rules, strings.TrimSpace(r.Source+" "+r.Text))
	}
	return fmt.Sprintf("sample %d: whatever class each row has, a rule is broken; the loss k-best learns from rules that the labels can hold: %s", e.Sample, strings.Join(rules, "; "))
}

// contrary finds the rows that contradict each other.
func contrary(sample int, in *lcqp.Instance, rows []int) error {
	targets, all := make([]int32, in.Targets), make([]int32, in.Rows())
	for i := range targets {
		targets[i] = int32(i)
	}
	for k := range all {
		all[k] = int32(k)
	}
	core := lcqp.Irreducible(all, func(rest []int32) []int32 {
		if _, search, err := list(in, in.Part(targets, rest), rows); err != nil || search != integer.Infeasible {
			return nil
		}
		return rest
	})
	e, p := &ContraryError{Sample: sample}, in.Program()
	for _, k := range core {
		if rule, _, _ := p.RowAt(int(k)); !slices.Contains(e.Rules, *rule) {
			e.Rules = append(e.Rules, *rule)
		}
		for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
			if i := in.Col[j]; in.Val[j] != 0 && in.Lower[i] == in.Upper[i] {
				e.Targets = append(e.Targets, i)
			}
		}
	}
	slices.Sort(e.Targets)
	e.Targets = slices.Compact(e.Targets)
	return e
}

func (l *kBest) Express(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	if err := l.latent.checkNodes(w, g); err != nil {
		return nil, err
	}
	samples := l.latent.Samples()
	scale := l.as.factor(samples)
	return Function(string(LossKBest), w, g, func(w, g, _, dg []float64) (float64, error) {
		err := l.latent.Solve(w, g)
		if _, l.unmet = errors.AsType[*infer.InfeasibleError](err); err != nil && !l.unmet {
			return 0, err
		}
		l.value = 0
		for i := range samples {
			l.value += l.weigh(l.states[i], l.rows[i], l.latent.outputs(g, i), l.latent.outputs(dg, i))
		}
		for i := range dg {
			dg[i] *= scale
		}
		return scale * l.value, nil
	})
}

// weigh returns the loss of a sample with the beliefs p and adds its derivative to dp.
func (l *kBest) weigh(states [][]int, rows []int, p, dp []float64) float64 {
	l.shares = l.shares[:0]
	for _, state := range states {
		v, from := 0.0, 0
		for r, c := range state {
			v -= math.Log(max(p[from+c], leastBelief))
			from += rows[r]
		}
		l.shares = append(l.shares, share{state, v})
	}
	if l.most > 0 && l.most < len(l.shares) {
		slices.SortStableFunc(l.shares, func(a, b share) int { return cmp.Compare(a.value, b.value) })
		l.shares = l.shares[:l.most]
	}
	low := slices.MinFunc(l.shares, func(a, b share) int { return cmp.Compare(a.value, b.value) }).value
	sum := 0.0
	for i := range l.shares {
		s := &l.shares[i]
		s.value = math.Exp((low - s.value) / l.temp)
		sum += s.value
	}
	for _, s := range l.shares {
		from := 0
		for r, c := range s.state {
			dp[from+c] -= s.value / sum / max(p[from+c], leastBelief)
			from += rows[r]
		}
	}
	return low - l.temp*math.Log(sum)
}

// Satisfaction leaves the measurement to inference, and writes 0 where that has found no point.
func (l *kBest) Satisfaction(out []float64) bool {
	if l.unmet {
		clear(out)
		clear(l.latent.slotValues) // no step has this Spread
	}
	return l.unmet
}

func (l *kBest) Step([]float64, []float64, gorgonia.Nodes) (Terms, error) {
	return Terms{Samples: l.latent.Samples(), Supervised: l.value, Lagrangian: l.value}, nil
}
