package infer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
	"hinge/train/mapstate"
)

// dropped is an atom's value without a rule of the model.
type dropped struct {
	Place string `json:"place"`
	Rule  string `json:"rule"`
	// Ground counts the rows that go with it in the atom's component.
	Ground int `json:"ground"`
	// Without is null where the component is too large to infer it again so often, or a signal came.
	Without *float64 `json:"without"`
}

const (
	// mostDropped is the number of rules, and of ground rules, that an explanation drops one by
	// one, the ones with the largest forces.
	mostDropped = 10
	// againRows bounds the rows that are inferred again for one atom, in all its inferences
	// together, and againTime one of these.
	againRows = 2_000_000
	againTime = 4 * time.Second
)

// whatIf fills in the value of the explained atom without each rule of the model that pushes in
// its component, and without each of its strongest ground rules.
func (s *solution) whatIf(ctx context.Context, e *explanation, target int, rows []int32) (err error) {
	part, left := s.componentOf(target), againRows
	again := func(without ...int32) (value *float64) {
		if left -= len(part.Rows); left >= 0 && err == nil && ctx.Err() == nil {
			value, err = s.inferWithout(ctx, target, part, without...)
		}
		return value
	}
	for _, rows := range s.pushing(part) {
		rule := s.RuleOf(rows[0])
		e.Rules = append(e.Rules, dropped{Place: rule.Source, Rule: rule.Text, Ground: len(rows), Without: again(rows...)})
	}
	for i, k := range rows[:min(len(rows), mostDropped)] {
		e.Forces[i].Without = again(k)
	}
	return err
}

// componentOf finds the component of a target.
func (s *solution) componentOf(target int) *lcqp.Component {
	at := int(s.Instance.Local[target])
	c := slices.IndexFunc(s.Instance.Components, func(c lcqp.Component) bool {
		return at < len(c.Targets) && c.Targets[at] == int32(target)
	})
	return &s.Instance.Components[c]
}

// pushing lists the rows of each rule in a component, hard rules first. Only rules with a
// force count, and of these the ones whose forces are largest. The alternatives of a filter are
// rules of their own in the ground program, but one place in the file.
func (s *solution) pushing(part *lcqp.Component) [][]int32 {
	rows, force := map[string][]int32{}, map[string]float64{}
	var order []string
	for _, k := range part.Rows {
		r := s.RuleOf(k).Source
		if rows[r] == nil {
			order = append(order, r)
		}
		rows[r] = append(rows[r], k)
		force[r] += math.Abs(s.Dual[k])
	}
	least := lcqp.NoForce(s.Instance)
	order = slices.DeleteFunc(order, func(r string) bool { return force[r] <= least })
	if len(order) > mostDropped {
		by := slices.Clone(order)
		slices.SortStableFunc(by, func(a, b string) int { return cmp.Compare(force[b], force[a]) })
		by = by[:mostDropped]
		order = slices.DeleteFunc(order, func(r string) bool { return !slices.Contains(by, r) })
	}
	list := make([][]int32, len(order))
	for i, r := range order {
		list[i] = rows[r]
	}
	return list
}

// inferWithout returns the value of a target where its component is inferred without some of its
// rows, from its answer with them; nil where that takes too long.
func (s *solution) inferWithout(ctx context.Context, target int, part *lcqp.Component, without ...int32) (*float64, error) {
	rows := slices.DeleteFunc(slices.Clone(part.Rows), func(k int32) bool {
		_, drop := slices.BinarySearch(without, k)
		return drop
	})
	sets := s.Choices(infer.Settings{Workers: s.Threads, MaxTime: againTime}) // as the answer itself was inferred
	y, err := mapstate.Again(ctx, s.Instance, &s.Solution, s.Outputs, part.Targets, rows, s.integers, sets...)
	if y == nil {
		return nil, err
	}
	return &y[s.Instance.Local[target]], nil
}

// writeWithout prints what an atom would be without each rule.
func (e *explanation) writeWithout(w io.Writer) {
	for _, d := range e.Rules {
		text := "unknown, the component is too large to infer it again, or the run was interrupted"
		if d.Without != nil {
			text = fmt.Sprintf("%.4f", *d.Without)
		}
		fmt.Fprintf(w, "              without %s (%s, %s): %s\n", d.Rule, d.Place, psl.Count(d.Ground, "ground rule"), text)
	}
}
