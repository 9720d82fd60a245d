package bench

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hinge/symbolic/infer"
)

// Costs that made the seconds of samples are found again, and so are the bounds of the
// guesses that succeeded.
func TestCalibrationFits(t *testing.T) {
	want := []float64{1e-5, 0, 2e-7, 0, 0, 3e-8, 1e-10}
	rng := rand.New(rand.NewPCG(1, 2))
	var all []sample
	for range 60 {
		s := infer.Size{Targets: 1 + rng.IntN(1000), Rows: 1 + rng.IntN(5000), Kinked: rng.IntN(3000), Fill: 2e4 * rng.Float64(), Work: 5e4 * rng.Float64()}
		u := s.Units()
		all = append(all, sample{units: u[:], seconds: dot(u[:], want), largest: s, ended: perTarget(s) <= 40})
	}
	c, off := fit(all)
	if off > 0.01 {
		t.Errorf("off by %v in the median with %v", off, c)
	}
	if got := bound(all, perTarget); !(got <= 40) || math.IsNaN(got) {
		t.Errorf("guesses succeed up to %v, want 40 at most", got)
	}
	for _, s := range all {
		if got := bound(all, perTarget); s.ended != (perTarget(s.largest) <= got) {
			t.Errorf("%v divides wrongly at %v", got, perTarget(s.largest))
		}
	}
	text, err := table(map[infer.Way][]sample{infer.Guess: all, infer.Interior: all, infer.Ascent: all, infer.Subdomains: all, infer.Follow: all})
	if err != nil || !strings.Contains(string(text), "Subdomains: {1e-05, ") {
		t.Errorf("%v: %s", err, text)
	}
}
