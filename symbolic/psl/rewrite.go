package psl

import "strings"

// Rewrite returns the source of the program with the weights that its rules have
// now: comments, layout and rules that were left out stay as they are. A negative
// weight stays negative, since the rule that was made of it is another. It is
// false where there is no such source: where the rules come from several, or a
// soft rule was hard.
func (p *Program) Rewrite() (string, bool) {
	var b strings.Builder
	done := 0
	for _, r := range p.Rules {
		if r.src == nil || r.src != p.Rules[0].src {
			return "", false
		}
		if r.Hard {
			continue
		}
		if r.weight.text == "" || r.weight.off < done {
			return "", false
		}
		b.WriteString(r.src.text[done:r.weight.off])
		b.WriteString(formatNumber(r.Weight))
		done = r.weight.off + len(r.weight.text)
	}
	if len(p.Rules) == 0 {
		return "", false
	}
	b.WriteString(p.Rules[0].src.text[done:])
	return b.String(), true
}
