package setting_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/optim/setting"
)

type part struct {
	Rate  float64 `toml:"rate" range:"(0, 1]" doc:"a rate"`
	Sizes []int   `toml:"sizes,omitempty" range:"[3, 9]" doc:"sizes" for:"b"`
}

type whole struct {
	Kind string  `toml:"kind" range:"red | blue" zero:"red" doc:"a kind" flag:"kind,colour"`
	Any  float64 `toml:"any" doc:"a number"`
	part
	Section part `toml:"section" for:"a b"`
	Own     any  `toml:"own"`
	Hidden  int
}

// TestOf: settings are found with their declarations, in sections, in embedded structs and
// behind an interface, and a section's condition holds for what is in it.
func TestOf(t *testing.T) {
	w := whole{Own: &part{Rate: 0.5}}
	var keys []string
	for _, s := range setting.Of(&w, "toml") {
		keys = append(keys, s.Key)
		switch s.Key {
		case "kind":
			if s.Flag != "kind" || s.ValueName != "colour" || s.Doc != "a kind" || s.Zero != "red" || s.Range.String() != "red, blue" || len(s.For) > 0 {
				t.Errorf("%+v", s)
			}
		case "section.sizes":
			if len(s.For) != 2 || !slices.Equal(s.For[0], []string{"a", "b"}) || !slices.Equal(s.For[1], []string{"b"}) {
				t.Errorf("for %v", s.For)
			}
		case "own.rate":
			assert.Equalf(t, 0.5, s.Value.Float(), "value %v", s.Value)
		}
	}
	assert.Equalf(t, "kind any rate sizes section.rate section.sizes own.rate own.sizes", strings.Join(keys, " "), "%q, want", keys)
}

// TestCheck: a value outside its range is a fault that names the setting and the range.
func TestCheck(t *testing.T) {
	good := func() *whole { return &whole{part: part{Rate: 1}, Section: part{Rate: 0.5, Sizes: []int{3, 9}}} }
	assert.NoError(t, setting.Check(good(), "toml"))
	for want, spoil := range map[string]func(*whole){
		`kind: "green" is none of red, blue`:       func(w *whole) { w.Kind = "green" },
		"any: NaN is not a finite number":          func(w *whole) { w.Any = math.NaN() },
		"rate: 0 is not in (0, 1]":                 func(w *whole) { w.Rate = 0 },
		"section.rate: 1.5 is not in (0, 1]":       func(w *whole) { w.Section.Rate = 1.5 },
		"section.rate: NaN is not a finite number": func(w *whole) { w.Section.Rate = math.NaN() },
		"section.sizes: 10 is not in [3, 9]":       func(w *whole) { w.Section.Sizes[1] = 10 },
		"own.rate: -1 is not in (0, 1]":            func(w *whole) { w.Own = &part{Rate: -1} },
	} {
		w := good()
		spoil(w)
		var f *setting.Fault
		if err := setting.Check(w, "toml"); !errors.As(err, &f) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestBadRange: a tag that cannot be read is found as soon as settings are listed.
func TestBadRange(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an interval from 1 to 0 is read")
		}
	}()
	setting.Of(&struct {
		X int `toml:"x" range:"[1, 0]"`
	}{}, "toml")
}

// TestFill: zero becomes what it stands for, where that is a value.
func TestFill(t *testing.T) {
	type of struct {
		Kind  string  `toml:"kind" range:"red | blue" zero:"red"`
		Rate  float64 `toml:"rate" zero:"0.25"`
		Count int     `toml:"count" zero:"3"`
		Most  int     `toml:"most" zero:"no bound"`
		Set   float64 `toml:"set" zero:"2"`
		Plain float64 `toml:"plain"`
	}
	got := of{Set: 1}
	setting.Fill(&got, "toml")
	if want := (of{"red", 0.25, 3, 0, 1, 0}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
