package evaluate

import "testing"

func TestCategorical(t *testing.T) {
	atom := func(entity, category string, value, truth float64) Atom {
		return Atom{Args: []string{entity, category}, Value: value, Truth: truth}
	}
	s := &Sample{Predicate: "HasLabel", Arity: 2,
		Labelled: []Atom{
			atom("a", "x", 0.2, 1), atom("a", "y", 0.1, 0), // right
			atom("b", "x", 0.4, 0), atom("b", "y", 0.3, 1), // wrong
			atom("c", "x", 0.5, 1), atom("c", "y", 0.5+1e-7, 0), // a tie: the first wins, right
			atom("d", "x", 0.9, 0.99), // no true category
		},
		Latent:     []Atom{atom("a", "z", 0.15, 0), atom("e", "x", 1, 0)},
		Observed:   []Atom{atom("f", "x", 1, 1), atom("g", "y", 1, 0), atom("g", "x", 0, 1)},
		Unlabelled: []Atom{atom("b", "z", 0, 0)},
		Missing:    []Atom{atom("h", "x", 0, 1)}, // never predicted: a miss
	}
	e := &Categorical{Indexes: []int{-1}}
	if r := want(t, e, s, map[string]float64{
		"accuracy": 2.0 / 4, "calibration_error": (0.8 + 0.4 + 0.5) / 3,
		"macro_f1": (2.0*2/(3+3) + 0) / 2, // x is chosen three times and true three times; y, true once, is never chosen
	}); r.Count != 4 {
		t.Errorf("%d true categories, want 4", r.Count)
	}
	e.IncludeObserved = true
	if r := want(t, e, s, map[string]float64{"accuracy": 3.0 / 6}); r.Count != 6 {
		t.Errorf("with observed atoms %d true categories, want 6", r.Count)
	}
	// A latent target can be the chosen category and push the true one out.
	s.Latent[0].Value = 0.3
	want(t, e, s, map[string]float64{"accuracy": 2.0 / 6})
}

// A tie is with the largest value: of three that are each within 1e-6 of the next, the first is not.
func TestCategoricalChain(t *testing.T) {
	for right, accuracy := range []float64{0, 1, 0} {
		s := &Sample{Predicate: "HasLabel", Arity: 2}
		for k, v := range []float64{0.5, 0.5 + 0.7e-6, 0.5 + 1.4e-6} {
			a := Atom{Args: []string{"a", string(rune('x' + k))}, Value: v, Place: k}
			if k == right {
				a.Truth = 1
			}
			s.Labelled = append(s.Labelled, a)
		}
		want(t, &Categorical{Indexes: []int{-1}}, s, map[string]float64{"accuracy": accuracy})
	}
}

// The category may be any arguments; entities that only look alike when their
// arguments are joined must not be mixed up.
func TestCategoricalIndexes(t *testing.T) {
	atom := func(value, truth float64, args ...string) Atom { return Atom{Args: args, Value: value, Truth: truth} }
	s := &Sample{Predicate: "Weather", Arity: 3, Labelled: []Atom{
		atom(0.9, 1, "cold", "ab", "c"), atom(0.8, 1, "cold", "a", "bc"),
		atom(0.1, 0, "warm", "ab", "c"), atom(0.2, 0, "warm", "a", "bc"),
	}}
	want(t, &Categorical{Indexes: []int{0}}, s, map[string]float64{"accuracy": 1})
	want(t, &Categorical{Indexes: []int{-3}}, s, map[string]float64{"accuracy": 1})
	// With the last two as category there are the entities cold and warm; cold
	// has two true categories, of which one can be chosen.
	want(t, &Categorical{Indexes: []int{1, 2}}, s, map[string]float64{"accuracy": 0.5})
	// An entity counts once in F1 and calibration, however many categories are true of it: a is x by its value, and y too;
	// b is y. The F1 of x is 1, that of y 2/3.
	several := &Sample{Predicate: "P", Arity: 2, Labelled: []Atom{
		atom(0.9, 1, "a", "x"), atom(0.3, 1, "a", "y"), atom(0.8, 1, "b", "y"), atom(0.1, 0, "b", "x"),
	}}
	want(t, &Categorical{Indexes: []int{1}}, several, map[string]float64{"accuracy": 2. / 3, "macro_f1": 5. / 6, "calibration_error": 0.15})
	// All of them: one entity, one choice.
	want(t, &Categorical{Indexes: []int{0, 1, 2}}, s, map[string]float64{"accuracy": 0.5})
}
