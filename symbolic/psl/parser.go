package psl

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse reads a rule file. The name is used in positions only. The error, if
// any, is an *Error about the first mistake; there is no partial result.
func Parse(name string, src []byte) (*Program, error) {
	return ParseAt(Pos{File: name, Line: 1, Col: 1}, src)
}

// ParseAt is Parse for text that is embedded in another file: positions are
// counted from start, the place of the first byte of src.
func ParseAt(start Pos, src []byte) (prog *Program, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error: // the parser panics with the first mistake
			prog, err = nil, r
		default:
			panic(r)
		}
	}()
	lx := &lexer{src: &source{start: start}, line: start.Line, col: start.Col}
	if len(src) > MaxSource {
		panic(lx.errorAt(start, "the source has more than "+strconv.Itoa(MaxSource>>20)+" MiB", ""))
	}
	lx.src.text = string(src)
	lx.checkText()
	s := &splitter{lx: lx}
	prog = &Program{}
	for {
		tokens := s.rule()
		if tokens == nil {
			prog.Warnings = append(prog.Warnings, lx.warnings...)
			slices.SortStableFunc(prog.Warnings, func(a, b Warning) int {
				return cmp.Or(a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
			})
			return prog, nil
		}
		if len(prog.Rules) == MaxRules {
			panic(lx.errorAt(tokens[0].pos, "there are more than "+strconv.Itoa(MaxRules)+" rules", ""))
		}
		p := parser{tokens: tokens, rule: &Rule{Pos: tokens[0].pos, src: lx.src}}
		p.parseRule()
		p.rule.check()
		prog.Rules = append(prog.Rules, p.rule)
		prog.Warnings = append(prog.Warnings, p.warnings...)
	}
}

// checkText skips a byte order mark and finds bytes that are not UTF-8.
func (lx *lexer) checkText() {
	lx.src.text = strings.TrimPrefix(lx.src.text, "\uFEFF")
	if utf8.ValidString(lx.src.text) {
		return
	}
	at := *lx
	for {
		r, n := utf8.DecodeRuneInString(at.src.text[at.off:])
		if r == utf8.RuneError && n == 1 {
			panic(&Error{Pos: at.pos(), Msg: "the source is not UTF-8 text"})
		}
		at.advance(n)
	}
}

// parser is a recursive-descent parser over the tokens of one rule.
type parser struct {
	tokens   []token
	at       int
	rule     *Rule
	warnings []Warning
}

func (p *parser) warn(pos Pos, msg, hint string) {
	p.warnings = append(p.warnings, Warning{Pos: pos, Msg: msg, Hint: hint})
}

func (p *parser) tok() token { return p.tokens[p.at] }

// ahead returns the token i places on; endOfRule past the end.
func (p *parser) ahead(i int) token {
	return p.tokens[min(p.at+i, len(p.tokens)-1)]
}

func (p *parser) is(k kind) bool { return p.tokens[p.at].kind == k }

// take moves over a token of kind k and reports whether it was there.
func (p *parser) take(k kind) bool {
	if !p.is(k) {
		return false
	}
	p.at++
	return true
}

func (p *parser) errorAt(pos Pos, msg, hint string) *Error {
	return p.rule.ErrorAt(pos, msg, hint)
}

// expected returns an error that names what should stand at the current token.
func (p *parser) expected(what, hint string) *Error {
	return p.errorAt(p.tok().pos, "expected "+what+", found "+p.tok().describe(), hint)
}

// need takes a token of kind k. The error where there is another names what should stand there.
func (p *parser) need(k kind, what, hint string) {
	if !p.take(k) {
		panic(p.expected(what, hint))
	}
}

func (t token) describe() string {
	switch t.kind {
	case endOfRule:
		return "the end of the rule"
	case quoted:
		return "the constant " + Quote(t.text)
	}
	return t.text
}

// parseRule parses [weight :] body [^p | .] [filters] to the end of the rule.
func (p *parser) parseRule() {
	r := p.rule
	r.Hard = true
	negative := p.is(minus) && p.ahead(1).kind == number && p.ahead(2).kind == colon
	start := p.tok().pos
	if negative {
		p.at++
	}
	if p.is(number) && p.ahead(1).kind == colon {
		r.Hard, r.Weight, r.weight = false, p.tok().value, p.tok()
		p.at += 2
	}
	if p.is(colon) {
		panic(p.errorAt(p.tok().pos, "there is no weight before the colon", "a soft rule begins with its weight: 1.0: A(X) -> B(X)"))
	}
	if p.is(ident) && p.ahead(1).kind == colon {
		panic(p.errorAt(p.tok().pos, "the weight "+p.tok().text+" is not a number", ""))
	}
	// Only arithmetic rules have a relation.
	if slices.ContainsFunc(p.tokens[p.at:], func(t token) bool { return t.kind == lessEq || t.kind == greaterEq || t.kind == equals }) {
		p.arithmetic()
	} else {
		p.logical()
	}
	p.end()
	if !p.is(endOfRule) {
		panic(p.afterRule())
	}
	if negative {
		p.negativeWeight(start)
	}
}

