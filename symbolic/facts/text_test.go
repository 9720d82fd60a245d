package facts_test

import (
	"math"
	"testing"
	"time"

	"hinge/symbolic/facts"
)

// TestFormatFloat has the texts that Python and PostgreSQL write, but for those of large numbers,
// which are the texts of JSON.stringify (ECMA-262).
func TestFormatFloat(t *testing.T) {
	for want, v := range map[string]float64{
		"0": math.Copysign(0, -1), "12": 12, "1234567.89": 1234567.89, "-0.1": -0.1, "0.0001": 1e-4, "1e-05": 1e-5,
		"1000000000000000": 1e15, "1714979289123456": 1714979289123456, "9007199254740993000": 9007199254740993000, "100000000000000000000": 1e20, "1e+21": 1e21,
	} {
		if got := facts.FormatFloat(v, 64); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
	for want, v := range map[string]float32{"0.1": 0.1, "123456792": 123456792, "1234567.9": 1234567.875} {
		if got := facts.FormatFloat(float64(v), 32); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}

func TestTrimDecimal(t *testing.T) {
	for text, want := range map[string]string{"12.00": "12", "-0.50": "-0.5", "0.00": "0", "100": "100", "1.05": "1.05", "0.00010": "0.0001", "0.00005": "5e-05", "-0.0000120": "-1.2e-05", "0.000000000000": "0", "NaN": "NaN"} {
		if got := facts.TrimDecimal(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

// TestFormatTime: an instant has one text, whatever zone it is written in.
func TestFormatTime(t *testing.T) {
	v := time.Date(2024, 5, 6, 9, 8, 9, 500e6, time.FixedZone("", 2*3600))
	if got := facts.FormatTime(v, false); got != "2024-05-06T07:08:09.5Z" {
		t.Errorf("got %s", got)
	}
}

func TestFormatBytes(t *testing.T) {
	for text, ok := range map[string]bool{"ä\tb\n": true, "\x00\x01": false, "\xff": false} {
		if got, err := facts.FormatBytes([]byte(text)); (err == nil) != ok || ok && got != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
