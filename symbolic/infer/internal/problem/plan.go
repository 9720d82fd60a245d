package problem

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"hinge/symbolic/lcqp"
)

// plan keeps the layouts of a template: of the components that have the same
// pattern only one. It is made with the first solve, belongs to the template,
// and serves any number of goroutines.
type plan struct {
	recent []atomic.Pointer[[]*Layout] // by component, those used last first

	mu    sync.Mutex
	known map[uint64][]*lazyLayout
}

// lazyLayout is a layout that one goroutine makes and others wait for.
type lazyLayout struct {
	component int
	fixed     []bool
	level     Reduction
	layout    func() *Layout
}

type planKey struct{}

func planOf(t *lcqp.Template) *plan {
	return t.Derived(planKey{}, func() any {
		return &plan{recent: make([]atomic.Pointer[[]*Layout], len(t.Components)), known: make(map[uint64][]*lazyLayout)}
	}).(*plan)
}

// layout returns the layout of component c with the given targets fixed.
func (p *plan) layout(t *lcqp.Template, c int, fixed []bool, level Reduction) *Layout {
	recent := p.recent[c].Load()
	if recent != nil {
		for _, l := range *recent {
			if l.level == level && slices.Equal(l.fixed, fixed) {
				return l
			}
		}
	}
	l := p.find(t, c, fixed, level)
	list := []*Layout{l}
	if recent != nil {
		list = append(list, (*recent)[:min(len(*recent), remembered-1)]...)
	}
	p.recent[c].Store(&list)
	return l
}

// find looks among the layouts of all components and makes one if there is
// none.
func (p *plan) find(t *lcqp.Template, c int, fixed []bool, level Reduction) *Layout {
	hash := patternHash(t, c, fixed, level)
	p.mu.Lock()
	if len(p.known) > 64+remembered*len(t.Components) {
		clear(p.known)
	}
	var entry *lazyLayout
	for _, e := range p.known[hash] {
		if e.level == level && slices.Equal(e.fixed, fixed) && samePattern(t, e.component, c) {
			entry = e
			break
		}
	}
	if entry == nil {
		entry = &lazyLayout{component: c, fixed: slices.Clone(fixed), level: level}
		entry.layout = sync.OnceValue(func() *Layout { return newLayout(t, c, entry.fixed, level) })
		p.known[hash] = append(p.known[hash], entry)
	}
	p.mu.Unlock()
	return entry.layout()
}

func patternHash(t *lcqp.Template, c int, fixed []bool, level Reduction) uint64 {
	comp := &t.Components[c]
	hash := mix(uint64(level), uint64(len(fixed)))
	for i, f := range fixed {
		if f {
			hash = mix(hash, uint64(i))
		}
	}
	for _, row := range comp.Rows {
		hash = mix(hash, uint64(t.Kinds[row]))
		for j := t.Ptr[row]; j < t.Ptr[row+1]; j++ {
			hash = mix(hash, uint64(t.Local[t.Col[j]])^math.Float64bits(t.Val[j]))
		}
	}
	return hash
}

// samePattern reports whether two components are equal except for their numbers.
func samePattern(t *lcqp.Template, c, d int) bool {
	a, b := &t.Components[c], &t.Components[d]
	if len(a.Targets) != len(b.Targets) || len(a.Rows) != len(b.Rows) {
		return false
	}
	for r, row := range a.Rows {
		other := b.Rows[r]
		from, to, off := t.Ptr[row], t.Ptr[row+1], t.Ptr[other]-t.Ptr[row]
		if t.Kinds[row] != t.Kinds[other] || to-from != t.Ptr[other+1]-t.Ptr[other] {
			return false
		}
		for j := from; j < to; j++ {
			if t.Local[t.Col[j]] != t.Local[t.Col[j+off]] || t.Val[j] != t.Val[j+off] {
				return false
			}
		}
	}
	return true
}
