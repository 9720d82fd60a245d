package ground

import (
	"fmt"
	"strconv"
	"strings"

	"hinge/symbolic/psl"
)

// Type is the type of an argument. It decides which texts are the same constant and how A % B
// orders them.
type Type uint8

const (
	// Untyped constants are their texts; A % B compares two of them as numbers
	// where both are integers. It is the default.
	Untyped Type = iota
	// Text constants are their texts and are ordered by their bytes.
	Text
	// Integer constants are integers of 64 bits: 01 is 1.
	Integer
	// Real constants are numbers: 1 and 1e0 are 1.0.
	Real
)

// SetTypes sets the types of a predicate's arguments. It must be called before
// atoms are added.
func (db *Database) SetTypes(pred string, types ...Type) error {
	p := db.lookup(pred)
	if p == nil {
		return fmt.Errorf("predicate %s is not declared", pred)
	}
	if len(types) != p.arity {
		return fmt.Errorf("predicate %s has %d arguments, got %d types", p.name, p.arity, len(types))
	}
	if p.rows+p.truth.rows > 0 {
		return fmt.Errorf("predicate %s has atoms already: its types must be set before", p.name)
	}
	p.types = append([]Type(nil), types...)
	return nil
}

// typeOf returns the type of an argument.
func (p *predicate) typeOf(column int) Type {
	if p.types == nil {
		return Untyped
	}
	return p.types[column]
}

// canonical returns the canonical text of a constant of the type; false if text is no such
// constant.
func (t Type) canonical(text string) (string, bool) {
	switch t {
	case Integer:
		if plainInteger(text) {
			return text, true
		}
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return strconv.FormatInt(v, 10), true
		}
		return text, false
	case Real:
		v, err := psl.Float(text, 64)
		if err != nil {
			return text, false
		}
		s := strconv.FormatFloat(v+0, 'g', -1, 64) // + 0 turns -0 into 0
		if strings.Trim(s, "-0123456789") == "" {
			s += ".0"
		}
		return s, true
	}
	return text, true
}

// plainInteger reports whether a text is an integer in its shortest form, without
// parsing it: most are.
func plainInteger(s string) bool {
	if s == "" || len(s) > 18 || s[0] == '0' && len(s) > 1 {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

// problem describes why a text is no constant of the type.
func (t Type) problem(text string) string {
	kind := "an integer"
	if t == Real {
		kind = "a number"
	}
	const most = 60
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q is not %s, as the type of the argument demands", text, kind)
}

// order is the way A % B compares.
type order uint8

const (
	byEither order = iota // as numbers where both are integers, else as texts
	byText
	byNumber
)

// orderOf returns the order of two arguments. Texts and numbers together are
// compared as texts.
func orderOf(a, b Type) order {
	switch {
	case (a == Integer || a == Real) && (b == Integer || b == Real):
		return byNumber
	case a == Untyped && b == Untyped:
		return byEither
	}
	return byText
}

// before reports whether a constant comes before another.
func (o order) before(a, b string) bool {
	if o != byText {
		x, errX := strconv.ParseInt(a, 10, 64)
		y, errY := strconv.ParseInt(b, 10, 64)
		if errX == nil && errY == nil {
			return x < y
		}
	}
	if o == byNumber {
		x, errX := psl.Float(a, 64)
		y, errY := psl.Float(b, 64)
		if errX == nil && errY == nil {
			return x < y
		}
	}
	return a < b
}
