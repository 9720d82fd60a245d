package integer

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// node is a part of {0, 1}^I that has still to be searched.
type node struct {
	parent *node
	states []state // by target; what follows from last is still to be found
	last   int     // target that was fixed last, or −1
	bound  float64
	warm   *infer.Warm // with the multipliers of the bound
	number int         // in the order of making, so that ties have an order
}

// queue is a heap of nodes, the lowest bound first.
type queue []*node

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q queue) Less(i, j int) bool {
	if q[i].bound != q[j].bound {
		return q[i].bound < q[j].bound
	}
	return q[i].number > q[j].number // the later one is deeper
}
func (q *queue) Push(x any) { *q = append(*q, x.(*node)) }
func (q *queue) Pop() any {
	old := *q
	n := old[len(old)-1]
	*q = old[:len(old)-1]
	return n
}

// tree is the search of one component.
type tree struct {
	in      *lcqp.Instance // with the bounds of the node in work
	integer []bool
	s       *Settings
	limits  *limits
	goal    float64 // share of the absolute gap

	lower, upper []float64 // of the component
	prop         *propagator
	next         *node // to be searched before those that are open
	open         queue
	res          infer.Result
	made         int

	y      []float64 // the best point
	value  float64
	closed float64 // least bound of the leaves
	bound  float64
	status Status
	leaves []Leaf
}

// fractional is how far from 0 and 1 a target may be that counts as integer; its value
// is then rounded, and the point judged.
const fractional = 1e-6

// roundEvery is the number of nodes between two attempts at rounding.
const roundEvery = 10

func newTree(in *lcqp.Instance, integer []bool, s *Settings, l *limits, goal float64, warm *infer.Warm) *tree {
	t := &tree{in: in, integer: integer, s: s, limits: l, goal: goal, value: math.Inf(1), closed: math.Inf(1)}
	t.lower, t.upper = slices.Clone(in.Lower), slices.Clone(in.Upper)
	base := *in
	base.Lower, base.Upper = t.lower, t.upper
	t.prop = newPropagator(&base, integer)
	t.next = &node{states: make([]state, in.Targets), last: -1, bound: math.Inf(-1), warm: warm}
	return t
}

// enough is how far below the best value a bound may be for a node to be no use.
func (t *tree) enough() float64 {
	v := math.Abs(t.value)
	if math.IsInf(v, 1) {
		return 0
	}
	return max(0.5*optimal*(1+v), t.goal)
}

// run searches at most the given number of nodes.
func (t *tree) run(most int) (err error) {
	for range most {
		if t.next == nil {
			if t.open.Len() == 0 {
				break
			}
			t.next = heap.Pop(&t.open).(*node)
		}
		if t.pruned(t.next.bound) {
			t.leaf(t.next, t.next.bound, t.next.warm)
			t.next = nil
			continue
		}
		if t.status = t.limits.over(); t.status != NotRun {
			return t.last()
		}
		if t.next, err = t.visit(t.next); err != nil {
			return err
		}
		t.bounds()
		if f := t.s.Progress; f != nil {
			f(t.limits.used, t.value, t.bound)
		}
	}
	t.bounds()
	return nil
}

// last rounds the relaxation to a point if the search ends before its first node.
func (t *tree) last() error {
	t.bounds()
	if root := t.next; root.parent == nil && math.IsInf(t.value, 1) {
		states := slices.Clone(root.states)
		if !t.prop.run(states, root.last) {
			return nil
		}
		return t.round(states, root.warm.Y)
	}
	return nil
}

// bounds finds the bound of all that is searched and not.
func (t *tree) bounds() {
	t.bound = min(t.closed, t.value)
	for _, n := range t.open {
		t.bound = min(t.bound, n.bound)
	}
	if t.next != nil {
		t.bound = min(t.bound, t.next.bound)
	}
}

// finish finds the status, and makes leaves of what was not searched.
func (t *tree) finish() {
	if t.next != nil {
		t.open = append(t.open, t.next)
	}
	for _, n := range t.open {
		t.leaf(n, n.bound, n.warm)
	}
	gap := t.value - t.bound
	switch {
	case math.IsInf(t.value, 1) && math.IsInf(t.bound, 1):
		t.status = Infeasible
	case math.IsInf(t.value, 1): // the limit explains why
		t.status = max(t.status, Unresolved)
	case gap <= optimal*(1+math.Abs(t.value)):
		t.status = Optimal
	case gap <= t.goal:
		t.status = GapReached
	case t.status == NotRun:
		t.status = Unresolved
	}
}

// pruned reports whether nothing better than the best point can be above a bound.
func (t *tree) pruned(bound float64) bool { return bound >= t.value-t.enough() }

// leaf ends a node.
func (t *tree) leaf(n *node, bound float64, warm *infer.Warm) {
	t.closed = min(t.closed, bound)
	if t.s.Proof {
		t.leaves = append(t.leaves, newLeaf(n, bound, warm))
	}
}

