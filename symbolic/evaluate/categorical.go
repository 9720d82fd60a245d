package evaluate

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// Categorical evaluates predicates that assign one category to each entity, such as
// HasLabel(Entity, Label). Metrics: accuracy, macro_f1, calibration_error.
type Categorical struct {
	Scope
	// Indexes are the arguments that make up the category, from 0; negative indexes count from
	// the end, −1 being the last. The other arguments are the entity.
	Indexes []int
}

// Name returns "Categorical".
func (c *Categorical) Name() string { return "Categorical" }

// Check requires at least one index and all of them in range.
func (c *Categorical) Check(arity int) error {
	if len(c.Indexes) == 0 {
		return fmt.Errorf("Categorical: no category index")
	}
	for _, i := range c.Indexes {
		if i < -arity || i >= arity {
			return fmt.Errorf("Categorical: no argument %d in a predicate of arity %d", i, arity)
		}
	}
	return nil
}

// Evaluate chooses for each entity the category with the largest value and counts how many of
// the true atoms (t ≥ 1) are chosen. True atoms of entities without predictions count as
// misses. Among values within 1e-6 of the largest the atom of the least Place wins; targets
// come before observed atoms.
//
// The F1 of a category is 2·hits/(chosen + true) over the entities whose category is known.
// macro_f1 is the mean of F1 over the categories that are true of some entity.
// calibration_error is the calibration error of the chosen values (Calibrate). The reference
// has neither.
func (c *Categorical) Evaluate(s *Sample) (Report, error) {
	if err := c.Check(s.Arity); err != nil {
		return Report{}, err
	}
	category := make([]bool, s.Arity)
	for _, i := range c.Indexes {
		if i < 0 {
			i += s.Arity
		}
		category[i] = true
	}
	type choice struct {
		value        float64
		args         []string
		known, right bool // a category of the entity is true; it is the chosen one
	}
	best := map[string]*choice{}
	// key names the arguments that make up the category, or the entity, until the next call.
	var buffer []byte
	key := func(args []string, ofCategory bool) []byte {
		buffer = buffer[:0]
		for i, a := range args {
			if category[i] == ofCategory {
				buffer = append(binary.AppendUvarint(buffer, uint64(len(a))), a...)
			}
		}
		return buffer
	}
	candidates := InPlace(s.Labelled, s.Latent)
	truths := [][]Atom{s.Labelled, s.Missing}
	if c.IncludeObserved {
		candidates = append(candidates, InPlace(s.Observed, s.Unlabelled)...)
		truths = append(truths, s.Observed)
	}
	largest := map[string]float64{}
	for _, a := range candidates {
		k := key(a.Args, false)
		if most, ok := largest[string(k)]; !ok || finite(a.Value) > most {
			largest[string(k)] = finite(a.Value)
		}
	}
	for _, a := range candidates {
		if k := key(a.Args, false); best[string(k)] == nil && AsLarge(finite(a.Value), largest[string(k)]) {
			best[string(k)] = &choice{value: finite(a.Value), args: a.Args}
		}
	}
	hits, count := 0, 0
	f1 := map[string]*tally{}
	of := func(args []string) *tally {
		k := key(args, true)
		c := f1[string(k)]
		if c == nil {
			c = new(tally)
			f1[string(k)] = c
		}
		return c
	}
	for _, list := range truths {
		for _, a := range list {
			if a.Truth < 1 {
				continue
			}
			count++
			of(a.Args).truths++
			b := best[string(key(a.Args, false))]
			if b == nil {
				continue
			}
			b.known = true
			if slices.Equal(b.args, a.Args) {
				b.right = true
				hits++
				of(a.Args).hits++
			}
		}
	}
	var beliefs []float64
	var rights []bool
	for _, entity := range slices.Sorted(maps.Keys(best)) {
		if b := best[entity]; b.known { // once, however many categories are true
			beliefs, rights = append(beliefs, b.value), append(rights, b.right)
			of(b.args).chosen++
		}
	}
	macro, known := 0.0, 0.0
	for _, key := range slices.Sorted(maps.Keys(f1)) {
		if c := f1[key]; c.truths > 0 {
			macro, known = macro+2*c.hits/(c.truths+c.chosen), known+1
		}
	}
	return report(count, "accuracy", 1,
		Metric{"accuracy", ratio(float64(hits), float64(count))},
		Metric{"macro_f1", ratio(macro, known)},
		Metric{"calibration_error", Calibrate("", beliefs, rights).Error},
	), nil
}

// tally counts what an F1 is made of.
type tally struct{ hits, truths, chosen float64 }
