package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// Magnitude is a residual as text: to three digits from 1e-3 on, below to one, and numbers below 1e-12 are noise of the last bits.
func Magnitude(v float64) string {
	switch {
	case v < 1e-12:
		return "0"
	case v < 1e-3:
		return fmt.Sprintf("%.0e", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// Seconds is a duration as text, to two digits and without a power of ten: 150 s, 0.0021 s.
func Seconds(s float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(s, 'e', 1, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64) + " s"
}

// OneField writes what ends a field or a line, which constants may hold, as rules have it in quotes.
var OneField = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`)
