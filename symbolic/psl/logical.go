package psl

// connective describes the operator that joins the literals of one side of a logical rule.
type connective struct {
	kind kind // and, or; endOfRule while there is a single literal
	pos  Pos
}

// logical parses a clause: a disjunction, or an implication either way round.
func (p *parser) logical() {
	first, joined := p.literals()
	clause := &Logical{}
	p.rule.Logical = clause
	arrow := p.tok()
	if arrow.kind != implies && arrow.kind != impliedBy {
		if joined.kind == and {
			panic(p.errorAt(joined.pos, "a conjunction alone is not a rule", "write a disjunction (|), or an implication body -> head"))
		}
		clause.Head = first
		return
	}
	p.at++
	second, joinedSecond := p.literals()
	body, head, joinedBody, joinedHead := first, second, joined, joinedSecond
	if arrow.kind == impliedBy {
		body, head, joinedBody, joinedHead = head, body, joinedHead, joinedBody
	}
	if joinedBody.kind == or {
		panic(p.errorAt(joinedBody.pos, "the body of an implication is a disjunction", "join the body with &; write one rule for each alternative"))
	}
	if joinedHead.kind == and {
		panic(p.errorAt(joinedHead.pos, "the head of an implication is a conjunction", "join the head with |; write one rule for each conclusion"))
	}
	if p.is(implies) || p.is(impliedBy) {
		panic(p.errorAt(p.tok().pos, "a rule has one arrow", ""))
	}
	clause.Body, clause.Head = body, head
}

// literals parses literals joined by one kind of connective; parentheses
// around such a list are transparent.
func (p *parser) literals() (all []Literal, joined connective) {
	join := func(c connective) {
		if joined.kind != endOfRule && c.kind != endOfRule && joined.kind != c.kind {
			panic(p.errorAt(c.pos, "& and | are mixed on one side of a rule", "use one of them on each side of the arrow; split the rule"))
		}
		if joined.kind == endOfRule {
			joined = c
		}
	}
	for {
		if p.take(lparen) {
			inner, c := p.literals()
			p.need(rparen, "& or | or )", "")
			join(c)
			all = append(all, inner...)
		} else {
			all = append(all, p.literal())
		}
		t := p.tok()
		if t.kind != and && t.kind != or {
			return all, joined
		}
		join(connective{t.kind, t.pos})
		p.at++
		if p.is(t.kind) {
			p.warn(p.tok().pos, "the "+p.tok().text+" is doubled", "remove one of the two")
			p.at++
		}
	}
}

// literal parses an atom or a comparison behind any number of negations; a
// negation may have parentheses around its literal.
func (p *parser) literal() (l Literal) {
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
		l.Atom = p.atom(false)
	case p.compareAhead():
		c := p.compare()
		l.Compare = &c
	case p.is(number):
		panic(p.expected("an atom", "a weight has a colon after it; numbers are possible in rules with <=, >= or ="))
	default:
		panic(p.expected("an atom", ""))
	}
	for ; open > 0; open-- {
		p.need(rparen, ")", "a negation covers one literal; move it to the literals by De Morgan's rules")
	}
	return l
}
