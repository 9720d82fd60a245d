package integer

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// holds reports whether a hard row holds whatever the targets are within bounds.
func holds(in *lcqp.Instance, k int32, lower, upper []float64) bool {
	least, most := in.B[k], in.B[k]
	for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
		a, i := in.Val[j], in.Col[j]
		least += min(a*lower[i], a*upper[i])
		most += max(a*lower[i], a*upper[i])
	}
	return most <= slackness && (in.Kinds[k] != lcqp.HardEQ || least >= -slackness)
}

// lister is the search of a part.
type lister struct {
	in            *lcqp.Instance
	listed, whole []bool
	s             *ListSettings
	limits        *limits
	prop          *propagator
	loose         bool // there are targets that may have any value
	points        [][]bool
	status        Status
	res           infer.Result
}

// newLister returns the search of a part, whose targets have these numbers in the whole.
func newLister(in *lcqp.Instance, targets []int32, listed, whole []bool, s *ListSettings, l *limits) *lister {
	p := &lister{in: in, s: s, limits: l, status: Listed}
	for _, t := range targets {
		p.listed, p.whole = append(p.listed, listed[t]), append(p.whole, whole[t])
		p.loose = p.loose || !whole[t]
	}
	base := *in
	base.Lower, base.Upper = slices.Clone(in.Lower), slices.Clone(in.Upper)
	p.prop = newPropagator(&base, p.whole)
	return p
}

// key is the same for parts that differ in the numbers of their targets alone.
func (p *lister) key() string {
	var b []byte
	number := func(v float64) { b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v)) }
	for i := range p.listed {
		number(p.in.Lower[i])
		number(p.in.Upper[i])
		b = strconv.AppendBool(strconv.AppendBool(b, p.listed[i]), p.whole[i])
	}
	for k := range int32(p.in.Constraints) {
		b = appendRow(append(b, 2), p.in, k)
	}
	return string(b)
}

// search lists the points of a node, whose target last was fixed last. It returns false
// where the search is over.
func (p *lister) search(states []state, last int) bool {
	if p.stopped() {
		return false
	}
	if !p.prop.run(states, last) {
		return true
	}
	if p.loose && p.infeasible() {
		return true
	}
	at := p.branch(p.listed, states)
	if at < 0 {
		return !p.exists(slices.Clone(states)) || p.expand(states, 0)
	}
	for _, value := range []state{one, zero} {
		child := slices.Clone(states)
		child[at] = value
		if !p.search(child, at) {
			return false
		}
	}
	return true
}

// stopped counts a node and reports whether a limit is reached.
func (p *lister) stopped() bool {
	if s := p.limits.over(); s != NotRun {
		p.status = s
		return true
	}
	p.limits.used++
	return false
}

// branch returns a free target in among: one of the row with the fewest such targets among the
// rows that may still be broken; −1 if no row has one. The propagator holds the bounds of the
// node.
func (p *lister) branch(among []bool, states []state) int {
	fewest, at := math.MaxInt, -1
	in, lower, upper := p.in, p.prop.lower, p.prop.upper
	for k := range int32(in.Constraints) {
		n, first := 0, -1
		for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
			if i := in.Col[j]; among[i] && lower[i] < upper[i] && in.Val[j] != 0 {
				if n++; first < 0 {
					first = int(i)
				}
			}
		}
		if n > 0 && n < fewest && !holds(in, k, lower, upper) {
			fewest, at = n, first
		}
	}
	return at
}

// exists reports whether the targets that are not listed have values with which all rows
// hold. The propagator has the bounds of states.
func (p *lister) exists(states []state) bool {
	if at := p.branch(p.whole, states); at >= 0 {
		for _, value := range []state{one, zero} {
			child := slices.Clone(states)
			child[at] = value
			if p.stopped() {
				return false
			}
			if p.prop.run(child, at) && p.exists(child) {
				return true
			}
		}
		return false
	}
	if !p.open() {
		return true
	}
	if !p.infeasible() {
		if p.res.Status.OK() && lcqp.Residuals(p.box(), &p.res.Solution).Primal <= feasible {
			return true
		}
		p.status = max(p.status, Unresolved)
	}
	return false
}

// open reports whether a row may still be broken.
func (p *lister) open() bool {
	for k := range int32(p.in.Constraints) {
		if !holds(p.in, k, p.prop.lower, p.prop.upper) {
			return true
		}
	}
	return false
}

// box is the part with the bounds of the node.
func (p *lister) box() *lcqp.Instance {
	box := *p.in
	box.Lower, box.Upper = p.prop.lower, p.prop.upper
	return &box
}

// infeasible reports whether the solver proves that nothing between the bounds of the node
// satisfies the rows, also where whole targets are not.
func (p *lister) infeasible() bool {
	box := p.box()
	if err := infer.Solve(box, nil, p.limits.within(infer.Settings{}), &p.res); err != nil {
		p.res.Status = infer.NotRun
		return false
	}
	return p.res.Status == infer.Infeasible && p.res.Certificate.Margin(box) > 0
}

// expand adds the points that agree with states, in which free targets take both values.
func (p *lister) expand(states []state, from int) bool {
	for i := from; i < len(states); i++ {
		if !p.listed[i] || states[i] != free || p.in.Lower[i] == p.in.Upper[i] {
			continue
		}
		for _, value := range []state{one, zero} {
			states[i] = value
			if !p.expand(states, i+1) {
				return false
			}
		}
		states[i] = free
		return true
	}
	if p.s.MaxPoints > 0 && len(p.points) == p.s.MaxPoints {
		p.status = PointLimit
		return false
	}
	var point []bool
	for i, is := range p.listed {
		if is {
			point = append(point, states[i] == one || states[i] == free && p.in.Lower[i] == 1)
		}
	}
	p.points = append(p.points, point)
	if len(p.points)%1024 == 0 {
		if s := p.limits.over(); s == TimeLimit || s == Interrupted {
			p.status = s
			return false
		}
	}
	return true
}
