package psl

// sum is a linear expression being parsed: a Linear and the comparisons met.
type sum struct {
	Linear
	where []Compare
	// before and after report whether the sum is one product of a coefficient with
	// what stands after it, or one quotient by a coefficient.
	before, after bool
}

const connectiveHint = "a rule with <=, >= or = compares two sums of atoms; in a logical rule variables are compared with =="

// arithmetic parses sum relation sum.
func (p *parser) arithmetic() {
	a := &Arithmetic{}
	p.rule.Arithmetic = a
	left := p.sum()
	switch p.tok().kind {
	case lessEq:
		a.Rel = LessEqual
	case greaterEq:
		a.Rel = GreaterEqual
	case equals:
		a.Rel = Same
	case and, or, not, implies, impliedBy:
		panic(p.errorAt(p.tok().pos, "a logical connective in an arithmetic rule", connectiveHint))
	default:
		panic(p.expected("+, -, <=, >= or =", ""))
	}
	p.at++
	right := p.sum()
	switch p.tok().kind {
	case lessEq, greaterEq, equals:
		panic(p.errorAt(p.tok().pos, "a rule has one relation", "write a chain a <= b <= c as two rules"))
	case and, or, not, implies, impliedBy:
		panic(p.errorAt(p.tok().pos, "a logical connective in an arithmetic rule", connectiveHint))
	}
	a.Left, a.Right = left.Linear, right.Linear
	a.Where = append(left.where, right.where...)
}

// sum parses product {(+|-) product}.
func (p *parser) sum() sum {
	total := p.product()
	last, minused := total, false
	for p.is(plus) || p.is(minus) {
		op := p.tok()
		p.at++
		s := p.product()
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
		total.setConst(p.binary(op.pos, fold, total.Const, s.Const))
		total.Terms = append(total.Terms, s.Terms...)
		total.where = append(total.where, s.where...)
	}
	return total
}

