package train

import (
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"hinge/optim/setting"
	"hinge/train/config"
	"hinge/train/learning"
)

// flagged lists the settings that have a flag: those that every task has, and each task's
// own. Where two tasks have a flag of one name, it sets the key of the first. Its choices are those
// of all tasks that have the flag or the key.
func flagged(tasks []learning.Task) []setting.Setting {
	var all []setting.Setting
	add := func(c *config.Config, prefix string) {
		for _, s := range c.Settings() {
			at := slices.IndexFunc(all, func(o setting.Setting) bool { return o.Flag == s.Flag || o.Key == s.Key })
			if at < 0 && s.Flag != "" && strings.HasPrefix(s.Key, prefix) {
				all = append(all, s)
			}
			for _, choice := range s.Range.Choices {
				if at >= 0 && !slices.Contains(all[at].Range.Choices, choice) {
					all[at].Range.Choices = append(slices.Clip(all[at].Range.Choices), choice)
				}
			}
		}
	}
	add(new(config.Config), "")
	for _, t := range tasks {
		add(ownDefaults(t), "options.")
	}
	return all
}

// ownDefaults returns the configuration of a task by its first name, or an empty one if the
// task has no defaults without further choices.
func ownDefaults(t learning.Task) *config.Config {
	c, err := t.Defaults(config.Config{Task: t.Names()[0], Recipe: "best", System: "neupsl"})
	if err != nil {
		return new(config.Config)
	}
	return &c
}

// define defines the flag of a setting. Only a flag that is given sets anything.
func define(f *flag.FlagSet, s *setting.Setting, tasks []learning.Task) {
	usage := s.Doc
	if s.ValueName != "" {
		usage = strings.Replace(usage, s.ValueName, "`"+s.ValueName+"`", 1)
	}
	switch {
	case s.Key == "task":
		var names []string
		for _, t := range tasks {
			names = append(names, t.Names()...)
		}
		usage += ": " + strings.Join(names, ", ")
	case s.Range.Choices != nil:
		usage += ": " + s.Range.String()
	}
	if s.Key != "task" {
		usage += " (default: the task's)"
	}
	switch s.Value.Kind() {
	case reflect.String:
		f.String(s.Flag, "", usage)
	case reflect.Int:
		f.Int(s.Flag, 0, usage)
	case reflect.Uint64:
		f.Uint64(s.Flag, 0, usage)
	case reflect.Float64:
		f.Float64(s.Flag, 0, usage)
	case reflect.Bool:
		f.Bool(s.Flag, false, usage)
	default:
		panic(fmt.Sprintf("train: the setting %s is a %s, which no flag sets", s.Key, s.Value.Type()))
	}
}

// flaggedTask is the name of the task that alone has one of the flags given as its own, "" where
// there is none or the task goes by several names.
func flaggedTask(tasks []learning.Task, set map[string]bool) string {
	having := map[string][]string{}
	for _, t := range tasks {
		for _, s := range ownDefaults(t).Settings() {
			if strings.HasPrefix(s.Key, "options.") && s.Flag != "" && set[s.Flag] {
				having[s.Flag] = append(having[s.Flag], t.Names()...)
			}
		}
	}
	for _, flag := range slices.Sorted(maps.Keys(having)) {
		if names := having[flag]; len(names) == 1 {
			return names[0]
		}
	}
	return ""
}

// apply sets the setting. One of another task's own section is refused with the tasks that have it.
func (ch *change) apply(c *config.Config, tasks []learning.Task) error {
	err := c.Set(ch.key, ch.value)
	if err == nil || slices.ContainsFunc(c.Settings(), func(s setting.Setting) bool { return s.Key == ch.key }) {
		return err
	}
	if names := learning.Users(tasks)(ch.key); names != nil {
		return config.Usage(ch.key, "is for %s, not %s; leave it out", strings.Join(names, ", "), c.Task)
	}
	return err
}

// checkChosen refuses settings that were chosen by a flag or by -set and have no effect, and
// in a file of the user's those that the task has no use for: one file may be for several
// losses and systems.
func checkChosen(c *config.Config, tasks []learning.Task, changes []change, file string) error {
	for _, ch := range changes {
		if err := c.CheckUse(ch.key, learning.Users(tasks)); err != nil {
			return err
		}
	}
	if file == "" {
		return nil
	}
	keys, err := config.ChosenKeys(file)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := c.CheckTask(k.Key, learning.Users(tasks)); err != nil {
			return config.Usage("config", "%s%v", k.Place, err)
		}
	}
	return nil
}
