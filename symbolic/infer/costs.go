package infer

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"hinge/symbolic/infer/internal/activeset"
)

// Approach is what Auto begins with on a component.
type Approach uint8

// The approaches. ByCost stands, as a wish, for the one of the least predicted seconds among
// ByAscent, ByInterior and ByPatches.
const (
	ByCost      Approach = iota
	ByPresolve           // presolve left nothing
	ByFollowing          // the active rows of the last solution
	ByGuess              // a few sweeps, then the active rows are guessed: small components
	ByAscent             // sweeps and Newton steps on the dual
	ByInterior           // interior point method with a factor
	ByPatches            // taken apart into patches
	Approaches           // their number
)

var approachNames = [Approaches]string{"cost", "presolve", "warm start", "sweeps and a guess", "ascent", "interior point", "patches"}

// String returns words for a.
func (a Approach) String() string { return approachNames[a] }

// MarshalText writes the words.
func (a Approach) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads them.
func (a *Approach) UnmarshalText(text []byte) error {
	i := slices.Index(approachNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("infer: no approach %q", text)
	}
	*a = Approach(i)
	return nil
}

// Choice is what Auto has begun with on a component. Where that did not end, another approach
// has followed.
type Choice struct {
	Approach Approach `json:"approach"`
	// Seconds are predicted by the table of Costs, 0 where nothing was compared.
	Seconds float64 `json:"predicted_s"`
	// Features are what they are predicted from; Work is known with the interior point method.
	Features Features `json:"features"`
}

// Features of a component, after presolve, decide what an approach is predicted to take.
type Features struct {
	Size  float64 `json:"size"` // rows and targets
	Shape Shape   `json:"shape"`
	// Fill and Work are the entries of a factor of the interior point method and the
	// multiplications that make it; 0 where they are not known.
	Fill float64 `json:"fill"`
	Work float64 `json:"work"`
}

// Shape is a kind of component.
type Shape uint8

// The shapes. All but Smooth have inequalities or linear potentials, at which the dual has
// kinks; they differ in how many other targets rows tie a target to.
const (
	Smooth  Shape = iota
	Kinked        // many: graphs of similar things
	Lattice       // few: images and bodies in space
	Forest        // so few that rows tie the targets to trees
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
