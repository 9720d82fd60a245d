// Package setting reads what the fields of a configuration declare about themselves in
// their struct tags, so that a setting is declared in one place, at its field:
//
//	Dropout float64 `toml:"dropout" range:"[0, 1)" doc:"probability of dropping an input of the head"`
//
// The setting has the name that its toml or json tag gives. The other tags are
//
//	doc    what the setting is, without a full stop
//	range  its permitted values: an interval such as [0, 1) or [1, inf), or choices
//	       such as "constant | cosine"; for a list, the range of each entry
//	zero   the meaning of the zero value (or of no text) if it is more than the number;
//	       zero is then permitted even outside the range
//	for    a condition for the setting to have an effect, as alternatives: words that
//	       the reader of the tag knows, such as names of losses
//	flag   the command-line flag that sets it and, after a comma, the name of its value
//
// A field that is a struct is a section. Its settings are named section.setting, and the
// section's condition holds for them too. An embedded struct adds its settings to the section
// that contains it.
package setting

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Setting is one setting with its declaration.
type Setting struct {
	// Key is the name, dotted below sections.
	Key string
	// Doc, Range and Zero are the tags.
	Doc, Zero string
	Range     Range
	// For holds the alternatives of the sections around the setting and of itself: one of
	// each must hold.
	For [][]string
	// Flag is the flag that sets it, or "", and ValueName what help calls its value.
	Flag, ValueName string
	// Value is the field.
	Value reflect.Value
}

// Of lists the settings of a pointer to a struct in the order of its fields. The tag is
// toml or json, where the names are. A tag that cannot be read is a fault of the program,
// and panics.
func Of(section any, tag string) []Setting {
	return walk(nil, reflect.ValueOf(section).Elem(), tag, "", nil)
}

func walk(all []Setting, section reflect.Value, tag, prefix string, needs [][]string) []Setting {
	t := section.Type()
	for i := range t.NumField() {
		f, v := t.Field(i), section.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get(tag), ",")
		needs := needs
		if words := strings.Fields(f.Tag.Get("for")); len(words) > 0 {
			needs = append(slices.Clip(needs), words)
		}
		if f.Type.Kind() == reflect.Interface && !v.IsNil() && v.Elem().Kind() == reflect.Pointer {
			v = v.Elem().Elem() // a section that somebody else declares
		}
		switch {
		case f.Anonymous && name == "":
			all = walk(all, v, tag, prefix, needs)
		case name == "" || name == "-":
		case v.Kind() == reflect.Struct:
			all = walk(all, v, tag, prefix+name+".", needs)
		case f.Type.Kind() == reflect.Interface:
		default:
			s := Setting{Key: prefix + name, Doc: f.Tag.Get("doc"), Zero: f.Tag.Get("zero"), For: needs, Value: v}
			s.Flag, s.ValueName, _ = strings.Cut(f.Tag.Get("flag"), ",")
			var err error
			if s.Range, err = parseRange(f.Tag.Get("range")); err != nil {
				panic(fmt.Sprintf("setting: %s of %s: %v", s.Key, t, err))
			}
			all = append(all, s)
		}
	}
	return all
}

// Fault is a value outside its range.
type Fault struct{ Key, Problem string }

// Error returns the setting's name and its permitted values.
func (f *Fault) Error() string { return f.Key + ": " + f.Problem }

// Check returns a *Fault if the value is outside the range.
func (s *Setting) Check() error {
	if s.Zero != "" && s.Value.IsZero() {
		return nil
	}
	values := []reflect.Value{s.Value}
	if s.Value.Kind() == reflect.Slice {
		values = nil
		for i := range s.Value.Len() {
			values = append(values, s.Value.Index(i))
		}
	}
	for _, v := range values {
		if !s.Range.holds(v) {
			return &Fault{s.Key, s.Range.problem(v, s.Zero)}
		}
	}
	return nil
}

// Check returns the *Fault of the first setting whose value is outside its range.
func Check(section any, tag string) error {
	for _, s := range Of(section, tag) {
		if err := s.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Fill replaces zero values by the default that the zero tag declares. It skips settings whose
// tag has a description in place of a value.
func Fill(section any, tag string) {
	for _, s := range Of(section, tag) {
		v := s.Value
		if s.Zero == "" || !v.IsZero() {
			continue
		}
		x, err := strconv.ParseFloat(s.Zero, 64)
		switch {
		case slices.Contains(s.Range.Choices, s.Zero):
			v.SetString(s.Zero)
		case err != nil:
		case v.CanFloat():
			v.SetFloat(x)
		case v.CanInt():
			v.SetInt(int64(x))
		}
	}
}
