package learning

import (
	"slices"
	"strconv"
	"strings"

	"hinge/optim/setting"
	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
	"hinge/train/config"
)

// Task is a learning task with a name, which cmd/train, or another program with package
// app/train, can run.
type Task interface {
	// Names are the names of the task, as -task lists them. A name whose first word ends in N
	// represents all names with a whole number above 0 in its place, some of which Defaults
	// may refuse; the text after that word is for people.
	Names() []string
	// Defaults returns the configuration for a choice: Task, Loss (empty: the task's), Recipe,
	// System and, unless nil, the task's own section, whose sizes may decide other settings.
	// It returns a new section, never the choice's.
	Defaults(choice config.Config) (config.Config, error)
	// Open builds the model of a valid configuration, with the data below the root
	// folder data. Faults are a UsageError (settings, rules) or a DataError (files).
	Open(cfg config.Config, data string) (Model, error)
}

// Find returns the task with the given name. If there is none, it returns a UsageError that
// lists the names and the nearest one. If there is only one task, the name may be empty.
func Find(tasks []Task, name string) (Task, error) {
	var names []string
	for _, t := range tasks {
		if slices.ContainsFunc(t.Names(), func(listed string) bool { return standsFor(listed, name) }) {
			return t, nil
		}
		names = append(names, t.Names()...)
	}
	choice, near := strings.Join(names, ", "), psl.Nearest(name, names)
	switch {
	case name != "" && near != "":
		return nil, config.Usage("task", "%q is none of %s; did you mean %s?", name, choice, near)
	case name != "":
		return nil, config.Usage("task", "%q is none of %s", name, choice)
	case len(names) > 1:
		return nil, config.Usage("task", "missing; choose one of %s", choice)
	}
	return tasks[0], nil
}

// standsFor reports whether listed, a name of a task, is or represents name.
func standsFor(listed, name string) bool {
	word, _, _ := strings.Cut(listed, " ")
	prefix, family := strings.CutSuffix(word, "N")
	n, numbered := strings.CutPrefix(name, prefix)
	if listed == name || !family || !numbered {
		return listed == name
	}
	v, err := strconv.ParseUint(n, 10, 32)
	return err == nil && v > 0 && strconv.FormatUint(v, 10) == n
}

// Users returns what names the tasks that use a setting, for [Config.CheckUse].
func Users(tasks []Task) func(key string) []string {
	return func(key string) (names []string) {
		for _, t := range tasks {
			for _, name := range t.Names() {
				d, err := t.Defaults(config.Config{Task: name, Recipe: "best", System: "neupsl"})
				if has := func(s setting.Setting) bool { return s.Key == key }; err == nil && d.Uses().Use(key) && slices.ContainsFunc(d.Settings(), has) {
					names = append(names, name)
				}
			}
		}
		return names
	}
}

// A DataError is a fault of the data: missing, damaged or inconsistent.
type DataError = facts.Error
