package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"hinge/symbolic/psl"
)

// Encode returns the configuration as TOML.
func (c *Config) Encode() ([]byte, error) { return toml.Marshal(c) }

// ReadFile reads a TOML file, without the byte order mark that some editors begin it with.
func ReadFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	return bytes.TrimPrefix(data, []byte("\uFEFF")), err
}

// LoadFile overlays c with the settings of a TOML file. Keys the file does not
// name keep their value; a key that does not exist is an error with its place, and so is a file
// without any.
func (c *Config) LoadFile(path string) error {
	data, err := ReadFile(path)
	if err != nil {
		return Usage("config", "%v", err)
	}
	var settings map[string]any
	if err := toml.Unmarshal(data, &settings); err == nil && len(settings) == 0 {
		return Usage("config", "%s holds no setting", path)
	}
	return c.Decode(path, data)
}

// Set gives a setting, named by its dotted key, a value of its type.
func (c *Config) Set(key string, value any) error {
	if _, ok := value.(map[string]any); ok {
		return Usage(key, "want one value; each setting of a section has its own KEY=VALUE")
	}
	parts := strings.Split(key, ".")
	for _, p := range slices.Backward(parts) {
		value = map[string]any{p: value}
	}
	text, err := toml.Marshal(value)
	if err != nil {
		return Usage(key, "%v", err)
	}
	return c.Decode("", text)
}

// SetText gives a setting the value of a text KEY=VALUE, whose value is as TOML writes it, also
// without the 0 before its point, or else the text itself. It returns the key.
func (c *Config) SetText(text string) (key string, err error) {
	key, value, ok := strings.Cut(text, "=")
	if key = strings.TrimSpace(key); !ok {
		return key, Usage(key, "want KEY=VALUE")
	}
	return key, c.Set(key, Literal(value))
}

// Literal is the value of a text as SetText reads it.
func Literal(text string) any {
	var v struct{ X any }
	if toml.Unmarshal([]byte("X = "+text), &v) == nil {
		return v.X
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil && strings.HasPrefix(strings.TrimLeft(text, "+-"), ".") {
		return number
	}
	return text
}

// A FileKey is a setting that a file sets, and its place there.
type FileKey struct{ Key, Place string }

// ChosenKeys lists the settings of a TOML file that somebody wrote. There are none in the
// file of a run, which has every setting, and is known by having all that are in no
// section.
func ChosenKeys(path string) ([]FileKey, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, Usage("config", "%v", err)
	}
	keys := keysOf(path, data)
	missing := make(map[string]bool)
	for _, s := range new(Config).Settings() {
		missing[s.Key] = !strings.Contains(s.Key, ".")
	}
	for _, k := range keys {
		delete(missing, k.Key)
	}
	for _, m := range missing {
		if m {
			return keys, nil
		}
	}
	return nil, nil
}

// keysOf lists the keys that TOML gives values to, also those within braces; without a path they have no place.
func keysOf(path string, data []byte) (keys []FileKey) {
	p := unstable.Parser{}
	var add func(table string, e *unstable.Node)
	add = func(table string, e *unstable.Node) {
		key, place := table, ""
		for it := e.Key(); it.Next(); {
			if key += "." + string(it.Node().Data); place == "" && path != "" {
				place = fmt.Sprintf("%s:%d: ", path, p.Shape(it.Node().Raw).Start.Line)
			}
		}
		if e.Value().Kind != unstable.InlineTable {
			keys = append(keys, FileKey{strings.TrimPrefix(key, "."), place})
			return
		}
		for it := e.Value().Children(); it.Next(); {
			add(key, it.Node())
		}
	}
	table := ""
	for p.Reset(data); p.NextExpression(); {
		if e := p.Expression(); e.Kind == unstable.KeyValue {
			add(table, e)
		} else {
			table = ""
			for it := e.Key(); it.Next(); {
				table += "." + string(it.Node().Data)
			}
		}
	}
	return keys
}

// Decode overlays c with the text of a file; without a path errors name no place. A key in other letters, as Seed
// for seed, which the decoder takes, would be no setting to what asks which were chosen.
func (c *Config) Decode(path string, data []byte) error {
	names := make(map[string]string)
	for _, s := range c.Settings() {
		names[strings.ToLower(s.Key)] = s.Key
	}
	for _, k := range keysOf(path, data) {
		if name, ok := names[strings.ToLower(k.Key)]; ok && name != k.Key {
			return Usage("config", "%sno such setting: %s; did you mean %s?", k.Place, k.Key, name)
		}
	}
	own := c.Options
	c.Options = nil
	err := c.place(path, data, strict(data, c), "")
	if own == nil {
		return err
	}
	// The decoder puts a map in place of what an interface points to.
	if c.Options = own; err != nil {
		return err
	}
	section := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "Options", Type: reflect.TypeOf(own), Tag: `toml:"options"`},
	}))
	section.Elem().Field(0).Set(reflect.ValueOf(own))
	return c.place(path, data, strict(data, section.Interface()), "options")
}

