package traintest

import (
	"fmt"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// classes is the number of classes, items the number of points of an example.
const (
	classes = 3
	items   = 2
	same    = items * classes // the target Same
)

// template compiles the model of one example: targets Class(i, k) at 3i + k and
// Same at 6, neural outputs Neural(i, k) at 3i + k.
func template() (*lcqp.Template, error) {
	p := &hlmrf.Program{
		Rules: []hlmrf.Rule{
			{Text: "1: Neural(I, K) -> Class(I, K) ^2", Weight: 1, Squared: true},
			{Text: "1: Class(I, K) -> Neural(I, K) ^2", Weight: 1, Squared: true},
			{Text: "1: Class('a', K) & Class('b', K) -> Same", Weight: 1},
			{Text: "1: Same & Class('a', K) -> Class('b', K)", Weight: 1},
			{Text: "1: !Same ^2", Weight: 1, Squared: true},
		},
		HardRules: []hlmrf.Rule{{Text: "Class(I, +K) = 1 ."}},
	}
	for i := range items {
		for k := range classes {
			p.Targets = append(p.Targets, fmt.Sprintf("Class(%c, %d)", 'a'+i, k))
			p.Deep = append(p.Deep, fmt.Sprintf("Neural(%c, %d)", 'a'+i, k))
		}
	}
	p.Targets = append(p.Targets, "Same")
	potential := func(rule int32, col []int32, val []float64, deep []int32, deepVal []float64, c float64) {
		p.AddPotential(rule, col, val, deep, deepVal, c)
	}
	for x := range int32(items * classes) {
		potential(0, []int32{x}, []float64{-1}, []int32{x}, []float64{1}, 0)
		potential(1, []int32{x}, []float64{1}, []int32{x}, []float64{-1}, 0)
	}
	for k := range int32(classes) {
		potential(2, []int32{k, k + classes, same}, []float64{1, 1, -1}, nil, nil, -1)
		potential(3, []int32{k, k + classes, same}, []float64{1, -1, 1}, nil, nil, -1)
	}
	potential(4, []int32{same}, []float64{1}, nil, nil, 0)
	for i := range int32(items) {
		first := i * classes
		p.AddConstraint(hlmrf.Equal, 0, []int32{first, first + 1, first + 2}, []float64{1, 1, 1}, nil, nil, -1)
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	return lcqp.Compile(p)
}

// label fixes the class of the first point and Same.
func label(in *lcqp.Instance, class [items]int) error {
	if err := in.FixOneHot([]int{0, 1, 2}, class[0]); err != nil {
		return err
	}
	equal := 0.0
	if class[0] == class[1] {
		equal = 1
	}
	return in.Fix(same, equal)
}
