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
	watch   func()   // called now and then; may be nil
	one     [1]int32 // an item of a step that has at most one
	// The joiner does part number part of parts: a contiguous share of the
	// items of the first step.
	part, parts int
	owned
}

// owned restricts a join to the matches that belong to one part of a Split: those in
// which a variable has a constant of the part.
type owned struct {
	slot term // of the variable; −1 for no restriction
	of   []int32
	part int32
}

// run calls emit for each grounding of its part, in an order fixed by the plan and by the
// order of insertion into the database.
func (j *joiner) run() error {
	j.prepare()
	if j.plan.empty || !j.all(j.plan.first) {
		return nil
	}
	return j.step(0)
}

// prepare makes the storage and the indexes of the plan.
func (j *joiner) prepare() {
	r := j.plan.rule
	j.bind = make([]int32, len(r.vars))
	j.item = make([]int32, len(r.join))
	j.by = make([]*index, len(j.plan.steps))
	j.key = make([][]int32, len(j.plan.steps))
	for i, s := range j.plan.steps {
		j.key[i] = make([]int32, len(s.key))
		if s.by != nil && !j.plan.empty {
			j.by[i] = s.by()
		}
	}
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
	items, n := j.matches(k, s)
	from, to := 0, n
	if k == 0 {
		from, to = j.part*n/j.parts, (j.part+1)*n/j.parts
	}
	for i := from; i < to; i++ {
		item := int32(i)
		if items != nil {
			item = items[i]
		}
		if err := j.match(k, s, item); err != nil {
			return err
		}
	}
	return nil
}

// matches returns the items of step k that agree with the bound variables, and their number;
// nil means the first n.
func (j *joiner) matches(k int, s *step) (items []int32, n int) {
	key := j.key[k]
	for i, t := range s.key {
		key[i] = valueOf(t, j.bind)
	}
	switch {
	case s.exact:
		var item int32
		if s.groups != nil {
			item = s.groups.find(key)
		} else {
			item = s.view.t.find(key)
		}
		if item < 0 {
			return nil, 0
		}
		j.one[0] = item
		return j.one[:], 1
	case j.by[k] != nil:
		g := j.by[k].find(key)
		if g < 0 {
			return nil, 0
		}
		items = j.by[k].members(g)
		return items, len(items)
	}
	return nil, s.view.items
}

// match binds the variables of an item and goes on if it fits.
func (j *joiner) match(k int, s *step, item int32) error {
	if j.visited++; j.visited&0xFFFF == 0 {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		if j.watch != nil {
			j.watch()
		}
	}
	if !j.bindItem(s, item) {
		return nil
	}
	j.item[s.atom] = item
	return j.step(k + 1)
}

// bindItem binds the variables of an item and reports whether it fits.
func (j *joiner) bindItem(s *step, item int32) bool {
	if len(s.free) > 0 {
		row := s.view.row(item)
		for _, f := range s.free {
			j.bind[f.slot] = row[f.col]
			if f.slot == j.slot && j.of[row[f.col]] != j.owned.part {
				return false
			}
		}
		for _, e := range s.same {
			if j.bind[e.slot] != row[e.col] {
				return false
			}
		}
	}
	return len(s.where) == 0 || j.all(s.where)
}
