//go:build docs

package docs

import (
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// short is what a run of the pages gets added, so that it ends in seconds. Only tasks on
// images of digits have views of an image to leave out.
func short(args []string) []string {
	more := []string{"-steps", "2", "-quiet"}
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "mnist-") }) {
		more = append(more, "-set", "neural.test-views=0")
	}
	return more
}

// binaries builds the commands, and returns the folder they are in and the flags of each.
func binaries(t *testing.T) (bin string, flags map[string][]string) {
	t.Helper()
	bin, flags = t.TempDir(), map[string][]string{}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../cmd/...", "../lab/cmd/...").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found, err := os.ReadDir(bin)
	require.NoError(t, err)
	name := regexp.MustCompile(`(?m)^  -(\S+)`)
	for _, f := range found {
		forms := [][]string{{"-h"}}
		if f.Name() == "bench" {
			forms = append(forms, []string{"-table", "4", "-h"})
		}
		for _, args := range forms {
			out, err := exec.CommandContext(t.Context(), filepath.Join(bin, f.Name()), args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%s %v: %v\n%s", f.Name(), args, err, out)
			}
			for _, m := range name.FindAllStringSubmatch(string(out), -1) {
				flags[f.Name()] = append(flags[f.Name()], m[1])
			}
		}
	}
	return bin, flags
}

// called is the program of ours that a command runs, "" for others; the example of a
// task of one's own has the flags of cmd/train, and some.
func (c *command) called() string {
	if len(c.words) < 3 || c.words[0] != "go" || c.words[1] != "run" {
		return ""
	}
	if c.words[2] == "." {
		return "train"
	}
	name, ok := strings.CutPrefix(strings.Replace(c.words[2], "./lab/", "./", 1), "./cmd/")
	if !ok {
		return ""
	}
	return name
}

// TestCommands: every flag that a page shows is one of the program's, and every command
// of infer, train, runs and rules does what it says, learning in two steps.
func TestCommands(t *testing.T) {
	bin, flags := binaries(t)
	flags["infer"] = append(flags["infer"], "infer") // the reference's --infer, read before the flags
	for _, f := range append(flags["train"], flags["runs"]...) {
		assert.Containsf(t, read(t, "docs/TRAINING.md"), "-"+f, "docs/TRAINING.md has no flag -%s", f)
	}
	ran := 0
	for _, page := range pages(t) {
		all := commands(t, page)
		for _, c := range all {
			for _, w := range c.after(3) {
				name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
				if c.called() != "" && strings.HasPrefix(w, "-") && !slices.Contains(flags[c.called()], name) && name != "h" {
					t.Errorf("%s: %s has no flag -%s", c.place, c.called(), name)
				}
			}
		}
		for i := 0; i < len(all); {
			end := i + 1
			for end < len(all) && all[end].block == all[i].block {
				end++
			}
			if all[i].block != "" {
				ran += runBlock(t, bin, all[i:end])
			}
			i = end
		}
	}
	assert.GreaterOrEqual(t, ran, 30, "are they still found?")
}

// runBlock runs the commands of a code block one after the other, in a folder of their
// own with the examples in it. It returns how many.
func runBlock(t *testing.T, bin string, block []command) (ran int) {
	t.Helper()
	dir := t.TempDir()
	// Commands write beside the examples too.
	require.NoError(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join("..", "examples"))))
	for _, c := range block {
		name, args := c.called(), slices.Clone(c.after(3))
		if !slices.Contains([]string{"train", "infer", "runs", "rules"}, name) || c.words[2] == "." || slices.Contains(args, "-h") {
			continue
		}
		if slices.ContainsFunc(args, func(a string) bool {
			return a == "cora" || a == "citeseer" || strings.HasPrefix(a, "examples/cora/") || a == "model.json"
		}) {
			continue // data that may not be here, and a model of the reader's
		}
		if name == "rules" && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "examples/") }) {
			continue // facts of the reader's
		}
		prepare(t, bin, dir, args)
		begins := name == "train" && !slices.ContainsFunc(args, func(a string) bool {
			return slices.Contains([]string{"-eval", "-resume", "-predict", "-report", "-recommend"}, a)
		})
		if begins {
			args = append(args, short(args)...)
			fresh := "checkpoints"
			if at := slices.Index(args, "-out"); at >= 0 {
				fresh = args[at+1]
			}
			require.NoError(t, os.RemoveAll(filepath.Join(dir, fresh)))
		}
		ran++
		execute(t, dir, filepath.Join(bin, name), args, c.place)
	}
	return ran
}

func execute(t *testing.T, dir, program string, args []string, place string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %s %s: %v\n%s", place, filepath.Base(program), strings.Join(args, " "), err, out)
	}
}

// prepare makes what a command needs and none before it has made: runs, and pictures.
func prepare(t *testing.T, bin, dir string, args []string) {
	t.Helper()
	missing := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err != nil
	}
	learn := func(out string, task ...string) {
		execute(t, dir, filepath.Join(bin, "train"), slices.Concat(task, []string{"-out", out}, short(task)), "a run to look at")
	}
	mnist := []string{"-task", "mnist-add1", "-additions", "40"}
	for i, arg := range args {
		begins := slices.ContainsFunc(args, func(a string) bool { return slices.Contains([]string{"-task", "-model", "-config"}, a) })
		switch {
		case arg == "RUN" && !begins && missing("RUN"):
			learn("RUN", mnist...)
		case arg == "-weights" && missing(args[i+1]):
			learn(args[i+1], args[:2]...) // of the same model
		case strings.HasPrefix(arg, "checkpoints") && missing("checkpoints"):
			learn(filepath.Join("checkpoints", "a"), mnist...)
			require.NoError(t, os.CopyFS(filepath.Join(dir, "checkpoints", "b"), os.DirFS(filepath.Join(dir, "checkpoints", "a"))))
		case strings.HasSuffix(arg, ".jpg"):
			picture(t, filepath.Join(dir, arg))
		}
	}
}

// picture writes a one, whatever the name says; pictures are known by what is in them.
func picture(t *testing.T, path string) {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 40, 40))
	for y := 8; y < 32; y++ {
		for x := 18; x < 22; x++ {
			m.SetGray(x, y, color.Gray{255})
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, fs.FileMode(0o600))
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, png.Encode(f, m))
}
