package optim

import "math"

// A schedule gives a value, such as the step size, for each step t = 0, 1, …; the unit of t (step
// or epoch) is the caller's.

// StepDecay is Base·Gamma^⌊(t − Start)/Every⌋, and Base before Start.
type StepDecay struct {
	Base, Gamma float64
	// Every is the number of steps between two decays; 0 means never.
	Every int
	// Start is the step from which steps are counted.
	Start int
}

// At returns the value at step t.
func (s StepDecay) At(t int) float64 {
	if s.Every <= 0 || t < s.Start {
		return s.Base
	}
	return s.Base * math.Pow(s.Gamma, float64((t-s.Start)/s.Every))
}

// Cosine rises linearly from Base/Warmup at t = 0 to Base at t = Warmup − 1 and
// then follows half a cosine from Base to Final, which it reaches at t = Total
// and keeps. Where Final is Base, it is constant after the warm-up.
type Cosine struct {
	Base, Final   float64
	Warmup, Total int
}

// At returns the value at step t.
func (c Cosine) At(t int) float64 {
	if t < c.Warmup {
		return c.Base * float64(t+1) / float64(c.Warmup)
	}
	if t >= c.Total {
		return c.Final
	}
	done := float64(t-c.Warmup) / float64(c.Total-c.Warmup)
	return c.Final + (c.Base-c.Final)*(1+math.Cos(math.Pi*done))/2
}

// ExpDecay is max(Min, Base·e^(−Rate·t)). With Base 1, Min 0.5 and t in epochs
// it is the temperature of the Gumbel softmax in the reference experiments.
type ExpDecay struct {
	Base, Min, Rate float64
}

// At returns the value at step t.
func (e ExpDecay) At(t int) float64 {
	return math.Max(e.Min, e.Base*math.Exp(-e.Rate*float64(t)))
}
