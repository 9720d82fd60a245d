package psl

// sum is a linear expression being parsed: a Linear and the comparisons met.
type sum struct {
	Linear
	where []Compare
	// before and after report whether the sum is one product of a coefficient with
	// what stands after it, or before it.
	before, after bool
}

const connectiveHint = "a rule with <=, >= or = compares two sums of atoms; in a logical rule variables are compared with =="

// arithmetic parses sum relation sum.
func (p *parser) arithmetic() *Error {
	a := &Arithmetic{}
	p.rule.Arithmetic = a
	left, err := p.sum()
	if err != nil {
		return err
	}
	switch p.tok().kind {
	case lessEq:
		a.Rel = LessEqual
	case greaterEq:
		a.Rel = GreaterEqual
	case equals:
		a.Rel = Same
	case and, or, not, implies, impliedBy:
		return p.errorAt(p.tok().pos, "a logical connective in an arithmetic rule", connectiveHint)
	default:
		return p.expected("+, -, <=, >= or =", "")
	}
	p.at++
	right, err := p.sum()
	if err != nil {
		return err
	}
	switch p.tok().kind {
	case lessEq, greaterEq, equals:
		return p.errorAt(p.tok().pos, "a rule has one relation", "write a chain a <= b <= c as two rules")
	case and, or, not, implies, impliedBy:
		return p.errorAt(p.tok().pos, "a logical connective in an arithmetic rule", connectiveHint)
	}
	a.Left, a.Right = left.Linear, right.Linear
	a.Where = append(left.where, right.where...)
	return nil
}

// sum parses product {(+|-) product}.
func (p *parser) sum() (sum, *Error) {
	total, err := p.product()
	if err != nil {
		return total, err
	}
	last, minused := total, false
	for p.is(plus) || p.is(minus) {
		op := p.tok()
		p.at++
		s, err := p.product()
		if err != nil {
			return total, err
		}
		if last.isCoefficient() && s.before || last.after && s.isCoefficient() {
			p.warn(op.pos, "the reference system joins the numbers on both sides of this "+op.text+" to one coefficient, here it ends the term",
				"put the coefficient and its atom in parentheses")
		}
		if minused && last.isCoefficient() && s.isCoefficient() {
			p.warn(op.pos, "the reference system subtracts all that the numbers before and after this "+op.text+" come to, here the minus sign belongs to the first alone",
				"write one number")
		}
		last, minused = s, op.kind == minus || minused && s.isCoefficient()
		fold := Add
		if op.kind == minus {
			fold = Sub
			for i := range s.Terms {
				s.Terms[i].Coef = negate(s.Terms[i].Coef)
			}
		}
		k, ferr := binary(fold, total.Const, s.Const)
		if ferr != nil {
			return total, p.errorAt(op.pos, ferr.Error(), "")
		}
		total.setConst(k)
		total.Terms = append(total.Terms, s.Terms...)
		total.where = append(total.where, s.where...)
	}
	return total, nil
}

// product parses signed {(* | / | nothing) signed}; "nothing" stands between a
// coefficient and its atom.
func (p *parser) product() (sum, *Error) {
	total, err := p.signed()
	if err != nil {
		return total, err
	}
	for {
		op := p.tok()
		switch {
		case op.kind == star || op.kind == slash:
			p.at++
		case p.atomAhead() && total.isCoefficient():
			op.kind = star
		default:
			return total, nil
		}
		s, err := p.signed()
		if err != nil {
			return total, err
		}
		before, after := total.before || total.isCoefficient() && !s.isCoefficient(), !total.isCoefficient() && s.isCoefficient()
		if total, err = p.scale(op, total, s); err != nil {
			return total, err
		}
		total.before, total.after = before, after
	}
}

func (s *sum) isCoefficient() bool { return len(s.Terms) == 0 && len(s.where) == 0 }

func (s *sum) setConst(k Expr) {
	if k == Number(0) {
		k = nil
	}
	s.Const = k
}

// scale builds x*y or x/y. At least one factor, and the divisor of a quotient, must be a
// coefficient.
func (p *parser) scale(op token, x, y sum) (sum, *Error) {
	fold := Mul
	if op.kind == slash {
		fold = Div
		if !y.isCoefficient() {
			return x, p.errorAt(op.pos, "division by an atom", "rules are linear in their atoms")
		}
	} else if x.isCoefficient() {
		x, y = y, x
	} else if !y.isCoefficient() {
		return x, p.errorAt(op.pos, "a product of two atoms", "rules are linear in their atoms")
	}
	factor := y.Const
	if factor == nil {
		factor = Number(0)
	}
	if _, isNumber := factor.(Number); !isNumber && len(x.Terms) > 1 {
		return x, p.errorAt(op.pos, "a coefficient with |...| before a parenthesis of several atoms", "give each atom its own coefficient")
	}
	apply := func(e Expr) (Expr, *Error) {
		var k Expr
		var err error
		if fold == Mul {
			k, err = binary(Mul, factor, e)
		} else {
			k, err = binary(Div, e, factor)
		}
		if err != nil {
			return nil, p.errorAt(op.pos, err.Error(), "")
		}
		return k, nil
	}
	for i := range x.Terms {
		k, err := apply(x.Terms[i].Coef)
		if err != nil {
			return x, err
		}
		x.Terms[i].Coef = k
	}
	if x.Const != nil {
		k, err := apply(x.Const)
		if err != nil {
			return x, err
		}
		x.setConst(k)
	}
	return x, nil
}

