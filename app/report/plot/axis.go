package plot

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// axis maps values to [0, 1] and has the ticks of a scale.
type axis struct {
	least, most float64
	log         bool
	ticks       []tick
	// common is what the labels leave out, such as "×10⁻¹⁵"; empty where nothing.
	common string
}

// tick is a mark of an axis; a minor one has no label.
type tick struct {
	value float64
	label string
}

const (
	// decades is how far values, all positive, spread where their axis is logarithmic.
	decades = 2.5
	// level is by how much, relative to the largest, values differ that count as equal: a
	// few hundred roundings.
	level = 1e-13
	// tiny and huge are where arithmetic on values ends: nearer ones are level, larger ones
	// count as infinite.
	tiny, huge = 1e-300, 1e300
	// labels is about how many of them an axis has.
	labels = 5
)

// newAxis spans the values from least to most, which are finite.
func newAxis(least, most float64, log bool) *axis {
	a := &axis{least: least, most: most, log: log}
	if log {
		a.logTicks()
		return a
	}
	if size := max(-least, most); most-least <= max(level*size, tiny) {
		room := cmp.Or(size/10, .5)
		a.least, a.most = least-room, most+room
	}
	a.linearTicks()
	return a
}

// place is where a value lies between the ends of the axis, 0 to 1.
func (a *axis) place(v float64) float64 {
	if a.log {
		return math.Log(v/a.least) / math.Log(a.most/a.least)
	}
	return (v - a.least) / (a.most - a.least)
}

// linearTicks are multiples of a step of 1, 2 or 5 times a power of ten, each with a label.
func (a *axis) linearTicks() {
	power := int(math.Floor(math.Log10((a.most - a.least) / labels)))
	rough := (a.most - a.least) / labels / math.Pow10(power)
	factor := 10
	for _, f := range []int{1, 2, 5} {
		if rough <= float64(f) {
			factor = f
			break
		}
	}
	if factor == 10 {
		factor, power = 1, power+1
	}
	// Counted in whole steps: sums of a step drift. Where all steps are far from zero, they are
	// counted from the first, which is then said once.
	step := float64(factor) * math.Pow10(power)
	first, last := math.Ceil(a.least/step-1e-9), math.Floor(a.most/step+1e-9)
	base := 0.0
	if max(-first, last) >= 1e6 {
		base = first
		value := strconv.FormatFloat(math.Abs(base*step), 'g', significant(base*step, power), 64)
		if a.common = " + " + value; base < 0 {
			a.common = " − " + value
		}
	}
	unit, digits := scale(max(-(first-base), last-base)*step, power)
	for k := first; k <= last; k++ {
		// Rounded by its text, so that a tick is the number it says.
		text := strconv.FormatFloat((k-base)*float64(factor)*math.Pow10(power-unit), 'f', digits, 64)
		a.ticks = append(a.ticks, tick{k * step, sign(text)})
	}
	if unit != 0 {
		a.common = "×10" + superscript(unit) + a.common
	}
}

// scale is the power of ten that labels up to a size leave out, 0 where they are short without, and
// how many digits they then have behind the point. The step between them has the given power.
func scale(size float64, power int) (unit, digits int) {
	if size < 1e5 && size >= 1e-3 && power >= -5 {
		return 0, max(0, -power)
	}
	unit = int(math.Floor(math.Log10(size) + 1e-9))
	return unit, max(0, unit-power)
}

// significant is how many digits a value has down to a power of ten.
func significant(v float64, power int) int {
	return max(1, int(math.Floor(math.Log10(math.Abs(v))))-power+1)
}

// logTicks has a tick at every power of ten and, if these are few, minor ones between.
func (a *axis) logTicks() {
	first, last := int(math.Ceil(math.Log10(a.least)-1e-9)), int(math.Floor(math.Log10(a.most)+1e-9))
	every := (last-first)/7 + 1
	for k := first - 1; k <= last; k++ {
		if k >= first {
			t := tick{value: math.Pow10(k)}
			if (k-first)%every == 0 {
				t.label = power(k)
			}
			a.ticks = append(a.ticks, t)
		}
		for f := 2; last-first <= 4 && f <= 9; f++ {
			if v := float64(f) * math.Pow10(k); v >= a.least && v <= a.most {
				a.ticks = append(a.ticks, tick{value: v})
			}
		}
	}
}

// power writes a power of ten.
func power(k int) string {
	if k < -3 || k > 4 {
		return "10" + superscript(k)
	}
	return strconv.FormatFloat(math.Pow10(k), 'f', max(0, -k), 64)
}

// sign writes minus as a minus sign, and zero without one.
func sign(text string) string {
	if digits, negative := strings.CutPrefix(text, "-"); negative {
		if strings.Trim(digits, "0.") == "" {
			return digits
		}
		return "−" + digits
	}
	return text
}

// superscript writes an exponent.
func superscript(k int) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(k))
}
