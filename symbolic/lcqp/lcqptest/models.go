package lcqptest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// Softmax returns n groups of width numbers each: the softmax of standard
// normal logits with one of them, drawn at random, raised by margin. hot tells
// which.
func Softmax(rng *rand.Rand, n, width int, margin float64) (g []float64, hot []int) {
	for range n {
		h := rng.IntN(width)
		hot = append(hot, h)
		sum := 0.0
		row := make([]float64, width)
		for x := range row {
			logit := rng.NormFloat64()
			if x == h {
				logit += margin
			}
			row[x] = math.Exp(logit)
			sum += row[x]
		}
		for _, v := range row {
			g = append(g, v/sum)
		}
	}
	return g, hot
}

// Citation returns the paper's deep citation model on a random graph: nodes
// with a label distribution over classes and a neural prediction of it. With
// N a network output and H a target,
//
//	(N(p,l) − H(p,l))², (H(p,l) − H(q,l))² for links in both directions,
//	Σ_l H(p,l) = 1.
//
// Each node links to degree others, mostly near ones, so that nearly all of
// them form one component. Weights are 1/(1 + classes), ε is epsilon, and
// observed (a share of the nodes) have their label fixed.
func Citation(rng *rand.Rand, nodes, classes, degree int, observed, epsilon float64) *lcqp.Instance {
	p := &hlmrf.Program{HardRules: []hlmrf.Rule{{Text: "H(P, +L) = 1 .", Source: "citation:1:1"}}}
	w := 1 / float64(1+classes)
	for range 1 + classes {
		p.Rules = append(p.Rules, hlmrf.Rule{Weight: w, Squared: true})
	}
	at := func(node, class int) int32 { return int32(node*classes + class) }
	for node := range nodes {
		for class := range classes {
			p.Targets = append(p.Targets, fmt.Sprintf("H(%d,%d)", node, class))
			p.Deep = append(p.Deep, fmt.Sprintf("N(%d,%d)", node, class))
		}
	}
	add := func(rule int, col []int32, val []float64, deepCol []int32, deepVal []float64) {
		p.Potentials.Append(col, val, deepCol, deepVal, 0)
		p.PotentialRule = append(p.PotentialRule, int32(rule))
	}
	for node := range nodes {
		col, val := make([]int32, classes), make([]float64, classes)
		for class := range classes {
			i := at(node, class)
			col[class], val[class] = i, 1
			add(0, []int32{i}, []float64{-1}, []int32{i}, []float64{1})
			add(0, []int32{i}, []float64{1}, []int32{i}, []float64{-1})
		}
		p.Constraints.Append(col, val, nil, nil, -1)
		p.ConstraintRule = append(p.ConstraintRule, 0)
		p.Relations = append(p.Relations, hlmrf.Equal)
		for range degree {
			other := node + 1 + rng.IntN(20)
			if rng.IntN(4) == 0 {
				other = rng.IntN(nodes)
			}
			if other >= nodes || other == node {
				continue
			}
			a, b := min(node, other), max(node, other)
			for class := range classes {
				cols := []int32{at(a, class), at(b, class)}
				for range 2 { // both directions of the link
					add(1+class, cols, []float64{1, -1}, nil, nil)
					add(1+class, cols, []float64{-1, 1}, nil, nil)
				}
			}
		}
	}
	t, err := lcqp.Compile(p)
	must(err)
	in, err := t.NewInstance(epsilon)
	must(err)
	g, hot := Softmax(rng, nodes, classes, 2)
	must(in.SetDeep(g))
	for node := range nodes {
		if rng.Float64() < observed {
			for class := range classes {
				v := 0.0
				if class == hot[node] {
					v = 1
				}
				must(in.Fix(int(at(node, class)), v))
			}
		}
	}
	return in
}
