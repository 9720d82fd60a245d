package infer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// span is an interval that holds the value of an atom if something were dropped. Low and
// High are equal where the value was inferred again.
type span struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// dropped is an atom's value without a rule of the model.
type dropped struct {
	Place string `json:"place"`
	Rule  string `json:"rule"`
	// Ground counts the rows that go with it in the atom's component.
	Ground  int  `json:"ground"`
	Without span `json:"without"`
}

const (
	// mostDropped is the number of rules that an explanation drops one by one, the ones with
	// the largest forces.
	mostDropped = 10
	// againRows bounds the rows that are inferred again for one atom, in all its inferences
	// together, and againTime one of these. Beyond them there are the bounds of lcqp.Drop.
	againRows = 500_000
	againTime = 2 * time.Second
)

// whatIf fills in the value of the explained atom without each of its strongest ground rules,
// and without each rule of the model that pushes in its component.
func (s *solution) whatIf(e *explanation, drop *lcqp.Drop, target int, rows []int32) error {
	part := s.componentOf(target)
	for i, k := range rows {
		low, high := drop.Bound(target, []int32{k})
		e.Forces[i].Without = span{low, high}
	}
	rules := s.pushing(part)
	for _, rows := range rules {
		rule := s.RuleOf(rows[0])
		d := dropped{Place: rule.Source, Rule: rule.Text, Ground: len(rows)}
		d.Without.Low, d.Without.High = drop.Bound(target, rows)
		e.Rules = append(e.Rules, d)
	}
	left := againRows
	again := func(out *span, without ...int32) error {
		if left -= len(part.Rows); left < 0 {
			return nil // the bound stays
		}
		return s.inferWithout(out, target, part, without...)
	}
	for i, rows := range rules {
		if err := again(&e.Rules[i].Without, rows...); err != nil {
			return err
		}
	}
	for i, k := range rows[:min(len(rows), mostDropped)] {
		if err := again(&e.Forces[i].Without, k); err != nil {
			return err
		}
	}
	return nil
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
// force count, and of these the ones whose forces are largest.
func (s *solution) pushing(part *lcqp.Component) [][]int32 {
	rows, force := map[*hlmrf.Rule][]int32{}, map[*hlmrf.Rule]float64{}
	var order []*hlmrf.Rule
	for _, k := range part.Rows {
		r := s.RuleOf(k)
		if rows[r] == nil {
			order = append(order, r)
		}
		rows[r] = append(rows[r], k)
		force[r] += math.Abs(s.Dual[k])
	}
	least := lcqp.NoForce(s.Instance)
	order = slices.DeleteFunc(order, func(r *hlmrf.Rule) bool { return force[r] <= least })
	if len(order) > mostDropped {
		by := slices.Clone(order)
		slices.SortStableFunc(by, func(a, b *hlmrf.Rule) int { return cmp.Compare(force[b], force[a]) })
		by = by[:mostDropped]
		order = slices.DeleteFunc(order, func(r *hlmrf.Rule) bool { return !slices.Contains(by, r) })
	}
	list := make([][]int32, len(order))
	for i, r := range order {
		list[i] = rows[r]
	}
	return list
}

// inferWithout infers the component of a target without some of its rows.
func (s *solution) inferWithout(out *span, target int, part *lcqp.Component, without ...int32) error {
	rows := slices.DeleteFunc(slices.Clone(part.Rows), func(k int32) bool {
		_, drop := slices.BinarySearch(without, k)
		return drop
	})
	t, err := lcqp.Compile(s.Instance.Part(part.Targets, rows))
	if err != nil {
		return err
	}
	in, err := t.NewInstance(s.Epsilon)
	if err == nil {
		prox, center := make([]float64, len(part.Targets)), make([]float64, len(part.Targets))
		for i, t := range part.Targets {
			prox[i], center[i] = s.Instance.Prox[t], s.Instance.Center[t]
		}
		err = errors.Join(in.SetDeep(s.Outputs), in.SetWeights(s.Instance.Weights), in.SetProx(prox, center))
	}
	if err != nil {
		return err
	}
	var r infer.Result
	if err := infer.Solve(in, nil, infer.Settings{Workers: s.Threads, MaxTime: againTime}, &r); err != nil || !r.Status.OK() {
		return err // the bound stays
	}
	y := r.Y[s.Instance.Local[target]]
	*out = span{y, y}
	return nil
}

// String returns the range as text, "" where nothing is known.
func (s span) String() string {
	switch {
	case s.Low <= 0 && s.High >= 1:
		return ""
	case s.High-s.Low < 5e-5:
		return fmt.Sprintf("%.4f", s.Low)
	}
	return fmt.Sprintf("%.4f to %.4f", s.Low, s.High)
}

// writeWithout prints what an atom would be without each rule.
func (e *explanation) writeWithout(w io.Writer) {
	for _, d := range e.Rules {
		text := cmp.Or(d.Without.String(), "unknown, the component is too large to infer it again")
		fmt.Fprintf(w, "              without %s (%s, %s): %s\n", d.Rule, d.Place, cli.Count(d.Ground, "ground rule"), text)
	}
}
