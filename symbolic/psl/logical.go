package psl

// connective describes the operator that joins the literals of one side of a logical rule.
type connective struct {
	kind kind // and, or; endOfRule while there is a single literal
	pos  Pos
}

// logical parses a clause: a disjunction, or an implication either way round.
func (p *parser) logical() *Error {
	first, joined, err := p.literals()
	if err != nil {
		return err
	}
	clause := &Logical{}
	p.rule.Logical = clause
	arrow := p.tok()
	if arrow.kind != implies && arrow.kind != impliedBy {
		if joined.kind == and {
			return p.errorAt(joined.pos, "a conjunction alone is not a rule", "write a disjunction (|), or an implication body -> head")
		}
		clause.Head = first
		return nil
	}
	p.at++
	second, joinedSecond, err := p.literals()
	if err != nil {
		return err
	}
	body, head, joinedBody, joinedHead := first, second, joined, joinedSecond
	if arrow.kind == impliedBy {
		body, head, joinedBody, joinedHead = head, body, joinedHead, joinedBody
	}
	if joinedBody.kind == or {
		return p.errorAt(joinedBody.pos, "the body of an implication is a disjunction", "join the body with &; write one rule for each alternative")
	}
	if joinedHead.kind == and {
		return p.errorAt(joinedHead.pos, "the head of an implication is a conjunction", "join the head with |; write one rule for each conclusion")
	}
	if p.is(implies) || p.is(impliedBy) {
		return p.errorAt(p.tok().pos, "a rule has one arrow", "")
	}
	clause.Body, clause.Head = body, head
	return nil
}

// literals parses literals joined by one kind of connective; parentheses
// around such a list are transparent.
func (p *parser) literals() ([]Literal, connective, *Error) {
	var all []Literal
	var joined connective
	join := func(c connective) *Error {
		if joined.kind != endOfRule && c.kind != endOfRule && joined.kind != c.kind {
			return p.errorAt(c.pos, "& and | are mixed on one side of a rule", "use one of them on each side of the arrow; split the rule")
		}
		if joined.kind == endOfRule {
			joined = c
		}
		return nil
	}
	for {
		if p.is(lparen) {
			p.at++
			inner, c, err := p.literals()
			if err != nil {
				return nil, joined, err
			}
			if !p.take(rparen) {
				return nil, joined, p.expected("& or | or )", "")
			}
			if err := join(c); err != nil {
				return nil, joined, err
			}
			all = append(all, inner...)
		} else {
			l, err := p.literal()
			if err != nil {
				return nil, joined, err
			}
			all = append(all, l)
		}
		t := p.tok()
		if t.kind != and && t.kind != or {
			return all, joined, nil
		}
		if err := join(connective{t.kind, t.pos}); err != nil {
			return nil, joined, err
		}
		p.at++
		if p.is(t.kind) {
			p.warn(p.tok().pos, "the "+p.tok().text+" is doubled", "remove one of the two")
			p.at++
		}
	}
}

// literal parses an atom or a comparison behind any number of negations; a
// negation may have parentheses around its literal.
func (p *parser) literal() (Literal, *Error) {
	var l Literal
	open := 0
	for {
		if p.take(not) {
			l.Negated = !l.Negated
		} else if open > 0 && p.ahead(-1).kind != not {
			break
		} else if p.at > 0 && p.ahead(-1).kind == not && p.take(lparen) {
			open++
		} else {
			break
		}
	}
	switch {
	case p.atomAhead():
		a, err := p.atom(false)
		if err != nil {
			return l, err
		}
		l.Atom = a
	case p.compareAhead():
		c, err := p.compare()
		if err != nil {
			return l, err
		}
		l.Compare = &c
	case p.is(number):
		return l, p.expected("an atom", "a weight has a colon after it; numbers are possible in rules with <=, >= or =")
	default:
		return l, p.expected("an atom", "")
	}
	for ; open > 0; open-- {
		if !p.take(rparen) {
			return l, p.expected(")", "a negation covers one literal; move it to the literals by De Morgan's rules")
		}
	}
	return l, nil
}
