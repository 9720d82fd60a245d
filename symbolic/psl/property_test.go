package psl

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// linearForm is what an arithmetic expression means: a coefficient for each
// atom and a constant, with |B| = 3 and |C| = 5.
type linearForm struct {
	coef map[string]float64
	k    float64
}

var cardinalities = map[string]float64{"B": 3, "C": 5}

func (f linearForm) scale(v float64) linearForm {
	g := linearForm{map[string]float64{}, f.k * v}
	for a, c := range f.coef {
		g.coef[a] = c * v
	}
	return g
}

func (f linearForm) plus(o linearForm) linearForm {
	g := f.scale(1)
	g.k += o.k
	for a, c := range o.coef {
		g.coef[a] += c
	}
	return g
}

// drawCoefficient makes an expression without atoms and its value. Values are
// kept away from 0 where a division follows.
func drawCoefficient(t *rapid.T, depth int, numeric bool) (string, float64) {
	choice := rapid.IntRange(0, 7).Draw(t, "coefficient")
	if depth == 0 {
		choice %= 2
	}
	switch choice {
	case 0:
		v := rapid.SampledFrom([]string{"0.5", "1", "2", "4", "0.25", "1e1", "0"}).Draw(t, "number")
		f, err := strconv.ParseFloat(v, 64)
		require.NoError(t, err)
		return v, f
	case 1:
		if numeric {
			return "8", 8
		}
		v := rapid.SampledFrom([]string{"B", "C"}).Draw(t, "cardinality")
		return "|" + v + "|", cardinalities[v]
	case 2:
		s, v := drawCoefficient(t, depth-1, numeric)
		return "-(" + s + ")", -v
	case 3:
		x, vx := drawCoefficient(t, depth-1, numeric)
		y, vy := drawCoefficient(t, depth-1, numeric)
		if rapid.Bool().Draw(t, "min") {
			return "@Min[" + x + ", " + y + "]", math.Min(vx, vy)
		}
		return "@Max(" + x + ", " + y + ")", math.Max(vx, vy)
	case 4:
		x, vx := drawCoefficient(t, depth-1, numeric)
		return "(" + x + ") / 4", vx / 4
	case 5:
		x, vx := drawCoefficient(t, depth-1, numeric)
		y, vy := drawCoefficient(t, depth-1, numeric)
		return "(" + x + " * (" + y + "))", vx * vy
	case 6:
		x, vx := drawCoefficient(t, depth-1, numeric)
		y, vy := drawCoefficient(t, depth-1, numeric)
		return "(" + x + " - " + y + ")", vx - vy
	}
	x, vx := drawCoefficient(t, depth-1, numeric)
	y, vy := drawCoefficient(t, depth-1, numeric)
	return "(" + x + " + " + y + ")", vx + vy
}

// drawLinear makes a sum of atoms and its meaning.
func drawLinear(t *rapid.T, depth int) (string, linearForm) {
	n := rapid.IntRange(1, 3).Draw(t, "terms")
	text, form := "", linearForm{map[string]float64{}, 0}
	for i := range n {
		s, f := drawTerm(t, depth)
		switch {
		case i == 0:
			text, form = s, f
		case rapid.Bool().Draw(t, "minus"):
			text, form = text+" - "+s, form.plus(f.scale(-1))
		default:
			text, form = text+" + "+s, form.plus(f)
		}
	}
	return text, form
}

func drawTerm(t *rapid.T, depth int) (string, linearForm) {
	atom := rapid.SampledFrom([]string{"P(A)", "Q(A, 'x')", "R(D)"}).Draw(t, "atom")
	form := linearForm{map[string]float64{atom: 1}, 0}
	choice := rapid.IntRange(0, 6).Draw(t, "term")
	if depth == 0 {
		choice %= 4
	}
	switch choice {
	case 0:
		return atom, form
	case 1:
		c, v := drawCoefficient(t, 2, false)
		return c + " * " + atom, form.scale(v)
	case 2:
		c, v := drawCoefficient(t, 2, false)
		return c, linearForm{map[string]float64{}, v}
	case 3:
		return "2 " + atom + " / 8", form.scale(0.25)
	case 4:
		s, f := drawLinear(t, depth-1)
		return "(" + s + ")", f
	case 5:
		s, f := drawLinear(t, depth-1)
		c, v := drawCoefficient(t, 1, true)
		return c + " * (" + s + ")", f.scale(v)
	}
	s, f := drawLinear(t, depth-1)
	return "-(" + s + ")", f.scale(-1)
}

