package problem

import (
	"fmt"
	"slices"
)

// Approach is what a method that combines others begins with on a component.
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
	ByDescent            // block descent on the primal of a quadratic component
	Approaches           // their number
)

var approachNames = [Approaches]string{"cost", "presolve", "warm start", "sweeps and a guess", "ascent", "interior point", "patches", "descent"}

// String returns words for a.
func (a Approach) String() string {
	if a >= Approaches {
		return fmt.Sprintf("no approach: %d", uint8(a))
	}
	return approachNames[a]
}

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

// Choice is what a method that combines others has begun with on a component. Where that did
// not end, another approach has followed.
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
