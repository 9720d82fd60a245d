package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// command is one that a page shows, as words of a shell.
type command struct {
	place string // page:line
	block string // of the same lines of a page; "" for one within a sentence
	words []string
}

// programs are what the commands begin with that are looked at; java, say, is another's.
var programs = []string{"go", "make", "python3"}

var inSentence = regexp.MustCompile("`((?:go (?:run|doc|test)|make) [^`]+)`")

// commands are those of a page: lines of code blocks, and what stands between backquotes
// in a sentence.
func commands(t *testing.T, page string) []command {
	t.Helper()
	var all []command
	add := func(line int, block, text string) {
		if c := (command{fmt.Sprintf("%s:%d", page, line), block, words(text)}); len(c.words) > 0 && slices.Contains(programs, c.words[0]) {
			all = append(all, c)
		}
	}
	block, fenced, blank := "", false, true
	begun := "" // a line that the next one goes on with
	for n, line := range strings.Split(read(t, page), "\n") {
		if begun != "" {
			line, begun = begun+strings.TrimSpace(line), ""
		}
		if cut, ok := strings.CutSuffix(line, "\\"); ok {
			begun = cut
			continue
		}
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced, block = !fenced, fmt.Sprint(page, n)
		case fenced:
			add(n+1, block, line)
		case indented && (blank || block != ""):
			if block == "" {
				block = fmt.Sprint(page, n)
			}
			add(n+1, block, code)
		default:
			block = ""
			for _, m := range inSentence.FindAllStringSubmatch(line, -1) {
				add(n+1, "", m[1])
			}
		}
		blank = line == ""
	}
	return all
}

var word = regexp.MustCompile(`'[^']*'|[^\s']+`)

// words splits a line as a shell does, without its comment, settings of the environment
// before it and all from && or ; on.
func words(line string) []string {
	line, _, _ = strings.Cut(line, " #")
	var out []string
	for _, w := range word.FindAllString(line, -1) {
		switch {
		case w == "&&" || w == ";" || w == "||":
			return out
		case len(out) == 0 && strings.Contains(w, "="):
		default:
			out = append(out, strings.Trim(w, "'"))
		}
	}
	return out
}

// arguments are the words behind a number of words.
func (c *command) after(n int) []string { return c.words[min(n, len(c.words)):] }

// TestCommandsExist: packages, tests and targets that commands name are there. What the
// programs make of their flags is for make test-docs.
func TestCommandsExist(t *testing.T) {
	makefile := read(t, "Makefile")
	seen := map[string]int{}
	for _, page := range pages(t) {
		for _, c := range commands(t, page) {
			kind := c.words[0]
			if kind == "go" {
				kind = strings.Join(c.words[:min(2, len(c.words))], " ")
			}
			seen[kind]++
			assert.NoErrorf(t, exists(&c, kind, makefile), "%s: %s", c.place, strings.Join(c.words, " "))
		}
	}
	for _, kind := range []string{"go run", "go doc", "go test", "make", "python3"} {
		if seen[kind] == 0 {
			t.Errorf("no page has a command %s: is it still found?", kind)
		}
	}
}

func exists(c *command, kind, makefile string) error {
	there := func(name string) error {
		_, err := os.Stat(filepath.Join("..", filepath.FromSlash(name)))
		return err
	}
	switch kind {
	case "go run":
		if c.after(2) == nil || c.words[2] == "." {
			return nil // of examples/own-task
		}
		if c.words[2] == "-tags" {
			return there(c.words[4])
		}
		return there(c.words[2])
	case "go doc":
		folder, _, _ := strings.Cut(strings.TrimPrefix(c.words[2], "hinge/"), ".")
		if folder == "PACKAGE" {
			return nil
		}
		return there(folder)
	case "go test":
		return tested(c.after(2))
	case "python3":
		if c.words[1] == "-m" {
			return nil
		}
		return there(c.words[1])
	case "make":
		for _, target := range c.after(1) {
			if !strings.Contains(target, "=") && !regexp.MustCompile(`(?m)^(\S+ )*`+target+`( \S+)*:`).MatchString(makefile) {
				return fmt.Errorf("there is no target %s", target)
			}
		}
	}
	return nil
}

// tested looks for the tests that -run names in the packages of a go test.
func tested(args []string) error {
	pattern, next := "", ""
	var names []string
	for _, arg := range args {
		switch {
		case next != "":
			if next == "-run" {
				pattern = arg
			}
			next = ""
		case slices.Contains([]string{"-run", "-tags", "-timeout", "-bench", "-count"}, arg):
			next = arg
		case strings.HasPrefix(arg, "./"):
			files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(arg), "*_test.go"))
			if err != nil || len(files) == 0 {
				return fmt.Errorf("no tests in %s, %v", arg, err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`).FindAllStringSubmatch(string(text), -1) {
					names = append(names, m[1])
				}
			}
		}
	}
	if pattern == "" || pattern == "^$" {
		return nil
	}
	for part := range strings.SplitSeq(pattern, "|") {
		if !slices.ContainsFunc(names, regexp.MustCompile(part).MatchString) {
			return fmt.Errorf("no test is called %s", part)
		}
	}
	return nil
}

// TestCommandsAreFound: the forms that pages use.
func TestCommandsAreFound(t *testing.T) {
	for line, want := range map[string]string{
		"go run ./cmd/infer -explain 'Smokes(cleo)' -top 3": "go,run,./cmd/infer,-explain,Smokes(cleo),-top,3",
		"HINGE_DATA=x go test ./a -run 'A|B'":               "go,test,./a,-run,A|B",
		"make test      # all of them":                      "make,test",
		"mkdir x && cd x":                                   "mkdir,x",
	} {
		assert.Equal(t, want, strings.Join(words(line), ","), line)
	}
	for _, c := range []struct {
		words string
		ok    bool
	}{
		{"go run ./cmd/train -task x", true}, {"go run ./cmd/trian", false}, {"go run -tags x ./cmd/train", true}, {"go run -tags x ./cmd/trian", false}, {"go doc hinge/symbolic/lcqp.Sparse", true}, {"go doc hinge/simbolic", false},
		{"go test ./docs -run TestLinks", true}, {"go test ./docs -run TestNothing", false}, {"go test ./docs -run 'Links|TestNothing'", false},
		{"make test", true}, {"make tset", false}, {"make table3", true}, {"python3 app/python/test_hinge.py", true}, {"python3 python/none.py", false},
	} {
		all := words(c.words)
		kind := all[0]
		if kind == "go" {
			kind += " " + all[1]
		}
		if err := exists(&command{words: all}, kind, read(t, "Makefile")); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.words, err)
		}
	}
}
