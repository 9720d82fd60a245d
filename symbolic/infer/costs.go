package infer

import (
	_ "embed"
	"encoding/json"
	"math"

	"hinge/symbolic/infer/internal/activeset"
	"hinge/symbolic/infer/internal/problem"
)

type (
	// Approach is what a method begins with on a component, Choice that with what it was
	// predicted to take.
	Approach = problem.Approach
	Choice   = problem.Choice
	// Features are what decides, among them the Shape of a component.
	Features = problem.Features
	Shape    = problem.Shape
)

// The approaches. ByCost stands, as a wish, for the one of the least predicted seconds among
// ByAscent, ByInterior and ByPatches.
const (
	ByCost      = problem.ByCost
	ByPresolve  = problem.ByPresolve
	ByFollowing = problem.ByFollowing
	ByGuess     = problem.ByGuess
	ByAscent    = problem.ByAscent
	ByInterior  = problem.ByInterior
	ByPatches   = problem.ByPatches
	ByDescent   = problem.ByDescent
	Approaches  = problem.Approaches
)

// The shapes.
const (
	Smooth  = problem.Smooth
	Kinked  = problem.Kinked
	Lattice = problem.Lattice
	Forest  = problem.Forest
)

// latticePairs bounds the pairs of targets that rows tie in a lattice, for each target. An
// image has two, a body in space three.
const latticePairs = 3.5

// Rates are the seconds for each row and target, by Shape.
type Rates [Forest + 1]float64

// Costs is the table that predicts the seconds of a solve from zero to a gap of 1e-6 on one
// thread. The one in use is costs.json; `go run ./lab/cmd/bench -calibrate` measures and
// writes it. Its ratios matter, not its units, and so it need not be of the machine in use.
type Costs struct {
	Machine string `json:"machine"`
	Date    string `json:"date"`
	// Entry and Multiplication are of a factor, in all steps of a solve.
	Entry          float64 `json:"entry"`
	Multiplication float64 `json:"multiplication"`
	Interior       Rates   `json:"interior"`
	Ascent         Rates   `json:"ascent"`
	Patches        Rates   `json:"patches"`
}

// Seconds predicts those of an approach, 0 for approaches without a prediction. They are
// infinite where the approach stalls, so that another one has to follow: ascent at kinks, and
// patches on lattices, over which what changes somewhere reaches far.
func (c *Costs) Seconds(a Approach, f Features) float64 {
	if a == ByAscent && f.Shape != Smooth || a == ByPatches && f.Shape == Lattice {
		return math.Inf(1)
	}
	rates := [Approaches]Rates{ByAscent: c.Ascent, ByInterior: c.Interior, ByPatches: c.Patches}[a]
	seconds := rates[f.Shape] * f.Size
	if a == ByInterior {
		seconds += c.Entry*f.Fill + c.Multiplication*f.Work
	}
	return seconds
}

//go:embed costs.json
var costsFile []byte

// costs is the table in use.
var costs = func() (c Costs) {
	if err := json.Unmarshal(costsFile, &c); err != nil {
		panic(err) // of a file that is part of the program, and of a test
	}
	return c
}()

// features returns those known of p without a factor.
func features(p *Problem) Features {
	f := Features{Size: float64(p.Rows + p.Targets)}
	if !activeset.Kinked(p) {
		return f
	}
	pairs := 0
	for k := range p.Forms.Len() {
		n := int(p.Forms.Ptr[k+1] - p.Forms.Ptr[k])
		pairs += n * (n - 1) / 2
	}
	switch each := float64(pairs) / float64(p.Targets); {
	case each < 1:
		f.Shape = Forest
	case each < latticePairs:
		f.Shape = Lattice
	default:
		f.Shape = Kinked
	}
	return f
}
