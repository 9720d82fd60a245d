package infer

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
)

// fussy is a method with a parameter of its own.
type fussy struct {
	Auto
	bad bool
}

var errFussy = errors.New("infer: Fussy.Bad is set")

func (f fussy) Validate() error {
	if f.bad {
		return errFussy
	}
	return nil
}

func (fussy) Capabilities() Capabilities { return Capabilities{MaxIterations: 77, CheckEvery: 5} }

// Every refusal names the setting and its value.
func TestSettingsRefusals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	set := func(name string, v float64) Settings {
		switch name {
		case "GapTolerance":
			return Settings{GapTolerance: v}
		case "GapAbsolute":
			return Settings{GapAbsolute: v}
		case "FeasibilityTolerance":
			return Settings{FeasibilityTolerance: v}
		}
		return Settings{StationarityTolerance: v}
	}
	for _, name := range []string{"GapTolerance", "GapAbsolute", "FeasibilityTolerance", "StationarityTolerance"} {
		for value, text := range map[float64]string{-1e-9: "-1e-09", nan: "NaN", inf: "+Inf", -inf: "-Inf"} {
			_, err := set(name, value).resolve()
			if err == nil || !strings.Contains(err.Error(), "infer: "+name+" "+text+" is not") {
				t.Errorf("%s = %v: %v", name, value, err)
			}
		}
		if _, err := set(name, 0.5).resolve(); err != nil {
			t.Errorf("%s = 0.5: %v", name, err)
		}
	}
	for name, s := range map[string]Settings{
		"MaxIterations": {MaxIterations: -1}, "CheckEvery": {CheckEvery: -1},
		"Workers": {Workers: -1}, "MaxTime": {MaxTime: -time.Second},
	} {
		if _, err := s.resolve(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (Settings{Method: fussy{bad: true}}).resolve(); err != errFussy {
		t.Errorf("the method's own refusal became %v", err)
	}
	// A refusal leaves the result alone.
	in := infertest.New(1).Square(1, -0.5, 1).Instance(t, 0.1)
	res := &Result{Status: TimeLimit}
	if err := Solve(in, nil, Settings{Workers: -1}, res); err == nil || res.Status != TimeLimit {
		t.Errorf("%v after %v", res.Status, err)
	}
}

// Zero means the documented defaults; what is set stays.
func TestSettingsDefaults(t *testing.T) {
	s, err := Settings{}.resolve()
	require.NoError(t, err)
	if s.Method != DefaultMethod() || s.GapTolerance != 1e-8 || s.GapAbsolute != 0 || s.FeasibilityTolerance != 1e-9 ||
		s.StationarityTolerance != 1e-7 || s.MaxIterations != 20000 || s.CheckEvery != 8 || s.Workers != 0 || s.MaxTime != 0 {
		t.Errorf("%+v", s)
	}
	if s, _ = (Settings{Method: fussy{}}).resolve(); s.MaxIterations != 77 || s.CheckEvery != 5 {
		t.Errorf("%d iterations and %d between checks, the method has 77 and 5", s.MaxIterations, s.CheckEvery)
	}
	want := Settings{Method: InteriorPoint{}, GapTolerance: 1e-3, GapAbsolute: 1e-2, FeasibilityTolerance: 1e-4,
		StationarityTolerance: 1e-5, MaxIterations: 9, CheckEvery: 2, Workers: 3, MaxTime: time.Hour, NoPresolve: true}
	if s, err = want.resolve(); err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("%+v became %+v, %v", want, s, err)
	}
}