// signed parses {-|+} operand.
func (p *parser) signed() (sum, *Error) {
	negative := false
	for p.is(minus) || p.is(plus) {
		negative = negative != p.is(minus)
		p.at++
	}
	s, err := p.operand()
	if err != nil || !negative {
		return s, err
	}
	for i := range s.Terms {
		s.Terms[i].Coef = negate(s.Terms[i].Coef)
	}
	if s.Const != nil {
		s.setConst(negate(s.Const))
	}
	return s, nil
}

// operand parses a number, |B|, a function, an atom, a comparison or a sum in
// parentheses.
func (p *parser) operand() (sum, *Error) {
	t := p.tok()
	var s sum
	switch {
	case t.kind == number:
		p.at++
		s.setConst(Number(t.value))
	case t.kind == or && t.text == "|":
		if p.ahead(1).kind != ident || p.ahead(2).text != "|" {
			return s, p.errorAt(t.pos, "a logical connective in an arithmetic rule",
				"|B| with the name of a summation variable is its number of values")
		}
		s.Const = Cardinality{Pos: p.ahead(1).pos, Var: p.ahead(1).text}
		p.at += 3
	case t.kind == atMin || t.kind == atMax:
		k, err := p.function()
		if err != nil {
			return s, err
		}
		s.setConst(k)
	case p.atomAhead():
		a, err := p.atom(true)
		if err != nil {
			return s, err
		}
		s.Terms = []Term{{Coef: Number(1), Atom: a}}
	case p.compareAhead():
		c, err := p.compare()
		if err != nil {
			return s, err
		}
		s.where = []Compare{c}
	case t.kind == lparen:
		p.at++
		inner, err := p.sum()
		if err != nil {
			return s, err
		}
		if !p.take(rparen) {
			return s, p.expected("+, - or )", "")
		}
		inner.before, inner.after = false, false
		return inner, nil
	case t.kind == not:
		return s, p.errorAt(t.pos, "a negation in an arithmetic rule", "write 1 - P(X) for !P(X)")
	case t.kind == period && p.ahead(1).kind == number:
		return s, p.expected("an atom or a number", "write 0."+p.ahead(1).text)
	default:
		return s, p.expected("an atom or a number", "")
	}
	return s, nil
}

// function parses @Min[a, b] or @Max[a, b]; parentheses do as well.
func (p *parser) function() (Expr, *Error) {
	name := p.tok()
	p.at++
	closing := rbracket
	switch {
	case p.take(lbracket):
	case p.take(lparen):
		closing = rparen
	default:
		return nil, p.expected("[ after "+name.text, "a function has two arguments: "+name.text+"[a, b]")
	}
	x, err := p.coefficient(name)
	if err != nil {
		return nil, err
	}
	if !p.take(comma) {
		return nil, p.expected("a comma", "a function has two arguments: "+name.text+"[a, b]")
	}
	y, err := p.coefficient(name)
	if err != nil {
		return nil, err
	}
	if !p.take(closing) {
		return nil, p.expected("the closing bracket", "a function has two arguments: "+name.text+"[a, b]")
	}
	op := Min
	if name.kind == atMax {
		op = Max
	}
	k, _ := binary(op, x, y) // the smaller or larger of two finite numbers is finite
	return k, nil
}

// coefficient parses a sum without atoms.
func (p *parser) coefficient(of token) (Expr, *Error) {
	at := p.tok().pos
	s, err := p.sum()
	if err != nil {
		return nil, err
	}
	if !s.isCoefficient() {
		return nil, p.errorAt(at, "an atom inside "+of.text, "its arguments are numbers and |B|")
	}
	return s.Const, nil
}

// filters parses {B: condition} clauses.
func (p *parser) filters() *Error {
	for p.is(lbrace) {
		at := p.tok().pos
		p.at++
		if p.is(plus) {
			return p.errorAt(p.tok().pos, "a plus sign in a filter clause", "name the summation variable without its plus sign: {B: ...}")
		}
		if !p.is(ident) {
			return p.expected("a summation variable", "a filter clause is {B: condition}")
		}
		f := Filter{Pos: at, Var: p.tok().text}
		p.at++
		if !p.take(colon) {
			return p.expected("a colon", "a filter clause is {B: condition}")
		}
		c, err := p.condition(Or)
		if err != nil {
			return err
		}
		if !p.take(rbrace) {
			return p.expected("&, | or }", "")
		}
		f.Cond = c
		p.rule.Arithmetic.Filters = append(p.rule.Arithmetic.Filters, f)
	}
	return nil
}

// condition parses parts joined by the connective op; & binds tighter than |.
func (p *parser) condition(op CondOp) (*Cond, *Error) {
	joint := or
	if op == And {
		joint = and
	}
	all := &Cond{Op: op}
	for {
		var part *Cond
		var err *Error
		switch {
		case op == Or:
			part, err = p.condition(And)
		case p.is(lparen):
			p.at++
			if part, err = p.condition(Or); err == nil && !p.take(rparen) {
				err = p.expected("&, | or )", "")
			}
		default:
			part = &Cond{}
			part.Literal, err = p.literal()
		}
		if err != nil {
			return nil, err
		}
		if part.Op == op {
			all.Parts = append(all.Parts, part.Parts...)
		} else {
			all.Parts = append(all.Parts, part)
		}
		if !p.take(joint) {
			break
		}
	}
	if len(all.Parts) == 1 {
		return all.Parts[0], nil
	}
	return all, nil
}
