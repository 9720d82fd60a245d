package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed generated.toml
var recorded []byte

// tool is the program that finds what can be mutated, at the version that is run.
const tool = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"

// record says what the last look at generated mutations covered.
type record struct {
	// Commit is that of the look: packages changed since are sampled.
	Commit string `toml:"commit"`
	// Packages and Sample are how many packages and mutations are drawn.
	Packages int `toml:"packages"`
	Sample   int `toml:"sample"`
	// Floor is the share of the mutations that tests have to notice. It is below 1, since
	// some mutations change nothing that anybody could see.
	Floor float64 `toml:"floor"`
	// Equivalent are mutations that were found to change nothing; they are not drawn.
	Equivalent []struct {
		File, Line, Type, Why string
	} `toml:"equivalent"`
}

// readRecord reads a record and refuses one that asks for nothing.
func readRecord(text []byte) (*record, error) {
	var rec record
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&rec); err != nil {
		return nil, fmt.Errorf("generated.toml: %w", err)
	}
	if rec.Commit == "" || rec.Packages < 1 || rec.Sample < 1 || rec.Floor <= 0 || rec.Floor > 1 {
		return nil, errors.New("generated.toml: commit, packages, sample and a floor in (0, 1] are needed")
	}
	for _, e := range rec.Equivalent {
		if e.File == "" || e.Line == "" || e.Type == "" || e.Why == "" {
			return nil, errors.New("generated.toml: an equivalent mutation needs file, line, type and why")
		}
	}
	return &rec, nil
}

// equivalent reports whether the record has a mutation as one that changes nothing.
func (rec *record) equivalent(file, line, kind string) bool {
	for _, e := range rec.Equivalent {
		if e.File == file && e.Type == kind && e.Line == strings.TrimSpace(line) {
			return true
		}
	}
	return false
}

// generated draws mutations of the packages that changed since the record's commit and
// reports whether the tests of each package notice the record's share of them.
func generated(ctx context.Context, w io.Writer, r *runner, rec *record) (bool, error) {
	head, err := r.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return false, err
	}
	packages, err := r.changed(ctx, rec.Commit)
	if err != nil {
		return false, err
	}
	if len(packages) == 0 {
		fmt.Fprintf(w, "no package has changed since %.12s\n", rec.Commit)
		return true, nil
	}
	seed := fnv.New64a()
	_, _ = io.WriteString(seed, head)
	random := rand.New(rand.NewPCG(seed.Sum64(), 0))
	random.Shuffle(len(packages), func(i, j int) { packages[i], packages[j] = packages[j], packages[i] })
	var list []*mutation
	for _, pkg := range packages[:min(rec.Packages, len(packages))] {
		found, err := r.find(ctx, pkg, rec)
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if err != nil {
			fmt.Fprintf(w, "left out %s: %v\n", pkg, err)
			continue
		}
		list = append(list, found...)
	}
	if len(list) == 0 {
		return false, fmt.Errorf("%s finds nothing to mutate", tool)
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:min(rec.Sample, len(list))]
	noticed, faults, err := r.run(ctx, w, list)
	if err != nil {
		return false, err
	}
	share := float64(noticed) / float64(max(faults, 1))
	fmt.Fprintf(w, "generated mutations noticed: %.0f %%, asked for: %.0f %%\n", 100*share, 100*rec.Floor)
	return share >= rec.Floor, nil
}

// git is the output of a git command at the root, without the line end.
func (r *runner) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// changed lists the packages of the root module that have tests and Go files changed since a
// commit; all that have tests, where the clone does not hold the commit.
func (r *runner) changed(ctx context.Context, commit string) ([]string, error) {
	args := []string{"diff", "--name-only", commit, "--", "*.go"}
	if _, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
		args = []string{"ls-files", "--", "*.go"}
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	var packages []string
	for file := range strings.Lines(out) {
		file = strings.TrimSpace(file)
		pkg := path.Dir(file)
		if strings.HasSuffix(file, "_test.go") || !r.own(pkg) || slices.Contains(packages, pkg) {
			continue
		}
		tests, err := filepath.Glob(filepath.Join(r.root, filepath.FromSlash(pkg), "*_test.go"))
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(file))); err == nil && len(tests) > 0 {
			packages = append(packages, pkg)
		}
	}
	slices.Sort(packages)
	return packages, nil
}

// own reports whether a folder belongs to the root module: no go.mod is between them.
func (r *runner) own(pkg string) bool {
	for ; pkg != "."; pkg = path.Dir(pkg) {
		if _, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(pkg), "go.mod")); err == nil {
			return false
		}
	}
	return true
}

// find lists the mutations of a package that its tests reach.
func (r *runner) find(ctx context.Context, pkg string, rec *record) ([]*mutation, error) {
	report := filepath.Join(r.work, "report.json")
	cmd := exec.CommandContext(ctx, "go", "run", tool, "unleash", "--dry-run", "--output", report, "./"+pkg)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %s: %w: %s", tool, pkg, err, brief(strings.SplitAfter(string(out), "\n")))
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, err
	}
	var found struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type, Status string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("the report of %s: %w", tool, err)
	}
	var list []*mutation
	for _, f := range found.Files {
		if path.Base(f.Name) != f.Name {
			continue // of a package below this one
		}
		file := path.Join(pkg, f.Name)
		source, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		for _, m := range f.Mutations {
			if m.Status != "RUNNABLE" {
				continue
			}
			at, line := place(source, m.Line, m.Column)
			old, replaced := operator(source[at:], m.Type)
			if old == "" || rec.equivalent(file, line, m.Type) {
				continue
			}
			list = append(list, &mutation{
				Name: fmt.Sprintf("%d:%d %s for %s in %s", m.Line, m.Column, replaced, old, strings.TrimSpace(line)),
				File: file, Old: old, New: replaced, Package: pkg, Run: ".",
				tests: everyTest, at: at, drawn: true,
			})
		}
	}
	return list, nil
}

var everyTest = regexp.MustCompile(".")

// place is the offset of a line and column, both counted from 1, and the text of the line.
func place(source []byte, line, column int) (int, string) {
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(source[at:], '\n') + 1
	}
	text, _, _ := bytes.Cut(source[at:], []byte("\n"))
	return min(at+column-1, len(source)), string(text)
}

// operators are what the operators become, by the tool's name of the mutation.
var operators = map[string][][2]string{
	"ARITHMETIC_BASE":       {{"+", "-"}, {"-", "+"}, {"*", "/"}, {"/", "*"}, {"%", "*"}},
	"CONDITIONALS_BOUNDARY": {{"<=", "<"}, {">=", ">"}, {"<", "<="}, {">", ">="}},
	"CONDITIONALS_NEGATION": {{"==", "!="}, {"!=", "=="}, {"<=", ">"}, {">=", "<"}, {"<", ">="}, {">", "<="}},
	"INCREMENT_DECREMENT":   {{"++", "--"}, {"--", "++"}},
	"INVERT_NEGATIVES":      {{"-", "+"}},
}

// operator is the operator at the beginning of a text and what takes its place.
func operator(text []byte, kind string) (old, replaced string) {
	for _, o := range operators[kind] {
		if bytes.HasPrefix(text, []byte(o[0])) {
			return o[0], o[1]
		}
	}
	return "", ""
}
