package model

import (
	"errors"
	"fmt"
	"strconv"

	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
)

// readRules adds rules: a list of rules, or the path of a rule file.
func (l *loader) readRules(n *node) {
	switch {
	case n == nil:
	case n.kind == listNode:
		for i := range n.items {
			l.readRule(&n.items[i])
		}
	case n.kind == textNode:
		path := l.beside(n)
		src, err := readLimited(path, psl.MaxSource)
		if err != nil {
			panic(l.hint(n, "rules are a list of rules or the path of a file with rules", "the rule file cannot be read: %v", err))
		}
		p, err := psl.Parse(path, src)
		must(err)
		l.m.Rules.Rules = append(l.m.Rules.Rules, p.Rules...)
		l.m.Rules.Warnings = append(l.m.Rules.Warnings, p.Warnings...)
	default:
		panic(l.errorf(n, "rules are %s, want a list of rules or the path of a rule file", n.kind))
	}
}

// readRule adds one element of the list: a rule as text, or an object that
// keeps weight and exponent apart from it.
func (l *loader) readRule(n *node) {
	if n.kind == objectNode {
		l.readRuleObject(n)
		return
	}
	l.expect(n, textNode, "a rule")
	l.m.Rules.Rules = append(l.m.Rules.Rules, l.parseRule(n, n.text, 0)...)
}

// parseRule parses the text of a node. What was put before the text of the file
// has the length before: positions do not count it.
func (l *loader) parseRule(n *node, text string, before int) []*psl.Rule {
	start := l.pos(n)
	switch {
	case n.quoted:
		start.Col++
	case n.block:
		start.Line, start.Col = start.Line+1, 1
	}
	start.Col -= before
	p, err := psl.ParseAt(start, []byte(text))
	// In one line of the file, line breaks are written as escapes.
	if e := (*psl.Error)(nil); errors.As(err, &e) && n.quoted && e.Pos.Line > start.Line {
		e.Pos = l.pos(n)
	}
	must(err)
	if len(p.Rules) == 0 {
		panic(l.errorf(n, "the text holds no rule"))
	}
	l.m.Rules.Warnings = append(l.m.Rules.Warnings, p.Warnings...)
	return p.Rules
}

// readRuleObject adds a rule written as
// {"rule": "...", "weight": 2, "squared": true}; without a weight it is hard.
func (l *loader) readRuleObject(n *node) {
	if len(n.keys) == 1 && n.keys[0].kind == numberNode {
		panic(l.hint(n, "put the rule in quotes: a colon makes an object in YAML", "a rule is an object"))
	}
	l.only(n, "a rule", "rule", "weight", "squared")
	rule := l.child(n, "rule", textNode)
	if rule == nil {
		panic(l.errorf(n, `the object has no "rule"`))
	}
	before, after := "", " ."
	weight := 0.0
	if w := n.get("weight"); w != nil {
		text := l.scalar(w, "weight")
		var err error
		if weight, err = strconv.ParseFloat(text, 64); err != nil || !(weight >= 0 && weight-weight == 0) {
			panic(l.errorf(w, "the weight %s is not a finite number ≥ 0", facts.Show(text)))
		}
		before, after = "1: ", ""
	}
	rules := l.parseRule(rule, before+rule.text+after, len(before))
	if len(rules) != 1 {
		panic(l.errorf(rule, "the object holds %d rules, want one", len(rules)))
	}
	rules[0].Weight = weight
	if s := l.child(n, "squared", boolNode); s != nil {
		if rules[0].Hard {
			panic(l.errorf(s, "a hard rule has no exponent"))
		}
		rules[0].Squared = isTrue(s.text)
	}
	l.m.Rules.Rules = append(l.m.Rules.Rules, rules[0])
}

// adjustWeights applies the relaxation of hard rules, which the reference makes
// after it has normalised the weights.
func (m *Model) adjustWeights() {
	largest, soft := 0.0, (*psl.Rule)(nil)
	for _, r := range m.Rules.Rules {
		largest = max(largest, r.Weight)
		if !r.Hard && soft == nil {
			soft = r
		}
	}
	if largest == 0 && soft != nil && m.Options.Normalize {
		m.warnAll([]psl.Warning{{Pos: soft.Pos, Msg: "all weights are 0: normalised, they count as 1", Hint: "write weights above 0, or inference.normalize false"}})
	}
	if !m.Options.Relax {
		return
	}
	if m.Options.Normalize && soft != nil {
		for _, r := range m.Rules.Rules {
			if largest > 0 {
				r.Weight /= largest
			} else {
				r.Weight = 1
			}
		}
		largest = 1
	}
	for _, r := range m.Rules.Rules {
		if r.Hard {
			m.Relaxed++
			r.Hard, r.Weight, r.Squared = false, max(1, largest*m.Options.RelaxMultiplier), m.Options.RelaxSquared
		}
	}
}

// String names the model for messages.
func (m *Model) String() string {
	return fmt.Sprintf("%s (%s)", m.File, m.Partition)
}
