package ground

import "context"

// joiner enumerates the groundings of a rule and hands each to emit. It is
// used by one goroutine.
type joiner struct {
	ctx     context.Context
	c       *compiler
	plan    *plan
	by      []*index // of each step
	bind    []int32  // constant of each variable slot
	item    []int32  // item matched by each join atom
	key     [][]int32
	visited int
	depth   int // the most steps matched at once
	emit    func() error
	// The joiner does part number part of parts: a contiguous share of the
	// items of the first step.
	part, parts int
}

// run calls emit for each grounding of its part, in an order fixed by the plan and by the
// order of insertion into the database.
func (j *joiner) run() error {
	r := j.plan.rule
	j.bind = make([]int32, len(r.vars))
	j.item = make([]int32, len(r.join))
	j.by = make([]*index, len(j.plan.steps))
	j.key = make([][]int32, len(j.plan.steps))
	for i, s := range j.plan.steps {
		j.key[i] = make([]int32, len(s.key))
		if s.by != nil && j.plan.groundings > 0 {
			j.by[i] = s.by()
		}
	}
	if j.plan.groundings == 0 || !j.all(j.plan.first) {
		return nil
	}
	return j.step(0)
}

func (j *joiner) all(where []comparison) bool {
	for i := range where {
		if !j.c.holds(&where[i], j.bind) {
			return false
		}
	}
	return true
}

// step matches the atom of step k in all ways and goes on with the next.
func (j *joiner) step(k int) error {
	j.depth = max(j.depth, k)
	if k == len(j.plan.steps) {
		if k == 0 && j.part > 0 {
			return nil // a rule without join has one grounding, in the first part
		}
		return j.emit()
	}
	s := &j.plan.steps[k]
	key := j.key[k]
	for i, t := range s.key {
		if t < 0 {
			key[i] = ^t
		} else {
			key[i] = j.bind[t]
		}
	}
	switch {
	case s.exact:
		var item int32
		if s.groups != nil {
			item = s.groups.find(key)
		} else {
			item = s.view.t.find(key)
		}
		if item < 0 || k == 0 && j.part > 0 {
			return nil
		}
		return j.match(k, s, item)
	case j.by[k] != nil:
		g := j.by[k].find(key)
		if g < 0 {
			return nil
		}
		members := j.by[k].members(g)
		if k == 0 {
			from, to := j.share(len(members))
			members = members[from:to]
		}
		for _, item := range members {
			if err := j.match(k, s, item); err != nil {
				return err
			}
		}
	default:
		from, to := 0, s.view.items
		if k == 0 {
			from, to = j.share(to)
		}
		for item := from; item < to; item++ {
			if err := j.match(k, s, int32(item)); err != nil {
				return err
			}
		}
	}
	return nil
}

// share returns the part's range of n items.
func (j *joiner) share(n int) (from, to int) {
	return j.part * n / j.parts, (j.part + 1) * n / j.parts
}

// match binds the variables of an item and goes on if it fits.
func (j *joiner) match(k int, s *step, item int32) error {
	if j.visited++; j.visited&0xFFFF == 0 {
		if err := j.ctx.Err(); err != nil {
			return err
		}
	}
	if len(s.free) > 0 {
		row := s.view.row(item)
		for _, f := range s.free {
			j.bind[f.slot] = row[f.col]
		}
		for _, e := range s.same {
			if j.bind[e.slot] != row[e.col] {
				return nil
			}
		}
	}
	if len(s.where) > 0 && !j.all(s.where) {
		return nil
	}
	j.item[s.atom] = item
	return j.step(k + 1)
}
