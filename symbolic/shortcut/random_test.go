package shortcut_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/shortcut"
)

// values lists all values that a network can say of a concept.
func values(c *shortcut.Concept) (all [][]int) {
	if c.OneHot {
		for k := range c.Outputs {
			all = append(all, []int{k})
		}
		return all
	}
	for bits := range 1 << len(c.Outputs) {
		var on []int
		for k := range c.Outputs {
			if bits>>k&1 == 1 {
				on = append(on, k)
			}
		}
		all = append(all, on)
	}
	return all
}

// random is a problem of one or two concepts, a few exemplars, and examples of one or two
// entities with hard and weighted rows that often hold under the truth. Weighted rows have
// no target without a label, so that the truth breaks or keeps them whatever these are.
func random(rng *rand.Rand) *shortcut.Problem {
	p := &shortcut.Problem{}
	for c := range 1 + rng.IntN(2) {
		concept := shortcut.Concept{Name: fmt.Sprint("C", c), OneHot: rng.IntN(3) > 0}
		n := 1 + rng.IntN(2)
		if concept.OneHot {
			n = 2 + rng.IntN(2)
		}
		for k := range n {
			concept.Outputs = append(concept.Outputs, fmt.Sprint(k))
		}
		p.Concepts = append(p.Concepts, concept)
		all := values(&p.Concepts[c])
		for _, k := range rng.Perm(len(all))[:1+rng.IntN(min(len(all), 3))] {
			p.Exemplar(c, all[k]...)
		}
	}
	for e := range p.Exemplars {
		if rng.IntN(7) == 0 {
			p.Know(e)
		}
	}
	rules := []hlmrf.Rule{{Text: "a", Weight: 1}, {Text: "b", Weight: 2, Squared: true}, {Text: "idle", Weight: 0}}
	for range 1 + rng.IntN(4) {
		x := shortcut.Example{Program: &hlmrf.Program{Rules: rules, HardRules: []hlmrf.Rule{{Text: "hard"}}}}
		var g []float64
		for range 1 + rng.IntN(2) {
			e := rng.IntN(len(p.Exemplars))
			for k := range p.Concepts[p.Exemplars[e].Concept].Outputs {
				x.Deep = append(x.Deep, shortcut.Output{Exemplar: e, Output: k})
				x.Program.Deep = append(x.Program.Deep, "g")
				v := 0.0
				if slices.Contains(p.Exemplars[e].On, k) {
					v = 1
				}
				g = append(g, v)
			}
		}
		var latent []bool
		var y []float64
		for range rng.IntN(4) {
			v := float64(rng.IntN(2))
			x.Program.Targets = append(x.Program.Targets, "y")
			latent = append(latent, rng.IntN(3) == 0)
			y = append(y, v)
			if latent[len(latent)-1] {
				v = math.NaN()
			}
			x.Labels = append(x.Labels, v)
		}
		for range 1 + rng.IntN(4) {
			hard, value := rng.IntN(2) == 0, 0.0
			var col, deep []int32
			var val, deepVal []float64
			for i := range y {
				if rng.IntN(2) == 0 && (hard || !latent[i]) {
					a := float64(rng.IntN(5) - 2)
					col, val, value = append(col, int32(i)), append(val, a), value+a*y[i]
				}
			}
			for k := range g {
				if rng.IntN(3) > 0 {
					a := float64(rng.IntN(5) - 2)
					deep, deepVal, value = append(deep, int32(k)), append(deepVal, a), value+a*g[k]
				}
			}
			constant := -value + float64(rng.IntN(5)-3)/2 // it holds more often than not
			switch {
			case hard && rng.IntN(5) == 0:
				x.Program.AddConstraint(hlmrf.Equal, 0, col, val, deep, deepVal, -value)
			case hard:
				x.Program.AddConstraint(hlmrf.LessEqual, 0, col, val, deep, deepVal, constant)
			default:
				x.Program.AddPotential(int32(rng.IntN(len(rules))), col, val, deep, deepVal, constant)
			}
		}
		p.Examples = append(p.Examples, x)
	}
	return p
}

