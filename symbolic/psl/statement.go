package psl

import "strconv"

// Limits of what Parse accepts. They are far above what people write and keep
// hostile input from exhausting memory or stack.
const (
	// MaxSource is the largest source in bytes.
	MaxSource = 4 << 20
	// MaxRules is the largest number of rules of one source.
	MaxRules = 1 << 16
	// MaxTokens is the largest number of tokens of one rule.
	MaxTokens = 1 << 14
	// MaxDepth is the deepest nesting of parentheses.
	MaxDepth = 100
)

// splitter cuts a source into the token lists of its rules.
type splitter struct {
	lx *lexer
	// ahead holds tokens read but not yet handed out: three are needed to recognise "- 1 :" and
	// "| B |" as the start of a rule, and those up to a relation for "- P(A) <= 1".
	ahead []token
}

func (s *splitter) peek(i int) token {
	for len(s.ahead) <= i {
		s.ahead = append(s.ahead, s.lx.next())
	}
	return s.ahead[i]
}

// follows reports whether the next tokens are of the given kinds.
func (s *splitter) follows(kinds ...kind) bool {
	for i, k := range kinds {
		if s.peek(i).kind != k {
			return false
		}
	}
	return true
}

// relates reports whether the sum that begins with the next token has a relation after it.
func (s *splitter) relates() bool {
	depth, signed := 0, false
	for i := range MaxTokens {
		t := s.peek(i)
		switch t.kind {
		case lessEq, greaterEq, equals:
			return true
		case period, colon, caret, lbrace, implies, impliedBy, endOfRule:
			return false
		case minus, plus, star, slash:
			signed = true
			continue
		}
		if t.newline && !signed && depth == 0 {
			return false // the next rule
		}
		switch signed = false; t.kind {
		case lparen, lbracket:
			depth++
		case rparen, rbracket:
			depth--
		}
	}
	return false
}

// rule returns the tokens of the next rule, closed by an endOfRule token, and
// nil at the end of the source.
//
// Where does a rule end? At its full stop and the filter clauses after it,
// before the weight of the next rule, and at a line break when the line so far
// can be a whole rule and the next line can begin one.
func (s *splitter) rule() []token {
	var (
		tokens     []token
		open       []token
		arithmetic bool
		whole      bool // has the relation or the arrow that a rule has once, or is no sum
		stopped    bool
	)
	for {
		t := s.peek(0)
		ends := t.kind == endOfRule
		if len(tokens) > 0 && !ends {
			ends = s.endsBefore(t, tokens, len(open) > 0, arithmetic, whole, stopped)
		}
		if ends {
			if len(tokens) == 0 {
				return nil
			}
			if len(open) > 0 {
				o := open[len(open)-1]
				panic(s.lx.errorAt(o.pos, "the "+o.text+" is not closed", ""))
			}
			last := tokens[len(tokens)-1]
			end := Pos{File: last.pos.File, Line: last.pos.Line, Col: last.endCol}
			return append(tokens, token{kind: endOfRule, pos: end, newline: true})
		}
		s.ahead = s.ahead[1:]
		switch t.kind {
		case lparen, lbracket, lbrace:
			if len(open) == MaxDepth {
				panic(s.lx.errorAt(t.pos, "parentheses are nested more than "+strconv.Itoa(MaxDepth)+" deep", ""))
			}
			open = append(open, t)
		case rparen, rbracket, rbrace:
			// In kind order a closing bracket follows its opening one.
			if len(open) == 0 || open[len(open)-1].kind != t.kind-1 {
				panic(s.lx.errorAt(t.pos, "there is no opening bracket for this "+t.text, ""))
			}
			open = open[:len(open)-1]
		case lessEq, greaterEq, equals:
			arithmetic, whole = true, true
		case implies, impliedBy, not:
			whole = true
		case period:
			stopped = stopped || len(open) == 0
		}
		tokens = append(tokens, t)
		if len(tokens) > MaxTokens {
			panic(s.lx.errorAt(tokens[0].pos, "the rule has more than "+strconv.Itoa(MaxTokens)+" words and signs", ""))
		}
	}
}

// endsBefore reports whether the rule ends between its tokens so far and t.
func (s *splitter) endsBefore(t token, tokens []token, inside, arithmetic, whole, stopped bool) bool {
	last := tokens[len(tokens)-1]
	signed := len(tokens) == 1 && last.kind == minus
	if t.kind == number && last.kind != colon && !signed && s.follows(number, colon) {
		// A number and a colon begin a rule wherever they stand: inside an
		// unclosed bracket this confines the mistake to one rule.
		return true
	}
	if inside {
		return false
	}
	if stopped {
		// A misplaced exponent and a fraction without its 0 are taken along to
		// be reported; anything else begins the next rule.
		fraction := t.kind == number && last.kind == period && last.endCol == t.pos.Col
		return t.kind != lbrace && (t.newline || t.kind != caret && !fraction)
	}
	if !t.newline {
		return false
	}
	if t.kind == lparen && last.kind == ident && !comparison(tokens) {
		return false // the arguments of an atom, on the next line
	}
	if n := len(tokens); t.kind == minus && n > 1 && last.kind == number && tokens[n-2].kind == caret {
		return true // after an exponent there is nothing to subtract from
	}
	switch t.kind {
	case minus:
		if !whole || !s.relates() {
			return s.follows(minus, number, colon)
		}
	case or:
		if !s.follows(or, ident, or) {
			return false
		}
	case ident, number, quoted, lparen, not, atMin, atMax:
	default:
		return false // nothing else begins a rule
	}
	switch last.kind {
	case ident, number, quoted, rparen, rbracket, rbrace:
		return true
	case or:
		return arithmetic // the end of |B|, not a disjunction
	}
	return false
}

// comparison reports whether the last of the tokens is the right side of a
// comparison of terms, which may end a rule as the name of an atom may not.
func comparison(tokens []token) bool {
	if len(tokens) < 2 {
		return false
	}
	switch tokens[len(tokens)-2].kind {
	case equalEqual, notEqual, percent, caret, minus:
		return true
	}
	return false
}
