package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// question is a kind of work that Hinge and its peers do.
type question struct {
	name, title string
	// about says what is computed, unequal what differs between the programs, and behind where a
	// peer is ahead, why, and what would close it; empty where none is.
	about, unequal, behind string
	// patience is how many times -limit an answer may take; 0 means 1.
	patience float64
	// groups lists the cases; a quick trial has the smallest ones.
	groups func(quick bool) []group
}

// group has the cases that one set of processes computes.
type group struct {
	name    string
	threads int
	sides   []side
	cases   []ask
	// prepare, where there is one, makes the inputs in a folder before the processes start, and
	// returns what judges their answers.
	prepare func(ctx context.Context, dir string) (judge, error)
}

// ask is a case: its name on the page, the line that asks for it, and whether all it takes is a
// process of its own.
type ask struct{ name, line string }

// judge completes an answer: it may add figures, or say in wrong why the answer does not count.
type judge func(side string, c ask, a *answer) (wrong string, err error)

// side is a program of a group. The first is Hinge.
type side struct {
	name string
	// env is the environment of a peer; a side without one is this program itself.
	env string
	// args are a script of this package and its arguments, or those of serve.
	args []string
	// whole says that each answer is that of a whole process.
	whole bool
	// program says that args begin with the program, whose end is the answer.
	program bool
	// own says that a side with an environment is Hinge too, and no peer.
	own bool
}

// questions are all there are, in the order of the page.
var questions = []question{network, forward, addition, models, programs, layers}

func names() []string {
	list := make([]string, len(questions))
	for i, q := range questions {
		list[i] = q.name
	}
	return list
}

// choose finds questions by their names, separated by commas.
func choose(text string) ([]question, error) {
	var list []question
	for name := range strings.SplitSeq(text, ",") {
		if name == "" {
			continue
		}
		at := slices.IndexFunc(questions, func(q question) bool { return q.name == name })
		if at < 0 {
			return nil, fmt.Errorf("-questions: there is no question %q, want some of %s", name, strings.Join(names(), ", "))
		}
		list = append(list, questions[at])
	}
	return list, nil
}
