package bench

import (
	"fmt"
	"math"
	"strings"
)

// magnitude writes a size: 1e5, 2.5e4, 735.
func magnitude(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	e := int(math.Floor(math.Log10(float64(n))))
	m := fmt.Sprintf("%.3g", float64(n)/math.Pow10(e))
	if m == "10" {
		m, e = "1", e+1
	}
	return fmt.Sprintf("%se%d", m, e)
}

// seconds writes a time with three digits.
func seconds(s float64) string {
	switch {
	case s <= 0:
		return ""
	case s >= 100:
		return fmt.Sprintf("%.0f", s)
	case s >= 10:
		return fmt.Sprintf("%.1f", s)
	case s >= 1:
		return fmt.Sprintf("%.2f", s)
	case s >= 0.01:
		return fmt.Sprintf("%.3f", s)
	}
	return fmt.Sprintf("%.2g", s)
}

// small writes a residual.
func small(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= math.MaxFloat64:
		return "∞"
	}
	return fmt.Sprintf("%.1e", v)
}

// count writes a number with commas.
func count(n int) string {
	s := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