// strict decodes TOML, where a key that does not exist is an error.
func strict(data []byte, to any) error {
	return toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(to)
}

// place turns a decoder's error into one with file, line and column. Among unknown keys it
// reports those below a table, or all if table is "".
func (c *Config) place(path string, data []byte, err error, table string) error {
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unknown):
		for i := range unknown.Errors {
			e := &unknown.Errors[i]
			key, at := e.Key(), position(path, e)
			if table != "" && !strings.EqualFold(key[0], table) {
				continue
			}
			name := strings.Join(key, ".")
			if now, ok := renamed[name]; ok && now == "" && path != "" {
				continue
			}
			if instead, ok := retired[name]; ok {
				if path != "" && zeroIn(data, key) {
					continue
				}
				return Usage("config", "%s%s is no more: %s", at, name, instead)
			}
			return Usage("config", "%sno such setting: %s; %s", at, name, c.like(name))
		}
		return nil
	case errors.As(err, &bad):
		at, key, text := position(path, bad), strings.Join(bad.Key(), "."), strings.TrimPrefix(bad.Error(), "toml: ")
		if key != "" {
			at += key + ": "
		}
		if mismatch.MatchString(text) {
			text = "want " + c.kind(key)
		}
		return Usage("config", "%s%s", at, text)
	}
	return Usage("config", "%s: %v", path, err)
}

// mismatch matches the decoder's errors about a value of another kind than the setting's, which have
// types of Go.
var mismatch = regexp.MustCompile(`^cannot (decode|store) |cannot be stored in`)

// kind names the values that the setting of a key takes.
func (c *Config) kind(key string) string {
	for _, s := range c.Settings() {
		if key != s.Key && !strings.HasPrefix(key, s.Key+".") {
			continue
		}
		switch s.Value.Kind() {
		case reflect.String:
			return "a text"
		case reflect.Bool:
			return "true or false"
		case reflect.Float64:
			return "a number"
		case reflect.Slice:
			return "a list"
		}
		return "a whole number"
	}
	return "a section with settings"
}

// zeroIn reports whether a TOML text gives a key the value zero.
func zeroIn(data []byte, key []string) bool {
	var tree any
	if toml.Unmarshal(data, &tree) != nil {
		return false
	}
	for _, k := range key {
		table, _ := tree.(map[string]any)
		tree = table[k]
	}
	return tree == nil || reflect.ValueOf(tree).IsZero()
}

// like is a hint at the setting that is meant by a name.
func (c *Config) like(name string) string {
	var all, sections []string
	for _, s := range c.Settings() {
		all = append(all, s.Key)
		if section, _, ok := strings.Cut(s.Key, "."); ok {
			sections = append(sections, section)
		}
	}
	near := psl.Nearest(name, append(sections, all...))
	for _, key := range all { // without its section
		if near == "" && strings.HasSuffix(key, "."+name) {
			near = key
		}
	}
	if near == "" {
		return "-settings of a training program lists all"
	}
	return "did you mean " + near + "?"
}

// position is the place of a decoder's error as a prefix.
func position(path string, e interface{ Position() (row, col int) }) string {
	if path == "" {
		return ""
	}
	row, col := e.Position()
	return fmt.Sprintf("%s:%d:%d: ", path, row, col)
}

// Diff lists the keys in which two configurations differ, as key: a → b.
func (c *Config) Diff(other *Config) []string {
	a, b := c.flat(), other.flat()
	var keys []string
	for k := range a {
		if a[k] != b[k] {
			keys = append(keys, fmt.Sprintf("%s: %s → %s", k, a[k], cmp.Or(b[k], "unset")))
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, fmt.Sprintf("%s: unset → %s", k, b[k]))
		}
	}
	slices.Sort(keys)
	return keys
}

// flat is the configuration as dotted key → printed value.
func (c *Config) flat() map[string]string {
	var tree map[string]any
	if err := toml.Unmarshal([]byte(c.text()), &tree); err != nil {
		panic(fmt.Sprintf("train: an encoded Config always decodes: %v", err))
	}
	return Flatten(tree)
}

// Flatten is a tree of settings as dotted key → printed value.
func Flatten(tree map[string]any) map[string]string {
	flat := map[string]string{}
	leaves(tree, func(key string, v any) { flat[key] = fmt.Sprint(v) })
	return flat
}

// leaves calls visit for the values in a tree of settings, by dotted key.
func leaves(tree map[string]any, visit func(key string, v any)) {
	for k, v := range tree {
		if sub, ok := v.(map[string]any); ok {
			leaves(sub, func(below string, v any) { visit(k+"."+below, v) })
		} else {
			visit(k, v)
		}
	}
}