// negativeWeight mends a rule of negative weight where there is a rule of
// positive weight with the same energy up to a constant: -w·(1 - x) is w·x less
// w, so that -w: P(X) is w: !P(X), and -w: !P(X) is w: P(X) >= 1.
func (p *parser) negativeWeight(at Pos) {
	r := p.rule
	l := r.Logical
	if l == nil || len(l.Body)+len(l.Head) != 1 || len(l.Head) != 1 || l.Head[0].Atom == nil || r.Squared {
		panic(p.errorAt(at, "the weight is negative",
			"a negative weight has no convex energy; negate the rule or give it a weight of 0 or more"))
	}
	if x := &l.Head[0]; !x.Negated {
		x.Negated = true
	} else {
		r.Logical = nil
		r.Arithmetic = &Arithmetic{Left: Linear{Terms: []Term{{Coef: Number(1), Atom: x.Atom}}}, Rel: GreaterEqual, Right: Linear{Const: Number(1)}}
	}
	p.warn(at, "the weight is negative; the rule is taken as "+r.String(), "write it so")
}

// end parses the exponent or full stop and the filters of an arithmetic rule.
func (p *parser) end() {
	r := p.rule
	if p.is(lbrace) && r.Arithmetic != nil {
		if r.Hard {
			panic(p.expected("the full stop", "the filter clause of a hard rule comes after its full stop"))
		}
		p.filters()
		if p.is(caret) {
			panic(p.errorAt(p.tok().pos, "the exponent comes after the filter clause", "write it before: ... ^2 {B: ...}"))
		}
		return
	}
	if p.is(caret) {
		at := p.tok().pos
		if r.Hard {
			panic(p.errorAt(at, "a hard rule has no exponent", "give the rule a weight, or remove the exponent"))
		}
		p.at++
		if t := p.tok(); t.kind != number || t.text != "1" && t.text != "2" {
			panic(p.errorAt(t.pos, "the exponent is "+t.describe(), "only ^1 and ^2 are possible"))
		}
		r.Squared = p.tok().text == "2"
		p.at++
		if p.is(caret) {
			panic(p.errorAt(p.tok().pos, "there are two exponents", ""))
		}
	}
	switch {
	case r.Hard && p.is(endOfRule):
		panic(p.errorAt(p.tok().pos, "the rule has neither a weight nor a full stop",
			"a hard rule ends with a full stop; a soft rule begins with its weight and a colon"))
	case r.Hard && !p.take(period):
		panic(p.afterRule())
	case !r.Hard && p.is(period):
		panic(p.errorAt(p.tok().pos, "a weighted rule has no full stop",
			"remove the full stop, or remove the weight to make the rule hard"))
	}
	if r.Arithmetic != nil {
		p.filters()
	}
}

// afterRule explains a token that can neither go on nor end the rule.
func (p *parser) afterRule() *Error {
	t := p.tok()
	switch {
	case t.kind == caret && p.at > 0 && p.ahead(-1).kind == period:
		return p.errorAt(t.pos, "a hard rule has no exponent", "give the rule a weight, or remove the exponent")
	case t.kind == lbrace && p.rule.Logical != nil:
		return p.errorAt(t.pos, "a logical rule has no filter clause", "filter clauses belong to summation variables of arithmetic rules")
	case t.kind == ident && p.ahead(1).kind == lparen:
		return p.errorAt(t.pos, "expected an operator before "+t.text, "each rule stands on its own line")
	}
	return p.errorAt(t.pos, "unexpected "+t.describe()+" after the rule", "")
}

// atom parses Predicate(arg, ...). Summation arguments are allowed where
// summation is true.
func (p *parser) atom(summation bool) *Atom {
	a := &Atom{Pos: p.tok().pos, Predicate: p.tok().text}
	p.at += 2 // the caller has seen the name and the parenthesis
	for {
		if p.is(plus) {
			if !summation {
				panic(p.errorAt(p.tok().pos, "a summation variable in a logical rule", "sums are possible in arithmetic rules only, those with <=, >= or ="))
			}
			at := p.tok().pos
			p.at++
			a.Args = append(a.Args, Arg{Pos: at, Kind: Summation, Name: p.tok().text})
			p.need(ident, "the name of a summation variable", "")
		} else {
			a.Args = append(a.Args, p.arg())
		}
		if p.take(rparen) {
			return a
		}
		p.need(comma, "a comma or )", "")
	}
}

// arg parses a variable or a constant.
func (p *parser) arg() Arg {
	t := p.tok()
	switch t.kind {
	case ident:
		p.at++
		return Arg{Pos: t.pos, Kind: Variable, Name: t.text}
	case quoted:
		p.at++
		return Arg{Pos: t.pos, Kind: Constant, Name: t.text}
	case number:
		panic(p.expected("a variable or a constant", "constants stand in quotes: '"+t.text+"'"))
	}
	panic(p.expected("a variable or a constant", ""))
}

// atomAhead reports whether an atom begins here, compareAhead whether a
// comparison does.
func (p *parser) atomAhead() bool { return p.is(ident) && p.ahead(1).kind == lparen }

func (p *parser) compareAhead() bool {
	return p.is(quoted) || p.is(ident) && p.ahead(1).kind != lparen
}

// compare parses a term operator with its two arguments.
func (p *parser) compare() Compare {
	c := Compare{Pos: p.tok().pos, Left: p.arg()}
	switch p.tok().kind {
	case equalEqual:
		c.Op = Equal
	case notEqual, minus:
		c.Op = NotEqual
	case percent, caret:
		c.Op = Before
	default:
		if c.Left.Kind == Variable {
			panic(p.expected("( or a term operator after "+c.Left.Name,
				"an atom has arguments: "+c.Left.Name+"(X); variables are compared with ==, != or %"))
		}
		panic(p.expected("a term operator", "constants are compared with ==, != or %"))
	}
	p.at++
	c.Right = p.arg()
	return c
}
