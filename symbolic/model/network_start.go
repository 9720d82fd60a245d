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
func (l *loader) networkStart(_ *Predicate, d *Network, n *node) error {
	if v := n.get("weights"); v != nil {
		if err := l.expect(v, textNode, "weights"); err != nil {
			return err
		}
		// Only training reads the file, which need not be there before.
		if err := l.networkPath(n, "weights", &d.Weights); err != nil {
			d.Weights = l.beside(v)
		}
	}
	patterns, err := l.elements(n, "freeze", textNode)
	if err != nil {
		return err
	}
	for i := range patterns {
		if err := l.expect(&patterns[i], textNode, "a pattern of freeze"); err != nil {
			return err
		}
		d.Freeze = append(d.Freeze, patterns[i].text)
	}
	v := n.get("rates")
	if v == nil {
		return nil
	}
	if err := l.expect(v, objectNode, "rates"); err != nil {
		return err
	}
	for i := range v.items {
		factor, err := parseNumber(v.items[i].text)
		if v.items[i].kind != numberNode || err != nil || !(factor > 0) || math.IsInf(factor, 0) {
			return l.hint(&v.items[i], `"freeze" lists what is not to learn`, "rates: %s is no factor of the learning rate above 0", facts.Show(v.items[i].text))
		}
		d.Rates = append(d.Rates, Rate{v.keys[i].text, factor})
	}
	return nil
}
