package infer

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

func TestFeatures(t *testing.T) {
	for _, c := range []struct {
		name string
		in   *lcqp.Instance
		want Shape
	}{{"grid", infertest.Family(t, "grid", 10000), Lattice}, {"cube", infertest.Family(t, "cube", 10000), Lattice}, {"knn-labels", infertest.Family(t, "knn-labels", 30000), Kinked}, {"chain", infertest.Family(t, "chain", 10000), Forest}, {"links", linked(t, 600, path(600), 1, 1e-3), Smooth}} {
		p := presolved(t, c.in)
		if f := features(p); f.Shape != c.want || f.Size != float64(p.Rows+p.Targets) || f.Work != 0 {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// The table in use prefers each approach somewhere: patches for long chains, the interior point
// method for grids, ascent for citation graphs.
func TestCosts(t *testing.T) {
	size := 1e5
	cheapest := func(f Features) (best Approach) {
		for _, a := range []Approach{ByAscent, ByInterior, ByPatches} {
			if best == ByCost || costs.Seconds(a, f) < costs.Seconds(best, f) {
				best = a
			}
		}
		return best
	}
	for _, c := range []struct {
		f    Features
		want Approach
	}{
		{Features{Size: size, Shape: Forest, Fill: .2 * size, Work: .2 * size}, ByPatches},
		{Features{Size: size, Shape: Kinked, Fill: 3 * size, Work: 250 * size}, ByInterior},
		{Features{Size: size, Shape: Lattice, Fill: 30 * size, Work: 1e5 * size}, ByInterior},
		{Features{Size: size, Shape: Kinked, Fill: 30 * size, Work: 1e5 * size}, ByPatches},
		{Features{Size: size, Shape: Smooth, Fill: 10 * size, Work: 3000 * size}, ByAscent},
	} {
		if got := cheapest(c.f); got != c.want {
			t.Errorf("%+v: %v, want %v", c.f, got, c.want)
		}
	}
	if s := costs.Seconds(ByFollowing, Features{Size: size}); s != 0 {
		t.Errorf("a warm start is predicted to take %v s", s)
	}
}

// What is begun with is what was chosen or asked for, and the answer is the same.
func TestAutoSaysWhatItBegins(t *testing.T) {
	s := Settings{GapAbsolute: 1e-7, FeasibilityTolerance: 1e-7, StationarityTolerance: 1e-7}
	grid := infertest.Family(t, "grid", 60000)
	for _, c := range []struct {
		name  string
		in    *lcqp.Instance
		begin Approach
		want  Approach
	}{
		{"grid", grid, ByCost, ByInterior}, {"grid", grid, ByPatches, ByPatches}, {"grid", grid, ByAscent, ByAscent},
		{"chain", infertest.Family(t, "chain", 60000), ByCost, ByPatches},
		{"small grid", infertest.Family(t, "grid", 1000), ByCost, ByInterior},
		{"small", infertest.Additions(t, lcqptest.Add2, 1, 3, false)[0], ByPatches, ByGuess},
	} {
		s.Method = Auto{}
		a := solve(t, c.in, nil, s)
		s.Method = Auto{Begin: c.begin}
		b := solve(t, c.in, nil, s)
		got := b.Components[0].Choice
		if got.Approach != c.want || (got.Seconds > 0) == (c.want == ByGuess || math.IsInf(costs.Seconds(c.want, got.Features), 1)) {
			t.Errorf("%s, %v asked for: %+v", c.name, c.begin, got)
		}
		if !infertest.Near(a.PrimalValue, b.PrimalValue, 1e-6) {
			t.Errorf("%s, %v: value %v, else %v", c.name, c.begin, b.PrimalValue, a.PrimalValue)
		}
		var warm Warm
		b.SaveWarm(&warm)
		if got := solve(t, c.in, &warm, s).Components[0].Choice; got != (Choice{Approach: ByFollowing}) {
			t.Errorf("%s, %v, warm: %+v", c.name, c.begin, got)
		}
	}
	for a := range Approaches {
		can := a == ByCost || a == ByAscent || a == ByInterior || a == ByPatches
		if err := (Auto{Begin: a}).Validate(); (err == nil) != can {
			t.Errorf("%v: %v", a, err)
		}
	}
	require.Error(t, Solve(grid, nil, Settings{Method: Auto{Begin: ByGuess}}, new(Result)))
}

// A warm start is followed where patches were the choice from zero, too: the factor that this takes
// is not one of a whole solve.
func TestAutoFollowsPatches(t *testing.T) {
	s := Settings{GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
	in, m := infertest.FamilyModel(t, "chain", 60000)
	cold := solve(t, in, nil, s)
	require.Equal(t, ByPatches, cold.Components[0].Choice.Approach)
	var warm Warm
	cold.SaveWarm(&warm)
	require.NoError(t, in.SetDeep(m.Moved(rand.New(rand.NewPCG(1, 1)), 0.003)))
	b := solve(t, in, &warm, s)
	mustBeSolved(t, in, b)
	require.Equal(t, ByFollowing, b.Components[0].Choice.Approach)
}

func TestApproachText(t *testing.T) {
	for a := range Approaches {
		text, err := json.Marshal(a)
		require.NoError(t, err)
		var b Approach
		require.NoError(t, json.Unmarshal(text, &b))
		require.Equal(t, a, b)
	}
	require.Error(t, new(Approach).UnmarshalText([]byte("luck")))
}
