package modelfile

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// Ablation is the evaluations of an inference without a rule, or without a network.
type Ablation struct {
	// Place and Rule are those of the rule; Network is the predicate that describes the network.
	Place   string `json:"place,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Network string `json:"network,omitempty"`
	// Ground is the number of ground rules that were left out.
	Ground int `json:"ground"`
	// Results are the evaluations; nil if the inference did not end in time, or was interrupted.
	Results []model.Result `json:"-"`
}

// Ablate infers a program again without each of its rules, and without the ground rules that have
// outputs of each of its networks: as if the rules were deleted from the file. Every inference starts
// from full, the solution of the program in, whose neural outputs are g, and has the first of the
// settings under which it ends well; after ctx has ended none does. Targets, networks and weights of the
// other rules stay as they are.
func Ablate(ctx context.Context, m *model.Model, in *lcqp.Instance, full *infer.Result, g []float64, sets ...infer.Settings) ([]Ablation, error) {
	p, all := in.Program(), make([]int32, in.Targets)
	for i := range all {
		all[i] = int32(i)
	}
	var list []Ablation
	without := func(a Ablation, drop func(k int) bool) error {
		var keep []int32
		for k := range in.Rows() {
			if drop(k) {
				a.Ground++
			} else {
				keep = append(keep, int32(k))
			}
		}
		y, err := mapstate.Again(ctx, in, &full.Solution, g, all, keep, nil, sets...)
		if err == nil && y != nil {
			a.Results, err = m.Evaluate(y, g)
		}
		list = append(list, a)
		return err
	}
	hard := in.Constraints
	places := func(k int) (source, text string) {
		if k < hard {
			return p.HardRules[p.ConstraintRule[k]].Source, p.HardRules[p.ConstraintRule[k]].Text
		}
		return p.Rules[p.PotentialRule[k-hard]].Source, p.Rules[p.PotentialRule[k-hard]].Text
	}
	for _, rule := range m.Rules.Rules {
		source := rule.Pos.String()
		err := without(Ablation{Place: source, Rule: rule.String()}, func(k int) bool { s, _ := places(k); return s == source })
		if err != nil {
			return nil, err
		}
	}
	for _, q := range m.Predicates {
		if q.Network == nil || q.Network.Share != "" {
			continue
		}
		own := make([]bool, m.Data.DeepAtoms())
		for _, r := range m.Predicates {
			if r.Network == nil || r.Name != q.Name && r.Network.Share != q.Name {
				continue
			}
			for a := range m.Data.Atoms(r.Name, ground.Deep) {
				own[a.Index] = true
			}
		}
		err := without(Ablation{Network: q.Name}, func(k int) bool {
			return slices.ContainsFunc(in.DeepCol[in.DeepPtr[k]:in.DeepPtr[k+1]], func(c int32) bool { return own[c] })
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Name returns the rule with its place, or the network.
func (a *Ablation) Name() string {
	if a.Network != "" {
		return "the network of " + a.Network
	}
	return fmt.Sprintf("%s (%s)", strings.TrimSpace(a.Rule), a.Place)
}

// WriteAblations prints a table of representative figures, of which full has the ones of all rules.
func WriteAblations(w io.Writer, full []model.Result, list []Ablation) {
	shown := figuresOf(full)
	head := ""
	for _, i := range shown {
		head += fmt.Sprintf("%22s", full[i].Predicate+" "+full[i].Metrics[full[i].Representative].Name)
	}
	fmt.Fprintf(w, "ablation   %s   without\n", head)
	line := func(results []model.Result, name string) {
		text := ""
		for _, i := range shown {
			value := "late or interrupted"
			if i < len(results) && results[i].Count > 0 {
				value = fmt.Sprintf("%.4f", results[i].Metrics[results[i].Representative].Value)
			}
			text += fmt.Sprintf("%22s", value)
		}
		fmt.Fprintf(w, "           %s   %s\n", text, name)
	}
	line(full, "nothing")
	for i := range list {
		line(list[i].Results, list[i].Name())
	}
}

// figuresOf lists the evaluations with true values.
func figuresOf(full []model.Result) (list []int) {
	for i := range full {
		if full[i].Count > 0 {
			list = append(list, i)
		}
	}
	return list
}

// ablationRows bounds the rows that are inferred again for the page of a run.
const ablationRows = 2_000_000

// solved is an inference of a partition with its forces.
type solved struct {
	*lcqp.Instance
	infer.Result
	g   []float64 // of the networks
	set infer.Settings
	// whole reports whether values are whole numbers, without which a rule is not left out.
	whole bool
}

// solve returns the inference that values has just made of the partition, or makes it, with rule weights
// w and outputs g; nil without targets, or where it does not end well.
func (p *part) solve(cfg *config.Config, w, g []float64) (*solved, error) {
	if p.Data.Targets() == 0 {
		return nil, nil
	}
	set, err := cfg.Inference()
	if err != nil {
		return nil, err
	}
	solver := p.answer
	if solver == nil { // rules alone
		if solver, err = newSolver(cfg, p.Model, p.template, w); err == nil {
			_, err = solver.Each(w, g, 1, nil, func(int, *infer.Result) {})
		}
	}
	if err != nil || !solver.Result(0).Status.OK() {
		return nil, err
	}
	return &solved{solver.Instance(0), *solver.Result(0), g, set.Solver, len(solver.Integers) > 0}, nil
}

// ablate returns the table of the page: the representative figures of the test without each rule and
// network; nil where that would take long or nothing judges.
func (p *part) ablate(full *solved) (*learning.Ablations, error) {
	rules := len(p.Rules.Rules) + len(p.views)
	if full == nil || full.whole || rules*p.template.Rows() > ablationRows {
		return nil, nil
	}
	results, err := p.Evaluate(full.Y, full.g)
	if err != nil || len(figuresOf(results)) == 0 {
		return nil, err
	}
	list, err := Ablate(context.Background(), p.Model, full.Instance, &full.Result, full.g, full.set)
	if err != nil {
		return nil, err
	}
	table := &learning.Ablations{Rows: []learning.AblationRow{{Without: "nothing"}}}
	for i := range list {
		table.Rows = append(table.Rows, learning.AblationRow{Without: list[i].Name()})
	}
	for _, k := range figuresOf(results) {
		at := results[k].Representative
		table.Figures = append(table.Figures, results[k].Predicate+" "+results[k].Metrics[at].Name)
		table.Rows[0].Values = append(table.Rows[0].Values, results[k].Metrics[at].Value)
		for i := range list {
			if list[i].Results != nil {
				table.Rows[i+1].Values = append(table.Rows[i+1].Values, list[i].Results[k].Metrics[at].Value)
			}
		}
	}
	return table, nil
}
