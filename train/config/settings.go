package config

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"hinge/optim/setting"
	"hinge/symbolic/infer"
	_ "hinge/symbolic/infer/baselines" // to be chosen by symbolic.solver
)

// tag is the struct tag that names settings.
const tag = "toml"

// Uses lists what a task has beyond the common settings, and which common settings it does not
// use.
type Uses struct {
	// Losses and Systems are the task's own, in addition to CommonLosses and neupsl.
	Losses, Systems []string
	// Without lists settings, or sections of them, that the task does not use: to set one is
	// an error.
	Without []string
	// Instead, if not nil, returns for a key of Without why the task does not use it and what to use in
	// its place, "" where the tasks that use it are all there is to say.
	Instead func(key string) string
	// Zero holds, by key, meanings of zero that are other than the declared ones.
	Zero map[string]string
	// Name, if not empty, replaces the task's name in the names of runs, for instance by the
	// name of a file. Size, if not 0, is the number of examples that the task is asked for.
	// The default name of a run folder has both.
	Name string
	Size int
}

// Section is implemented by a task's own section (Config.Options) that declares more than the
// tags of its fields.
type Section interface {
	// Uses returns what the task uses; c is the whole configuration.
	Uses(c *Config) Uses
	// Validate reports the first setting that makes no sense, as a UsageError.
	Validate(c *Config) error
}

// Uses returns what the task of the configuration uses.
func (c *Config) Uses() Uses {
	if own, ok := c.Options.(Section); ok {
		return own.Uses(c)
	}
	return Uses{}
}

// Settings lists the settings of the configuration with their declarations and values, the
// task's own among them.
func (c *Config) Settings() []setting.Setting {
	all, own := setting.Of(c, tag), c.Uses()
	for i := range all {
		all[i].Zero = cmp.Or(own.Zero[all[i].Key], all[i].Zero)
		// These depend on the task, or on the other tasks that exist.
		switch s := &all[i]; s.Key {
		case "loss":
			s.Range.Choices = c.Losses()
		case "system":
			s.Range.Choices = c.Systems()
		case "symbolic.solver":
			s.Range.Choices = infer.Names()
		}
	}
	return all
}

// CheckTask returns a UsageError if the task does not use a key; the message names the tasks that
// users returns, which use it. It is meant for keys that somebody has set: a default value for an unused
// key is no mistake.
func (c *Config) CheckTask(key string, users func(key string) []string) error {
	own := c.Uses()
	if own.Use(key) {
		return nil
	}
	if own.Instead != nil {
		if text := own.Instead(key); text != "" {
			return Usage(key, "%s", text)
		}
	}
	if names := users(key); names != nil {
		return Usage(key, "is for %s, not %s; leave it out", strings.Join(names, ", "), c.Task)
	}
	return Usage(key, "%s has no use for it; leave it out", c.Task)
}

// CheckUse does what CheckTask does, and also returns a UsageError if a key has no effect
// together with the other settings, such as a key that belongs to another loss than the
// configured one.
func (c *Config) CheckUse(key string, users func(key string) []string) error {
	if err := c.CheckTask(key, users); err != nil {
		return err
	}
	for _, s := range c.Settings() {
		if (s.Key == "loss" || s.Key == "system") && s.Check() != nil {
			return nil // Validate reports it
		}
		if s.Key != key {
			continue
		}
		for _, words := range s.For {
			if !slices.ContainsFunc(words, c.is) {
				return Usage(key, "%s", c.idle(words))
			}
		}
	}
	return nil
}

// Use reports whether the task uses the setting of a key.
func (u Uses) Use(key string) bool {
	return !slices.ContainsFunc(u.Without, func(k string) bool { return key == k || strings.HasPrefix(key, k+".") })
}

// The words of the tag "for" that are no losses.
const (
	forNeuPSL  = "neupsl"
	forLearned = "learned-rules"
)

// is reports whether a word of the tag "for" holds.
func (c *Config) is(word string) bool {
	switch word {
	case forNeuPSL:
		return c.NeuPSL()
	case forLearned:
		return !c.Symbolic.FreezeRules
	}
	return c.NeuPSL() && c.Loss == word
}

// having returns those words of the tag "for" that the configured task, if one is, can be: losses that it does not have are left out.
func (c *Config) having(words []string) []string {
	if c.Task == "" {
		return words
	}
	known := append(c.Losses(), forNeuPSL, forLearned)
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !slices.Contains(known, w) })
}

// idle explains why a setting that needs one of the words has no effect.
func (c *Config) idle(words []string) string {
	switch {
	case !c.NeuPSL():
		return fmt.Sprintf("is for neupsl; %s has a loss of its own and no rules, leave it out", c.System)
	case slices.Contains(words, forLearned):
		return "the rule weights stay as they start; set symbolic.freeze-rules = false to learn them, or leave it out"
	}
	has := c.having(words)
	if len(has) == 0 {
		return fmt.Sprintf("is for the loss %s, which %s does not have; leave it out", strings.Join(words, " or "), c.Task)
	}
	return fmt.Sprintf("is for the loss %s, not %s; choose one with -loss, or leave it out", strings.Join(has, " or "), c.Loss)
}

// usedBy describes the users of a setting in words, "" for all.
func usedBy(s *setting.Setting) string {
	var parts []string
	for _, words := range s.For {
		switch {
		case slices.Contains(words, forLearned):
			parts = append(parts, "freeze-rules = false")
		case !slices.Contains(words, forNeuPSL):
			parts = append(parts, strings.Join(words, ", "))
		case len(s.For) == 1:
			parts = append(parts, forNeuPSL)
		}
	}
	return strings.Join(parts, "; ")
}

// WriteSettings writes a table of the settings that the task can use with their names, values, ranges and
// meanings, the meaning of zero, and the losses or systems that they are for.
func WriteSettings(w io.Writer, c *Config) error {
	own, width := c.Uses(), 0
	all := slices.DeleteFunc(c.Settings(), func(s setting.Setting) bool {
		for i, words := range s.For {
			s.For[i] = c.having(words)
		}
		return !own.Use(s.Key) || slices.ContainsFunc(s.For, func(words []string) bool { return len(words) == 0 })
	})
	for i := range all {
		width = max(width, len(all[i].Key))
	}
	for i := range all {
		s := &all[i]
		if _, err := fmt.Fprintf(w, "%-*s = %-12s %s\n", width, s.Key, valueText(s), About(s)); err != nil {
			return err
		}
	}
	return nil
}

// valueText is the value of a setting as TOML has it.
func valueText(s *setting.Setting) string {
	text, err := toml.Marshal(map[string]any{"v": s.Value.Interface()})
	if err != nil {
		return fmt.Sprint(s.Value.Interface())
	}
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "v = ")
}

// About describes a setting on one line: its meaning, its range, the meaning of zero, and the
// tasks or losses that it is for.
func About(s *setting.Setting) string {
	text := s.Doc
	if r := s.Range.String(); r != "" {
		text += "; " + r
	}
	if s.Zero != "" {
		name := "0"
		if s.Value.Kind() == reflect.String {
			name = "empty"
		}
		text += "; " + name + ": " + s.Zero
	}
	if by := usedBy(s); by != "" {
		text += " [" + by + "]"
	}
	return text
}
