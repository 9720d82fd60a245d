package cli

import "fmt"

// Count is a number of things as text: 1 rule, 2 rules.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Magnitude is a residual as text, to one digit: numbers below 1e-12 are noise of the last bits.
func Magnitude(v float64) string {
	if v < 1e-12 {
		return "0"
	}
	return fmt.Sprintf("%.0e", v)
}
