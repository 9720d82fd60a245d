package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hinge/lab/source"
	"hinge/train/machine"
)

// commands are the programs of an archive. lab/cmd/bench is not among them: its records are
// made in a clone.
var commands = []string{"infer", "rules", "runs", "serve", "train"}

// target is a system that archives are built for.
type target struct{ system, processor string }

func (t target) String() string { return t.system + "-" + t.processor }

// program is the file name of a command.
func (t target) program(command string) string {
	if t.system == "windows" {
		return command + ".exe"
	}
	return command
}

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func main() {
	out := flag.String("out", "dist", "write archives and checksums to a new or empty `folder`")
	only := flag.String("targets", "", "build these `systems` alone, such as linux-amd64,windows-arm64")
	dirty := flag.Bool("dirty", false, "build from a tree that differs from its commit, too")
	flag.Parse()
	if err := run(*out, *only, *dirty); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out, only string, dirty bool) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if tree := source.Tree(context.Background(), ""); !dirty {
		if err := source.Committed(tree); err != nil {
			return fmt.Errorf("%w, or give -dirty", err)
		}
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("-out: %s is not empty; name a new folder", out)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	when, err := commitTime()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "hinge-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var names []string
	for _, t := range chosen {
		made, err := archive(t, work, out, when)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		names = append(names, made...)
		fmt.Fprintln(os.Stderr, "release:", strings.Join(made, ", "))
	}
	return writeSums(out, names)
}

// choose returns the named targets, all where none is named.
func choose(only string) ([]target, error) {
	if only == "" {
		return targets, nil
	}
	var chosen []target
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("-targets: %q is none of %v", name, targets)
		}
		chosen = append(chosen, targets[i])
	}
	return chosen, nil
}

// commitTime is that of the commit, in whose time every file of an archive is.
func commitTime() (time.Time, error) {
	text, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("git log: %w", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// archive builds the commands for a target and returns the names of what it wrote.
func archive(t target, work, out string, when time.Time) ([]string, error) {
	dir := filepath.Join(work, t.String())
	if err := build(t, dir); err != nil {
		return nil, err
	}
	var files []file
	for _, c := range commands {
		name := t.program(c)
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if err := anonymous(name, data); err != nil {
			return nil, err
		}
		files = append(files, file{name: name, data: data, executable: true})
	}
	for _, name := range []string{"LICENSE", "NOTICE", "CHANGELOG.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("%w (start it in the root of a clone)", err)
		}
		files = append(files, file{name: name, data: data})
	}
	linked, err := modules(dir)
	if err != nil {
		return nil, err
	}
	texts, err := licences(linked)
	if err != nil {
		return nil, err
	}
	bill, err := billOfMaterials(t, linked, files[:len(commands)], when)
	if err != nil {
		return nil, err
	}
	base := "hinge-" + machine.Release + "-" + t.String()
	files = append(files, file{name: "LICENSES-OF-MODULES.txt", data: texts}, file{name: "bom.cdx.json", data: bill})
	packed, suffix, err := tarball(base, files, when)
	if t.system == "windows" {
		packed, suffix, err = zipped(base, files, when)
	}
	if err != nil {
		return nil, err
	}
	names := []string{base + suffix, base + ".cdx.json"}
	for i, data := range [][]byte{packed, bill} {
		if err := os.WriteFile(filepath.Join(out, names[i]), data, 0o644); err != nil {
			return nil, err
		}
	}
	made, err := wheel(t, dir, out)
	return append(names, made), err
}

// wheel packs the built programs for Python and returns the name of the file.
func wheel(t target, dir, out string) (string, error) {
	text, err := exec.Command("go", "run", "./lab/release/wheel", "-goos", t.system, "-goarch", t.processor, "-programs", dir, "-out", out).Output()
	if err != nil {
		return "", fmt.Errorf("the wheel: %w", err)
	}
	return filepath.Base(strings.TrimSpace(string(text))), nil
}

// build links the commands statically and without a trace of where that is done.
func build(t target, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	args := []string{"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", dir + string(filepath.Separator)}
	for _, c := range commands {
		args = append(args, "./cmd/"+c)
	}
	cmd := exec.Command("go", args...)
	// What people set for themselves must not reach the bits.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.system, "GOARCH="+t.processor,
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOWORK=off", "GOFIPS140=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, bytes.TrimSpace(text))
	}
	return nil
}

// anonymous is an error where a program names the folder that it was built in.
func anonymous(name string, program []byte) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if bytes.Contains(program, []byte(here)) {
		return errors.New(name + " names the folder " + here)
	}
	return nil
}
