package setting

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Range holds the values that a setting may have. The zero value holds all.
type Range struct {
	// Choices are the texts that the setting may have; nil if it is no choice.
	Choices []string
	// Text is the interval as it is declared, or "" if there is none.
	Text              string
	low, high         float64
	openLow, openHigh bool
}

func parseRange(text string) (Range, error) {
	if text == "" {
		return Range{}, nil
	}
	if !strings.ContainsAny(text[:1], "[(") {
		var r Range
		for c := range strings.SplitSeq(text, "|") {
			r.Choices = append(r.Choices, strings.TrimSpace(c))
		}
		return r, nil
	}
	low, high, ok := strings.Cut(text[1:len(text)-1], ",")
	r := Range{Text: text, openLow: text[0] == '(', openHigh: text[len(text)-1] == ')'}
	var err, other error
	r.low, err = strconv.ParseFloat(strings.TrimSpace(low), 64)
	r.high, other = strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || err != nil || other != nil || !(r.low < r.high) || !r.openHigh && text[len(text)-1] != ']' {
		return r, fmt.Errorf("%q is no interval", text)
	}
	return r, nil
}

// number is the value of a field, and whether it is a number.
func number(v reflect.Value) (float64, bool) {
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// holds reports whether a value is in the range.
func (r *Range) holds(v reflect.Value) bool {
	if r.Choices != nil {
		return slices.Contains(r.Choices, v.String())
	}
	if v.CanUint() && v.Uint() > math.MaxInt64 {
		return false // TOML has no larger integers
	}
	x, ok := number(v)
	if r.Text == "" {
		return !math.IsNaN(x)
	}
	return ok && (x > r.low || x == r.low && !r.openLow) && (x < r.high || x == r.high && !r.openHigh)
}

// String describes the range in words.
func (r *Range) String() string {
	switch {
	case r.Choices != nil:
		return strings.Join(r.Choices, ", ")
	case r.Text == "":
		return ""
	case math.IsInf(r.low, -1) && math.IsInf(r.high, 1):
		return "a number"
	case math.IsInf(r.high, 1) && r.openLow:
		return fmt.Sprintf("above %v", r.low)
	case math.IsInf(r.high, 1):
		return fmt.Sprintf("%v or more", r.low)
	}
	return "in " + r.Text
}

// problem describes why a value is not in the range, or returns "". zero is the meaning of the
// zero value.
func (r *Range) problem(v reflect.Value, zero string) string {
	if r.Choices != nil {
		return fmt.Sprintf("%q is none of %s", v.String(), r)
	}
	if x, _ := number(v); math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprintf("%v is not a finite number", x)
	}
	text := fmt.Sprintf("%v is not %s", v.Interface(), r)
	if zero != "" && !r.holds(reflect.Zero(v.Type())) {
		text += ", nor 0, which means " + zero
	}
	return text
}
