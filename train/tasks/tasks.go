// Package tasks is the list of the learning tasks by name: their default
// configurations and how to open them.
//
// Open reads the data, grounds the rules and builds the network; everything it
// can find wrong is a train.UsageError (settings, rules) or a train.DataError
// (files). The functions have no state and may be called from several
// goroutines.
package tasks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hinge/train"
	"hinge/train/citation"
	"hinge/train/mnistadd"
)

// graphs are the tasks on citation networks.
var graphs = []string{"cora", "citeseer", "citation-demo"}

// Names lists the tasks of the paper. Beside them there is mnist-addN for numbers
// of up to 18 digits.
func Names() []string { return append([]string{"mnist-add1", "mnist-add2"}, graphs...) }

// Defaults returns the default configuration of a task with a loss, a recipe
// and a number of training additions (0: the smallest size of the paper's
// table, 600 images).
func Defaults(task, loss, recipe string, additions int) (train.Config, error) {
	return SystemDefaults("neupsl", task, loss, recipe, additions)
}

// DefaultLoss is the loss a task learns by unless told: energy, through the value
// function; for NeuPSL on numbers of more than two digits chain, as no draw of that
// many digits agrees with all places of a sum, and energy was seen to stay at chance.
func DefaultLoss(system, task string) string {
	if d, err := digitsOf(task); err == nil && d > 2 && (system == "" || system == "neupsl") {
		return train.ChainLoss
	}
	return "energy"
}

// SystemDefaults is Defaults for one of train.Systems.
func SystemDefaults(system, task, loss, recipe string, additions int) (train.Config, error) {
	if slices.Contains(graphs, task) {
		return citationDefaults(system, task, loss, recipe, additions)
	}
	d, err := digitsOf(task)
	if err != nil {
		return train.Config{}, err
	}
	if additions == 0 {
		additions = 300 / d
	}
	c := train.Defaults(d, loss, recipe, additions)
	c.Task = task
	c.UseSystem(system, d)
	return c, nil
}

// citationDefaults refuses what means nothing for a citation network.
func citationDefaults(system, task, loss, recipe string, additions int) (train.Config, error) {
	if system != "" && system != "neupsl" {
		return train.Config{}, &train.UsageError{Key: "system", Problem: fmt.Sprintf("%s has no %q; its comparison systems are rows of table 5", task, system)}
	}
	if additions != 0 {
		return train.Config{}, &train.UsageError{Key: "additions", Problem: task + " has none; leave it out"}
	}
	return train.CitationDefaults(task, loss, recipe), nil
}

// Open builds the model of a configuration. data is the root folder of data
// files; empty means the files that come with the modules.
func Open(c train.Config, data string) (train.Model, error) {
	if slices.Contains(graphs, c.Task) {
		if c.Citation == nil {
			return nil, &train.UsageError{Key: "citation", Problem: "the section is missing"}
		}
		return citation.Open(c, data)
	}
	d, err := digitsOf(c.Task)
	if err != nil {
		return nil, err
	}
	return mnistadd.Open(c, d, data)
}

// digitsOf returns the number of digits of a summand: mnist-addN has N.
func digitsOf(task string) (int, error) {
	if n, ok := strings.CutPrefix(task, "mnist-add"); ok {
		if d, err := strconv.Atoi(n); err == nil && strconv.Itoa(d) == n && d >= 1 && d <= mnistadd.MaxDigits {
			return d, nil
		}
	}
	choice := fmt.Sprintf("%s (or mnist-addN, N up to %d)", strings.Join(Names(), ", "), mnistadd.MaxDigits)
	problem := fmt.Sprintf("%q is none of %s", task, choice)
	if task == "" {
		problem = "missing; choose one of " + choice
	}
	return 0, &train.UsageError{Key: "task", Problem: problem}
}
