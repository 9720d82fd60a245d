package evaluate

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// drawSample makes a sample of a binary predicate with few different values, so
// that ties are common.
func drawSample(t *rapid.T) *Sample {
	s := &Sample{Predicate: "P", Arity: 2}
	lists := []*[]Atom{&s.Labelled, &s.Latent, &s.Observed, &s.Unlabelled, &s.Missing}
	for entity := range rapid.IntRange(0, 4).Draw(t, "entities") {
		for category := range rapid.IntRange(1, 4).Draw(t, "categories") {
			a := Atom{
				Args:  []string{strconv.Itoa(entity), strconv.Itoa(category)},
				Value: float64(rapid.IntRange(0, 4).Draw(t, "value")) / 4,
				Truth: float64(rapid.IntRange(0, 2).Draw(t, "truth")) / 2,
			}
			list := rapid.SampledFrom(lists).Draw(t, "list")
			*list = append(*list, a)
		}
	}
	return s
}

// drawScope makes a scope.
func drawScope(t *rapid.T) Scope {
	return Scope{IncludeObserved: rapid.Bool().Draw(t, "observed"), CloseTruth: rapid.Bool().Draw(t, "closed")}
}

// compared lists value and truth of the atoms that a scope compares.
func compared(s *Sample, scope Scope) [][2]float64 {
	var list [][2]float64
	for _, a := range s.Labelled {
		list = append(list, [2]float64{a.Value, a.Truth})
	}
	for _, a := range s.Observed {
		if scope.IncludeObserved {
			list = append(list, [2]float64{a.Value, a.Truth})
		}
	}
	for _, a := range s.Latent {
		if scope.CloseTruth {
			list = append(list, [2]float64{a.Value, 0})
		}
	}
	return list
}

// An entity's category is right if no candidate of the entity has a larger
// value, and none before it the same.
func TestCategoricalAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, scope := drawSample(t), drawScope(t)
		candidates := append(append([]Atom(nil), s.Labelled...), s.Latent...)
		truths := append(append([]Atom(nil), s.Labelled...), s.Missing...)
		predicted := len(s.Labelled) // truths from here on have no candidate
		if scope.IncludeObserved {
			candidates = append(append(candidates, s.Observed...), s.Unlabelled...)
			truths = append(append(append([]Atom(nil), s.Labelled...), s.Observed...), s.Missing...)
			predicted += len(s.Observed)
		}
		hits, count := 0, 0
		for i, a := range truths {
			if a.Truth < 1 {
				continue
			}
			count++
			hit, before := i < predicted, true
			for _, c := range candidates {
				if c.Args[0] != a.Args[0] {
					continue
				}
				if c.Args[1] == a.Args[1] {
					before = false
				} else if c.Value > a.Value || before && c.Value == a.Value {
					hit = false
				}
			}
			if hit {
				hits++
			}
		}
		r, err := (&Categorical{Scope: scope, Indexes: []int{1}}).Evaluate(s)
		if err != nil || r.Count != count {
			t.Fatalf("%d atoms, %v, want %d", r.Count, err, count)
		}
		if got, _ := r.Get("accuracy"); count > 0 && got != float64(hits)/float64(count) {
			t.Fatalf("accuracy %v, want %d of %d", got, hits, count)
		}
	})
}

// The metrics of Discrete follow from one another and from the counts.
func TestDiscreteAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, scope := drawSample(t), drawScope(t)
		e := &Discrete{Scope: scope, Threshold: float64(rapid.IntRange(0, 4).Draw(t, "threshold")) / 4}
		r, err := e.Evaluate(s)
		list := compared(s, scope)
		if err != nil || r.Count != len(list) {
			t.Fatalf("%d atoms, %v, want %d", r.Count, err, len(list))
		}
		if len(list) == 0 {
			return
		}
		cell := map[[2]bool]float64{}
		for _, p := range list {
			cell[[2]bool{p[0] >= e.Threshold, p[1] >= e.Threshold}]++
		}
		tp, fp, fn, tn := cell[[2]bool{true, true}], cell[[2]bool{true, false}], cell[[2]bool{false, true}], cell[[2]bool{false, false}]
		share := func(a, b float64) float64 {
			if a+b == 0 {
				return 0
			}
			return a / (a + b)
		}
		for name, want := range map[string]float64{
			"accuracy": share(tp+tn, fp+fn), "f1": share(2*tp, fp+fn),
			"positive_precision": share(tp, fp), "positive_recall": share(tp, fn),
			"negative_precision": share(tn, fn), "negative_recall": share(tn, fp),
		} {
			if got, _ := r.Get(name); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s is %v, want %v", name, got, want)
			}
		}
	})
}

// The errors are means over the atoms of the scope.
func TestContinuousAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, scope := drawSample(t), drawScope(t)
		r, err := (&Continuous{Scope: scope}).Evaluate(s)
		list := compared(s, scope)
		if err != nil || r.Count != len(list) {
			t.Fatalf("%d atoms, %v, want %d", r.Count, err, len(list))
		}
		if len(list) == 0 {
			return
		}
		mae, mse := 0.0, 0.0
		for _, p := range list {
			mae += math.Abs(p[0]-p[1]) / float64(len(list))
			mse += (p[0] - p[1]) * (p[0] - p[1]) / float64(len(list))
		}
		gotMAE, _ := r.Get("mae")
		gotMSE, _ := r.Get("mse")
		if math.Abs(gotMAE-mae) > 1e-12 || math.Abs(gotMSE-mse) > 1e-12 || r.Score != -gotMSE {
			t.Fatalf("mae %v and mse %v with score %v, want %v and %v", gotMAE, gotMSE, r.Score, mae, mse)
		}
	})
}
