package ground_test

import (
	"slices"

	"hinge/symbolic/psl"
)

// passes decides a conjunction of filter literals.
func (o *oracle) passes(filter []psl.Literal, b binding) bool {
	for _, l := range filter {
		ok := false
		if l.Compare != nil {
			ok = o.compare(l.Compare, b)
		} else {
			ok = o.facts[o.name(l.Atom, b)].value > 0
		}
		if ok == l.Negated {
			return false
		}
	}
	return true
}

// combinations counts those of the values that a closed predicate has for each
// summation variable of an atom, whatever its ordinary variables are.
func (o *oracle) combinations(a *psl.Atom, sums []string, filters map[string][]psl.Literal, outer binding) int {
	n := 1
	for _, v := range sums {
		values := map[string]bool{}
		b := binding{}
		o.each(slices.Concat(variables([]*psl.Atom{a}, psl.Variable), sums), b, func() {
			if _, ok := o.facts[o.name(a, b)]; !ok {
				return
			}
			inner := binding{v: b[v]}
			for name, c := range outer {
				if name != v {
					inner[name] = c
				}
			}
			if o.passes(filters[v], inner) {
				values[b[v]] = true
			}
		})
		n *= len(values)
	}
	return n
}
