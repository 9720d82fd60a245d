package facts

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// errNotText refuses bytes that are not UTF-8 text.
var errNotText = errors.New("the value is not UTF-8 text")

// FormatFloat returns the shortest text that reads back as the number, of 32 or 64 bits. It has
// an exponent only below 1e-4, where Python and PostgreSQL begin to write one, and from 1e21 on:
// 12, 1234567.89, 1714979289123456, 1e-05.
func FormatFloat(v float64, bits int) string {
	format, a := byte('f'), math.Abs(v)
	if v == math.Trunc(v) && a < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	if a != 0 && (a < 1e-4 || a >= 1e21) {
		format = 'g'
	}
	return strconv.FormatFloat(v, format, -1, bits)
}

// TrimDecimal cuts the zeros that end a decimal number after its point, and writes one below 1e-4
// as numbers are: 12.00 becomes 12, 0.000050 becomes 5e-05.
func TrimDecimal(text string) string {
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	number, negative := strings.CutPrefix(text, "-")
	after, small := strings.CutPrefix(number, "0.0000")
	if !small {
		return text
	}
	digits := strings.TrimLeft(after, "0")
	text = digits[:1]
	if len(digits) > 1 {
		text += "." + digits[1:]
	}
	if negative {
		text = "-" + text
	}
	return fmt.Sprintf("%se-%02d", text, 5+len(after)-len(digits))
}

// FormatTime returns the text of a time by RFC 3339 in UTC, whatever its zone, or of a date.
func FormatTime(v time.Time, date bool) string {
	if date {
		return v.Format(time.DateOnly)
	}
	return v.UTC().Format(time.RFC3339Nano)
}

// FormatBytes returns bytes as text. Bytes that are not UTF-8, or that hold control characters
// besides tabs and line ends, are an error.
func FormatBytes(b []byte) (string, error) {
	control := func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }
	switch {
	case !utf8.Valid(b):
		return "", errNotText
	case bytes.ContainsFunc(b, control):
		return "", errors.New("the value is binary, not text: convert it to text first")
	}
	return string(b), nil
}
