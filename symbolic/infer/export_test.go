package infer

import "hinge/symbolic/lcqp"

// What tests with the driver look at.

const knownLimit = reachLimit

// used returns how many equalities have fixed and merged targets.
func (s *presolve) used() (chain, tree int) { return len(s.lay.chain), len(s.lay.tree) }

// layoutsOf returns the layouts of component c used last, the last one first.
func layoutsOf(t *lcqp.Template, c int) []*layout { return *planOf(t).recent[c].Load() }

// isFixed tells whether target i of the component is fixed in l.
func (l *layout) isFixed(i int) bool { return l.fixed[i] }

// layoutsKept counts the layouts kept with a template.
func layoutsKept(t *lcqp.Template) int { return len(planOf(t).known) }

// boundsKept counts the activity bounds kept with a template, and their numbers.
func boundsKept(t *lcqp.Template) (count, values int) {
	for _, list := range planOf(t).known {
		for _, e := range list {
			e.layout.reaches.known.Range(func(_, v any) bool {
				count++
				values += int(v.(*reach).size())
				return true
			})
		}
	}
	return count, values
}
