package model

import (
	"hinge/symbolic/facts"
	"math"
	"slices"
	"strconv"
	"strings"
)

func isTrue(s string) bool { return strings.EqualFold(s, "true") }

// truth reads true or false. The reference takes any other word for false.
func (l *loader) truth(to *bool) func(*option) {
	return func(e *option) {
		if !isTrue(e.value) && !strings.EqualFold(e.value, "false") {
			l.warn(e.node, "write true or false", "the option %s is %s, which counts as false", e.name, facts.Show(e.value))
		}
		*to = isTrue(e.value)
	}
}

// parseNumber reads a number as the reference does, which allows a letter for
// its precision at the end: 1.0e-1f.
func parseNumber(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if n := len(text); n > 1 && strings.IndexByte("fFdD", text[n-1]) >= 0 && strings.IndexByte(".0123456789", text[n-2]) >= 0 && !strings.HasPrefix(text, "0x") {
		text = text[:n-1]
	}
	return strconv.ParseFloat(text, 64)
}

// readAs reads a value by a function that says whether the text is one.
func readAs[T any](l *loader, to *T, want string, parse func(text string) (v T, ok bool)) func(*option) {
	return func(e *option) {
		v, ok := parse(e.value)
		if !ok {
			panic(l.errorf(e.node, "the option %s is %s, want %s", e.name, facts.Show(e.value), want))
		}
		*to = v
	}
}

// number reads a number that a test accepts.
func (l *loader) number(to *float64, want string, ok func(float64) bool) func(*option) {
	return readAs(l, to, want, func(text string) (float64, bool) {
		v, err := parseNumber(text)
		return v, err == nil && ok(v)
	})
}

// positive reads a finite number > 0.
func (l *loader) positive(to *float64) func(*option) {
	return l.number(to, "a number > 0", func(v float64) bool { return v > 0 && !math.IsInf(v, 0) })
}

// nonNegative reads a finite number ≥ 0.
func (l *loader) nonNegative(to *float64) func(*option) {
	return l.number(to, "a number ≥ 0", func(v float64) bool { return v >= 0 && !math.IsInf(v, 0) })
}

// count reads an integer > 0.
func (l *loader) count(to *int) func(*option) {
	return readAs(l, to, "an integer > 0", func(text string) (int, bool) {
		v, err := strconv.ParseInt(text, 10, 32)
		return int(v), err == nil && v > 0
	})
}

// seed reads an integer.
func (l *loader) seed(to *uint64) func(*option) {
	return readAs(l, to, "an integer", func(text string) (uint64, bool) {
		v, err := strconv.ParseInt(text, 10, 64)
		return uint64(v), err == nil
	})
}

// word reads one of some words, in any case, and gives it in capitals.
func (l *loader) word(to *string, words ...string) func(*option) {
	return func(e *option) {
		*to = strings.ToUpper(e.value)
		if !slices.Contains(words, *to) {
			panic(l.hint(e.node, suggest(*to, words), "the option %s is %s", e.name, facts.Show(e.value)))
		}
	}
}
