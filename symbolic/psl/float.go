package psl

import (
	"strconv"
	"strings"
)

// Float reads a number of 32 or 64 bits from data as strconv.ParseFloat does, but for underscores between digits,
// which that takes: the ages 18_25 are a text.
func Float(text string, bits int) (float64, error) {
	if strings.Contains(text, "_") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, bits)
}