// brute counts by trying all maps, and for each example all values of targets without a
// label.
func brute(p *shortcut.Problem) (number int, identified []bool, all [][][]int) {
	outputs := func(x *shortcut.Example, m [][]int) []float64 {
		g := make([]float64, len(x.Deep))
		for k, d := range x.Deep {
			if slices.Contains(m[d.Exemplar], d.Output) {
				g[k] = 1
			}
		}
		return g
	}
	completions := func(x *shortcut.Example, yield func(y []float64) bool) bool {
		var latent []int
		y := slices.Clone(x.Labels)
		for i, v := range y {
			if math.IsNaN(v) {
				latent = append(latent, i)
			}
		}
		for bits := range 1 << len(latent) {
			for k, i := range latent {
				y[i] = float64(bits >> k & 1)
			}
			if yield(y) {
				return true
			}
		}
		return false
	}
	truth := make([][]int, len(p.Exemplars))
	for e := range truth {
		truth[e] = p.Exemplars[e].On
	}
	broken := map[string]bool{"idle": true}
	var examples []*shortcut.Example
	for n := range p.Examples {
		x := &p.Examples[n]
		g := outputs(x, truth)
		if !completions(x, func(y []float64) bool { return x.Program.Violation(y, g) < 1e-9 }) {
			continue
		}
		examples = append(examples, x)
		for k := range x.Program.Potentials.Len() {
			y := slices.Clone(x.Labels) // without influence where NaN
			for i := range y {
				if math.IsNaN(y[i]) {
					y[i] = 0
				}
			}
			if x.Program.Potentials.At(k, y, g) > 1e-9 {
				broken[x.Program.Rules[x.Program.PotentialRule[k]].Text] = true
			}
		}
	}
	identified = slices.Repeat([]bool{true}, len(p.Exemplars))
	m := make([][]int, len(p.Exemplars))
	var try func(e int)
	try = func(e int) {
		if e < len(m) {
			for _, v := range values(&p.Concepts[p.Exemplars[e].Concept]) {
				if m[e] = v; !slices.Contains(p.Known, e) || slices.Equal(v, truth[e]) {
					try(e + 1)
				}
			}
			return
		}
		for _, x := range examples {
			g := outputs(x, m)
			if !completions(x, func(y []float64) bool {
				if x.Program.Violation(y, g) > 1e-9 {
					return false
				}
				for k := range x.Program.Potentials.Len() {
					if !broken[x.Program.Rules[x.Program.PotentialRule[k]].Text] && x.Program.Potentials.At(k, y, g) > 1e-9 {
						return false
					}
				}
				return true
			}) {
				return
			}
		}
		number++
		all = append(all, slices.Clone(m))
		for e := range m {
			identified[e] = identified[e] && slices.Equal(m[e], truth[e])
		}
	}
	try(0)
	return number, identified, all
}

// TestAgainstBruteForce: number, identified exemplars and the smallest set of labels.
func TestAgainstBruteForce(t *testing.T) {
	several, unique := 0, 0
	for seed := range uint64(1200) {
		p := random(rand.New(rand.NewPCG(seed, 37)))
		r, err := shortcut.Count(context.Background(), p, shortcut.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, identified, all := brute(p)
		if !r.Complete || r.Number().Int64() != int64(want) || !slices.Equal(r.Identified(), identified) {
			t.Errorf("seed %d: %v maps, complete %v, identified %v; want %d, %v", seed, r.Number(), r.Complete, r.Identified(), want, identified)
			continue
		}
		labels := r.Settle()
		if n := left(p, all, labels); n != 1 {
			t.Errorf("seed %d: labels of %v leave %d maps of %d", seed, labels, n, want)
		}
		for bits := range 1 << len(p.Exemplars) {
			var fewer []int
			for e := range p.Exemplars {
				if bits>>e&1 == 1 {
					fewer = append(fewer, e)
				}
			}
			if len(fewer) < len(labels) && left(p, all, fewer) == 1 && !bitsOf(p) {
				t.Errorf("seed %d: labels of %v are enough, not only of %v", seed, fewer, labels)
			}
		}
		if want > 1 {
			several++
		} else {
			unique++
		}
	}
	if several < 300 || unique < 200 {
		t.Errorf("%d problems with several maps, %d with one", several, unique)
	}
}

// left is the number of maps that say the truth of some exemplars.
func left(p *shortcut.Problem, all [][][]int, labels []int) (n int) {
	for _, m := range all {
		if !slices.ContainsFunc(labels, func(e int) bool { return !slices.Equal(m[e], p.Exemplars[e].On) }) {
			n++
		}
	}
	return n
}

// bitsOf reports whether outputs of one exemplar may be in several groups, so that Settle does
// not promise the smallest set.
func bitsOf(p *shortcut.Problem) bool {
	return slices.ContainsFunc(p.Concepts, func(c shortcut.Concept) bool { return !c.OneHot })
}
