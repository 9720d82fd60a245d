package model

import (
	"hinge/symbolic/facts"
	"math"
)

// Rate is a factor of the learning rate for the parameters of a pattern.
type Rate struct {
	Pattern string
	Factor  float64
}

// networkStart reads the first weights of a network, and which of its parameters learn.
func (l *loader) networkStart(_ *Predicate, d *Network, n *node) {
	if v := l.child(n, "weights", textNode); v != nil {
		var err error
		if d.Weights, err = l.locateAny(v); err != nil {
			d.Weights = l.beside(v) // only training reads the file, which need not be there before
		}
	}
	patterns := l.elements(n, "freeze", textNode)
	for i := range patterns {
		l.expect(&patterns[i], textNode, "a pattern of freeze")
		d.Freeze = append(d.Freeze, patterns[i].text)
	}
	v := l.child(n, "rates", objectNode)
	if v == nil {
		return
	}
	for i := range v.items {
		factor, err := parseNumber(v.items[i].text)
		if v.items[i].kind != numberNode || err != nil || !(factor > 0) || math.IsInf(factor, 0) {
			panic(l.hint(&v.items[i], `"freeze" lists what is not to learn`, "rates: %s is no factor of the learning rate above 0", facts.Show(v.items[i].text)))
		}
		d.Rates = append(d.Rates, Rate{v.keys[i].text, factor})
	}
}