// TestLinearMeaning parses random expressions and compares coefficients and
// constants with those computed while the expression was written.
func TestLinearMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left, wantLeft := drawLinear(t, 3)
		right, wantRight := drawLinear(t, 2)
		source := "1: 0 * S(+B, +C) + " + left + " <= " + right
		p, err := Parse("random.psl", []byte(source))
		require.NoErrorf(t, err, "%s", source)
		a := p.Rules[0].Arithmetic
		for _, side := range []struct {
			got  Linear
			want linearForm
		}{{a.Left, wantLeft}, {a.Right, wantRight}} {
			got := linearForm{map[string]float64{}, 0}
			card := func(name string) float64 { return cardinalities[name] }
			for _, term := range side.got.Terms {
				got.coef[term.Atom.String()] += term.Coef.Eval(card)
			}
			delete(got.coef, "S(+B, +C)")
			if side.got.Const != nil {
				got.k = side.got.Const.Eval(card)
			}
			if got.k != side.want.k || !reflect.DeepEqual(got.coef, side.want.coef) {
				t.Fatalf("%s\nmeans %v\nnot   %v", source, got, side.want)
			}
		}
	})
}

// drawRule makes a random syntax tree of a rule that satisfies the checks.
func drawRule(t *rapid.T) *Rule {
	r := &Rule{Hard: rapid.Bool().Draw(t, "hard")}
	if !r.Hard {
		r.Weight = rapid.SampledFrom([]float64{0, 1, 0.1, 1e-9, 1e21, 123456789.125}).Draw(t, "weight")
		r.Squared = rapid.Bool().Draw(t, "squared")
	}
	arg := func(names ...string) Arg {
		if rapid.IntRange(0, 3).Draw(t, "constant") == 0 {
			return Arg{Kind: Constant, Name: rapid.StringOfN(rapid.RuneFrom([]rune("ab'\"\\\n\t\r {}é")), 1, 5, -1).Draw(t, "name")}
		}
		return Arg{Kind: Variable, Name: rapid.SampledFrom(names).Draw(t, "variable")}
	}
	atom := func(names ...string) *Atom {
		a := &Atom{Predicate: rapid.SampledFrom([]string{"P", "Knows", "_q", "$2"}).Draw(t, "predicate")}
		for range rapid.IntRange(1, 3).Draw(t, "arity") {
			a.Args = append(a.Args, arg(names...))
		}
		return a
	}
	compare := func(names ...string) Compare {
		return Compare{Op: CompareOp(rapid.IntRange(0, 2).Draw(t, "op")), Left: arg(names...), Right: arg(names...)}
	}
	literal := func(names ...string) Literal {
		l := Literal{Negated: rapid.Bool().Draw(t, "negated")}
		if rapid.IntRange(0, 2).Draw(t, "compare") == 0 {
			c := compare(names...)
			l.Compare = &c
		} else {
			l.Atom = atom(names...)
		}
		return l
	}
	bind := func(name string) *Atom {
		return &Atom{Predicate: "Bind", Args: []Arg{{Kind: Variable, Name: name}}}
	}
	if rapid.Bool().Draw(t, "logical") {
		l := &Logical{}
		if rapid.Bool().Draw(t, "implication") {
			l.Body = append(l.Body, Literal{Atom: bind("A")}, Literal{Atom: bind("B")})
			for range rapid.IntRange(0, 2).Draw(t, "body") {
				l.Body = append(l.Body, literal("A", "B"))
			}
		} else {
			l.Head = append(l.Head, Literal{Negated: true, Atom: bind("A")}, Literal{Negated: true, Atom: bind("B")})
		}
		for range rapid.IntRange(1, 2).Draw(t, "head") {
			l.Head = append(l.Head, literal("A", "B"))
		}
		r.Logical = l
		return r
	}
	a := &Arithmetic{Rel: Relation(rapid.IntRange(0, 2).Draw(t, "relation"))}
	sum := &Atom{Predicate: "Sum", Args: []Arg{{Kind: Summation, Name: "X"}, {Kind: Variable, Name: "A"}, {Kind: Summation, Name: "Y"}}}
	var coef func(depth int) Expr
	coef = func(depth int) Expr {
		choice := rapid.IntRange(0, 2).Draw(t, "coefficient")
		if depth == 0 {
			choice %= 2
		}
		switch choice {
		case 0:
			return Number(rapid.SampledFrom([]float64{0, 1, -1, 0.3, -1e-7, 1e300}).Draw(t, "number"))
		case 1:
			return Cardinality{Var: rapid.SampledFrom([]string{"X", "Y"}).Draw(t, "cardinality")}
		}
		e, err := binary(BinaryOp(rapid.IntRange(0, 5).Draw(t, "operator")), coef(depth-1), coef(depth-1))
		if err != nil {
			return Number(2)
		}
		return e
	}
	a.Left.Terms = []Term{{coef(2), sum}, {coef(2), bind("A")}, {coef(1), bind("B")}}
	for range rapid.IntRange(0, 2).Draw(t, "right") {
		a.Right.Terms = append(a.Right.Terms, Term{coef(3), atom("A", "B")})
	}
	for _, side := range []*Linear{&a.Left, &a.Right} {
		if k := coef(2); k != Number(0) {
			side.Const = k
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "where") {
		a.Where = append(a.Where, compare("A", "B"))
	}
	var cond func(v string, depth int, not CondOp) *Cond
	cond = func(v string, depth int, not CondOp) *Cond {
		if depth == 0 || rapid.Bool().Draw(t, "leaf") {
			return &Cond{Literal: literal("A", "B", v)}
		}
		c := &Cond{Op: And}
		if not == And {
			c.Op = Or
		}
		for range rapid.IntRange(2, 3).Draw(t, "parts") {
			c.Parts = append(c.Parts, cond(v, depth-1, c.Op))
		}
		return c
	}
	for _, v := range []string{"X", "Y"} {
		if rapid.Bool().Draw(t, "filter") {
			a.Filters = append(a.Filters, Filter{Var: v, Cond: cond(v, 2, rapid.SampledFrom([]CondOp{And, Or}).Draw(t, "not"))})
		}
	}
	r.Arithmetic = a
	return r
}

// TestPrintedTrees prints random syntax trees and parses the text: the tree
// must come back.
func TestPrintedTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Program{}
		for range rapid.IntRange(1, 3).Draw(t, "rules") {
			p.Rules = append(p.Rules, drawRule(t))
		}
		again, err := Parse("random.psl", []byte(p.String()))
		if err != nil {
			t.Fatalf("%s\n%v", p, err)
		}
		require.Equalf(t, bare(p), bare(again), "printed\n%swhich is parsed as\n%s", p, again)
	})
}

