package infer

import (
	"math"

	"hinge/symbolic/infer/internal/ipm"
	"hinge/symbolic/infer/internal/kkt"
	"hinge/symbolic/infer/internal/sparse"
)

// Way is how Auto solves a component.
type Way uint8

// The ways, from zero but for the last.
const (
	// Cheapest is the way of the least predicted seconds.
	Cheapest Way = iota
	// Guess makes a few sweeps of block ascent and then moves to the point with the active rows
	// that they have found, by the active set methods.
	Guess
	// Interior is the interior point method.
	Interior
	// Ascent is sweeps, and Newton steps on the dual by conjugate gradients. They stall where
	// the dual has kinks, and so components with inequalities or linear potentials are not
	// given to it, nor small ones, of which Guess is sure.
	Ascent
	// Subdomains takes a component of near neighbours apart.
	Subdomains
	// Follow goes from the active rows of a warm start to those of the optimum. It is tried
	// before the others, unless Ascent is predicted to take less.
	Follow
)

var wayNames = [...]string{"", "guess", "interior", "ascent", "subdomains", "follow"}

// String returns the name, "" for Cheapest.
func (w Way) String() string { return wayNames[w] }

// Ways returns the ways that Auto chooses from.
func Ways() []Way { return []Way{Guess, Interior, Ascent, Subdomains, Follow} }

// Choice is the way that a component was begun by, with what was predicted of it. It follows
// from the pattern of the component and from the committed table of costs, so it is the same
// on any machine and with any number of threads.
type Choice struct {
	Way      Way
	Fallback bool    // another way followed: Interior, or Ascent where no factor fits
	Seconds  float64 // predicted, of one thread on the machine of the table
	Size     Size
}

// Size is what the prediction knows of a component after presolve.
type Size struct {
	// Targets, Rows and Kinked count targets, rows, and the rows at which the dual has kinks:
	// inequalities and linear potentials.
	Targets, Rows, Kinked int
	// Fill is the number of entries of the factor of the interior point method, Work that of
	// its multiplications.
	Fill, Work float64
}

// Units returns the amounts that the seconds of a way are a sum of: 1, rows, kinked rows and
// fill; then rows, fill and work of as many steps as the interior point method takes, which
// is about the logarithm of the number of rows.
func (s Size) Units() [7]float64 {
	rows := float64(s.Rows)
	steps := math.Log2(rows + 2)
	return [...]float64{1, rows, float64(s.Kinked), s.Fill, steps * rows, steps * s.Fill, steps * s.Work}
}

// Seconds returns the predicted seconds of a way, +Inf where it is not for such components.
func (s Size) Seconds(w Way) (sum float64) {
	guessed := s.Targets <= guessTargets && s.Work <= guessWork*float64(s.Targets)
	switch {
	case w == Guess && !guessed, w == Ascent && (guessed || s.Kinked > 0),
		w == Interior && !(sparse.Limits{Fill: s.Fill, Work: s.Work}).Within(ipm.Largest):
		return math.Inf(1)
	}
	for i, u := range s.Units() {
		sum += costs[w][i] * u
	}
	return sum
}

// plan makes x.choice that of the component, with the way x.only if there is one.
func (x *auto) plan(p *Problem) {
	x.choice.Fallback = false
	if x.of == p.Layout {
		return
	}
	l, most := kkt.Of(p.Layout), ipm.Largest
	s := Size{Targets: l.N, Rows: l.Rows, Kinked: l.Kinked}
	if u, c := s.Units(), costs[Interior]; s.Kinked == 0 && x.only == Cheapest {
		// With more work than this Ascent takes less, and the best order does not matter.
		most.Work = min(most.Work, 1+max(s.Seconds(Ascent)-s.Seconds(Interior), 0)/c[6]/(u[4]/u[1]))
	}
	need := x.interior.Matrix().Need(p, most)
	s.Fill, s.Work = need.Fill, need.Work
	x.of, x.choice = p.Layout, Choice{Way: x.only, Seconds: s.Seconds(x.only), Size: s}
	for _, w := range Ways() {
		if t := s.Seconds(w); x.only == Cheapest && w != Follow && (x.choice.Way == Cheapest || t < x.choice.Seconds) {
			x.choice.Way, x.choice.Seconds = w, t
		}
	}
}