// product parses signed {(* | / | nothing) signed}; "nothing" stands between a
// coefficient and its atom.
func (p *parser) product() sum {
	total := p.signed()
	for {
		op := p.tok()
		switch {
		case op.kind == star || op.kind == slash:
			p.at++
		case p.atomAhead() && total.isCoefficient():
			op.kind = star
		default:
			return total
		}
		s := p.signed()
		if total.after && s.isCoefficient() {
			p.warn(op.pos, "the reference system divides by all that the numbers before and after this "+op.text+" come to, here they are taken one after the other",
				"write one number")
		}
		before, after := total.before || total.isCoefficient() && !s.isCoefficient(), (total.after || op.kind == slash) && !total.isCoefficient() && s.isCoefficient()
		total = p.scale(op, total, s)
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
func (p *parser) scale(op token, x, y sum) sum {
	switch {
	case op.kind == slash && !y.isCoefficient():
		panic(p.errorAt(op.pos, "division by an atom", "rules are linear in their atoms"))
	case op.kind == slash:
	case x.isCoefficient():
		x, y = y, x
	case !y.isCoefficient():
		panic(p.errorAt(op.pos, "a product of two atoms", "rules are linear in their atoms"))
	}
	factor := y.Const
	if factor == nil {
		factor = Number(0)
	}
	if _, isNumber := factor.(Number); !isNumber && len(x.Terms) > 1 {
		panic(p.errorAt(op.pos, "a coefficient with |...| before a parenthesis of several atoms", "give each atom its own coefficient"))
	}
	apply := func(e Expr) Expr {
		if op.kind == slash {
			return p.binary(op.pos, Div, e, factor)
		}
		return p.binary(op.pos, Mul, factor, e)
	}
	for i := range x.Terms {
		x.Terms[i].Coef = apply(x.Terms[i].Coef)
	}
	if x.Const != nil {
		x.setConst(apply(x.Const))
	}
	return x
}

// binary combines two coefficients. at is the place of an error.
func (p *parser) binary(at Pos, op BinaryOp, x, y Expr) Expr {
	k, err := binary(op, x, y)
	if err != nil {
		panic(p.errorAt(at, err.Error(), ""))
	}
	return k
}

// signed parses {-|+} operand.
func (p *parser) signed() sum {
	negative := false
	for p.is(minus) || p.is(plus) {
		negative = negative != p.is(minus)
		p.at++
	}
	s := p.operand()
	if !negative {
		return s
	}
	for i := range s.Terms {
		s.Terms[i].Coef = negate(s.Terms[i].Coef)
	}
	if s.Const != nil {
		s.setConst(negate(s.Const))
	}
	return s
}

// operand parses a number, |B|, a function, an atom, a comparison or a sum in
// parentheses.
func (p *parser) operand() sum {
	t := p.tok()
	var s sum
	switch {
	case t.kind == number:
		p.at++
		s.setConst(Number(t.value))
	case t.kind == or && t.text == "|":
		if p.ahead(1).kind != ident || p.ahead(2).text != "|" {
			panic(p.errorAt(t.pos, "a logical connective in an arithmetic rule",
				"|B| with the name of a summation variable is its number of values"))
		}
		s.Const = Cardinality{Pos: p.ahead(1).pos, Var: p.ahead(1).text}
		p.at += 3
	case t.kind == atMin || t.kind == atMax:
		s.setConst(p.function())
	case p.atomAhead():
		s.Terms = []Term{{Coef: Number(1), Atom: p.atom(true)}}
	case p.compareAhead():
		s.where = []Compare{p.compare()}
	case t.kind == lparen:
		p.at++
		inner := p.sum()
		p.need(rparen, "+, - or )", "")
		inner.before, inner.after = false, false
		return inner
	case t.kind == not:
		panic(p.errorAt(t.pos, "a negation in an arithmetic rule", "write 1 - P(X) for !P(X)"))
	case t.kind == period && p.ahead(1).kind == number:
		panic(p.expected("an atom or a number", "write 0."+p.ahead(1).text))
	default:
		panic(p.expected("an atom or a number", ""))
	}
	return s
}

// function parses @Min[a, b] or @Max[a, b]; parentheses do as well.
func (p *parser) function() Expr {
	name := p.tok()
	p.at++
	closing := rbracket
	switch {
	case p.take(lbracket):
	case p.take(lparen):
		closing = rparen
	default:
		panic(p.expected("[ after "+name.text, "a function has two arguments: "+name.text+"[a, b]"))
	}
	x := p.coefficient(name)
	p.need(comma, "a comma", "a function has two arguments: "+name.text+"[a, b]")
	y := p.coefficient(name)
	p.need(closing, "the closing bracket", "a function has two arguments: "+name.text+"[a, b]")
	op := Min
	if name.kind == atMax {
		op = Max
	}
	k, _ := binary(op, x, y) // the smaller or larger of two finite numbers is finite
	return k
}

// coefficient parses a sum without atoms.
func (p *parser) coefficient(of token) Expr {
	at := p.tok().pos
	s := p.sum()
	if !s.isCoefficient() {
		panic(p.errorAt(at, "an atom inside "+of.text, "its arguments are numbers and |B|"))
	}
	return s.Const
}

// filters parses {B: condition} clauses.
func (p *parser) filters() {
	for p.is(lbrace) {
		at := p.tok().pos
		p.at++
		if p.is(plus) {
			panic(p.errorAt(p.tok().pos, "a plus sign in a filter clause", "name the summation variable without its plus sign: {B: ...}"))
		}
		f := Filter{Pos: at, Var: p.tok().text}
		p.need(ident, "a summation variable", "a filter clause is {B: condition}")
		p.need(colon, "a colon", "a filter clause is {B: condition}")
		f.Cond = p.condition(Or)
		p.need(rbrace, "&, | or }", "")
		p.rule.Arithmetic.Filters = append(p.rule.Arithmetic.Filters, f)
	}
}

// condition parses parts joined by the connective op; & binds tighter than |.
func (p *parser) condition(op CondOp) *Cond {
	joint := or
	if op == And {
		joint = and
	}
	all := &Cond{Op: op}
	for {
		var part *Cond
		switch {
		case op == Or:
			part = p.condition(And)
		case p.take(lparen):
			part = p.condition(Or)
			p.need(rparen, "&, | or )", "")
		default:
			part = &Cond{Literal: p.literal()}
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
		return all.Parts[0]
	}
	return all
}