// visit solves the relaxation of a node. It returns the child to go on with, or nil.
func (t *tree) visit(n *node) (*node, error) {
	states := slices.Clone(n.states)
	if !t.prop.run(states, n.last) {
		t.leaf(n, math.Inf(1), nil)
		return nil, nil
	}
	t.fix(states)
	if err := t.relax(n.warm); err != nil {
		return nil, err
	}
	if t.res.Status == infer.Infeasible && t.res.Certificate.Margin(t.in) > 0 {
		t.leaf(n, math.Inf(1), t.farkas())
		return nil, nil
	}
	bound, warm := n.bound, n.warm
	if _, dual := t.in.Value(&t.res.Solution); dual > bound && t.res.Status != infer.Infeasible {
		bound, warm = dual, new(infer.Warm)
		t.res.SaveWarm(warm)
	}
	branch := t.pick(states)
	if branch < 0 { // all integer targets are fixed
		if t.accept() {
			bound = min(bound, t.value)
		}
		t.leaf(n, bound, warm)
		return nil, nil
	}
	if t.pruned(bound) {
		t.leaf(n, bound, warm)
		return nil, nil
	}
	y := slices.Clone(t.res.Y)
	whole := math.Abs(y[branch]-math.Round(y[branch])) <= fractional
	if whole || n.parent == nil || t.limits.used%roundEvery == 0 {
		if err := t.round(states, y); err != nil {
			return nil, err
		}
		if t.pruned(bound) {
			t.leaf(n, bound, warm)
			return nil, nil
		}
	}
	return t.branch(n, states, branch, y[branch], bound, warm), nil
}

// fix sets the bounds of the instance to the bounds in states.
func (t *tree) fix(states []state) {
	for i, s := range states {
		switch s {
		case zero:
			t.in.Lower[i], t.in.Upper[i] = 0, 0
		case one:
			t.in.Lower[i], t.in.Upper[i] = 1, 1
		default:
			t.in.Lower[i], t.in.Upper[i] = t.lower[i], t.upper[i]
		}
	}
}

// relax solves the present relaxation.
func (t *tree) relax(warm *infer.Warm) error {
	t.limits.used++
	return infer.Solve(t.in, warm, t.limits.within(t.s.Solver), &t.res)
}

// farkas returns the proof of infeasibility as multipliers.
func (t *tree) farkas() *infer.Warm {
	if !t.s.Proof {
		return nil
	}
	w := &infer.Warm{Dual: make([]float64, t.in.Rows())}
	for n, row := range t.res.Certificate.Rows {
		w.Dual[row] = t.res.Certificate.Mu[n]
	}
	return w
}

// pick returns the free integer target that is farthest from 0 and 1, −1 if all are
// fixed.
func (t *tree) pick(states []state) int {
	best, at := -1.0, -1
	for i, y := range t.res.Y {
		if !t.integer[i] || states[i] != free {
			continue
		}
		if d := min(y, 1-y); d > best {
			best, at = d, i
		}
	}
	return at
}

// accept makes the point of a relaxation with all integer targets fixed the best one if
// the judge finds it feasible and it is better.
func (t *tree) accept() bool {
	if !t.res.Status.OK() {
		return false
	}
	r := lcqp.Residuals(t.in, &t.res.Solution)
	if !(r.Primal <= feasible) {
		return false
	}
	if r.PrimalValue < t.value {
		t.value, t.y = r.PrimalValue, append(t.y[:0], t.res.Y...)
	}
	return true
}

// feasible is the violation up to which a point counts.
const feasible = 1e-6

// branch makes the two children; the nearer one is returned, the other kept.
func (t *tree) branch(n *node, states []state, i int, y, bound float64, warm *infer.Warm) *node {
	child := func(s state) *node {
		c := &node{parent: n, states: slices.Clone(states), last: i, bound: bound, warm: warm, number: t.made}
		t.made++
		c.states[i] = s
		return c
	}
	near, far := one, zero
	if y < 0.5 {
		near, far = zero, one
	}
	heap.Push(&t.open, child(far))
	return child(near)
}

// round looks for a point near y: it fixes the integer targets that are free, the surest
// first, to the nearer value, or to the other one where the hard rows forbid that, each
// time with what follows. Then it solves for the other targets.
func (t *tree) round(states []state, y []float64) error {
	var order []int
	for i, s := range states {
		if t.integer[i] && s == free {
			order = append(order, i)
		}
	}
	doubt := func(i int) float64 { return -math.Abs(y[i] - 0.5) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(doubt(a), doubt(b)) })
	trial, before := slices.Clone(states), slices.Clone(states)
	for _, i := range order {
		if trial[i] != free {
			continue
		}
		near, far := one, zero
		if y[i] < 0.5 {
			near, far = zero, one
		}
		copy(before, trial)
		if trial[i] = near; t.prop.run(trial, i) {
			continue
		}
		copy(trial, before)
		if trial[i] = far; !t.prop.run(trial, i) {
			return nil
		}
	}
	t.fix(trial)
	if err := t.relax(nil); err != nil {
		return err
	}
	t.accept()
	return nil
}
