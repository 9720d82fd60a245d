package problem

import (
	"hinge/symbolic/lcqp"
)

// What tests with the driver look at.

const BoundsLimit = boundsLimit

// LayoutsOf returns the layouts of component c used last, the last one first.
func LayoutsOf(t *lcqp.Template, c int) []*Layout { return *planOf(t).recent[c].Load() }

// IsFixed reports whether target i of the component is fixed in l.
func (l *Layout) IsFixed(i int) bool { return l.fixed[i] }

// LayoutsKept counts the layouts kept with a template.
func LayoutsKept(t *lcqp.Template) int { return len(planOf(t).known) }

// BoundsKept counts the activity bounds kept with a template, and their numbers.
func BoundsKept(t *lcqp.Template) (count, values int) {
	for _, list := range planOf(t).known {
		for _, e := range list {
			e.layout().bounds.known.Range(func(_, v any) bool {
				count++
				values += int(v.(*activityBounds).size())
				return true
			})
		}
	}
	return count, values
}
