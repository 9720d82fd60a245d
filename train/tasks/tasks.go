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
	"strings"

	"hinge/train"
	"hinge/train/mnistadd"
)

// digits of the summands of each MNIST-Addition task.
var digits = map[string]int{"mnist-add1": 1, "mnist-add2": 2}

// Names lists the tasks.
func Names() []string { return []string{"mnist-add1", "mnist-add2"} }

// Defaults returns the default configuration of a task with a loss, a recipe
// and a number of training additions (0: the smallest size of the paper's
// table, 600 images).
func Defaults(task, loss, recipe string, additions int) (train.Config, error) {
	d, err := digitsOf(task)
	if err != nil {
		return train.Config{}, err
	}
	if additions == 0 {
		additions = 300 / d
	}
	c := train.Defaults(d, loss, recipe, additions)
	c.Task = task
	return c, nil
}

// Open builds the model of a configuration. data is the root folder of data
// files; empty means the files that come with the modules.
func Open(c train.Config, data string) (train.Model, error) {
	d, err := digitsOf(c.Task)
	if err != nil {
		return nil, err
	}
	return mnistadd.Open(c, d, data)
}

func digitsOf(task string) (int, error) {
	if d, ok := digits[task]; ok {
		return d, nil
	}
	problem := fmt.Sprintf("%q is none of %s", task, strings.Join(Names(), ", "))
	if task == "" {
		problem = "missing; choose one of " + strings.Join(Names(), ", ")
	}
	return 0, &train.UsageError{Key: "task", Problem: problem}
}