// TestWhiteSpace spreads random rules over lines in the allowed places: after
// what cannot end a rule, before what cannot begin one, and with comments.
func TestWhiteSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Program{Rules: []*Rule{drawRule(t), drawRule(t)}}
		lx := &lexer{src: &source{text: p.String()}, line: 1, col: 1}
		var b strings.Builder
		var last token
		for {
			at := lx.off
			tok := lx.next()
			if tok.kind == endOfRule {
				break
			}
			text := strings.TrimSpace(lx.src.text[at:lx.off])
			gap := rapid.SampledFrom([]string{" ", "  ", "\t", " /* x\n */ "}).Draw(t, "gap")
			switch {
			case tok.newline:
				gap = "\n"
			case joins(last.kind) || joins(tok.kind):
				gap = rapid.SampledFrom([]string{" ", "\n", " # x\n", "\r\n // y\n\t"}).Draw(t, "break")
			case strings.Contains(gap, "\n"):
				gap = " " // a comment over two lines is a line break
			}
			if b.Len() > 0 {
				b.WriteString(gap)
			}
			b.WriteString(text)
			last = tok
		}
		spread, err := Parse("random.psl", []byte(b.String()))
		if err != nil {
			t.Fatalf("%s\nspread as\n%s\n%v", p, b.String(), err)
		}
		if spread.String() != p.String() {
			t.Fatalf("%s\nspread as\n%s\nis parsed as\n%s", p, b.String(), spread)
		}
	})
}

// joins reports whether a line break is possible on both sides of a token.
func joins(k kind) bool {
	switch k {
	case and, implies, lessEq, greaterEq, equals, equalEqual, notEqual, percent, comma, star, slash:
		return true
	}
	return false
}
