package runs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"hinge/app/report"
	"hinge/train/exit"
)

// folders makes three runs: one finished, one going on, one of another system.
func folders(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	for name, files := range map[string][3]string{
		"a": {"task = 'sums'\nloss = 'energy'\nrecipe = 'best'\nsplit = 10\n[training]\nbatch = 8\n",
			`{"step":1,"split":"train","loss":2,"solver_s":1,"neural_s":1}` + "\n" + `{"step":1,"split":"valid","accuracy":0.5,"solver_s":0,"neural_s":0}` + "\n",
			`{"steps":1,"test_accuracy":0.75,"test_examples":4,"valid_accuracy":0.5,"wall_s":2.5,"version":"0123456789abcdef+changes"}`},
		"b":      {"task = 'sums'\nloss = 'energy'\nsplit = 2\n[training]\nbatch = 16\n", `{"step":7,"split":"train","loss":1,"solver_s":1,"neural_s":0.5}` + "\n", ""},
		"deep/c": {"task = 'sums'\nsystem = 'other'\nloss = 'energy'\nsplit = 2\n", "", ""},
	} {
		dir := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(dir, 0o755))
		for i, file := range []string{"config.toml", "metrics.jsonl", "result.json"} {
			if files[i] == "" {
				continue
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(files[i]), 0o644))
		}
	}
	return root
}

// call runs the command; the folder's name is left out of what it prints.
func call(t *testing.T, root string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	code = Main(args, &out, &err)
	cut := func(s string) string { return strings.ReplaceAll(s, root+string(filepath.Separator), "") }
	return code, cut(out.String()), cut(err.String())
}

func TestTable(t *testing.T) {
	root := folders(t)
	for _, c := range []struct {
		args string
		want []string // the rows, cells separated by one blank
	}{
		{"", []string{
			"a sums neupsl energy best 10 75.00 test 1 2.5 0123456789ab+changes finished",
			"b sums neupsl energy 2 – 7 1.5 at step 7",
			"deep/c sums other 2 – 0 0.0 at step 0",
		}},
		{"-where training.batch=16", []string{"b sums neupsl energy 2 – 7 1.5 at step 7"}},
		{"-where system=neupsl -where state=finished", []string{"a sums neupsl energy best 10 75.00 test 1 2.5 0123456789ab+changes finished"}},
		{"-where loss=energy -where split=2", []string{"b sums neupsl energy 2 – 7 1.5 at step 7"}},
		{"-where loss=", []string{"deep/c sums other 2 – 0 0.0 at step 0"}}, // its setting has no use
		{"-where split=3", nil},
	} {
		code, out, stderr := call(t, root, append(strings.Fields(c.args), root)...)
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
		if code != exit.OK || stderr != "" || strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%q: %d, %s\n%s", c.args, code, stderr, out)
		}
	}
}

// TestSort: splits and accuracies are numbers; runs without an accuracy come last.
func TestSort(t *testing.T) {
	root := folders(t)
	for args, want := range map[string]string{
		"-sort split": "b deep/c a", "-sort split -reverse": "a b deep/c", "-sort accuracy -reverse": "a b deep/c", "-sort system": "a b deep/c", "-sort seconds": "deep/c b a",
	} {
		code, out, _ := call(t, root, append(strings.Fields(args+" -json"), root)...)
		var got []string
		for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
			var r report.Row
			require.NoError(t, d.Decode(&r))
			got = append(got, filepath.ToSlash(r.Dir))
		}
		if code != exit.OK || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", args, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	root := folders(t)
	code, out, _ := call(t, root, "-diff", filepath.Join(root, "a"), filepath.Join(root, "b"))
	var got []string
	for line := range strings.Lines(out) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := "a b|recipe best unset|split 10 2|training.batch 8 16|accuracy 75.00 test –|steps 1 7|seconds 2.5 1.5|commit 0123456789ab+changes|state finished at step 7"
	if code != exit.OK || strings.Join(got, "|") != want {
		t.Errorf("%d\n%s", code, out)
	}
}

func TestHTML(t *testing.T) {
	root := folders(t)
	path := filepath.Join(root, "runs.html")
	if code, out, stderr := call(t, root, "-html", path, root); code != exit.OK || out != "runs.html: 3 runs\n" {
		t.Fatal(code, out, stderr)
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	page := string(text)
	if _, err := html.Parse(strings.NewReader(page)); err != nil {
		t.Error(err)
	}
	// Both losses are points, in the colours of their rows.
	for _, want := range []string{"<h1>3 runs</h1>", `fill="#0072B2"`, `fill="#D55E00"`, "border-color:#0072B2", "training.batch", "75.00"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"<script", "ZgotmplZ", "url("} {
		if strings.Contains(page, bad) {
			t.Errorf("%q in the page", bad)
		}
	}
}

// TestErrors: a damaged run is named and the others are shown; slips are usage errors.
func TestErrors(t *testing.T) {
	root := folders(t)
	require.NoError(t, os.WriteFile(filepath.Join(root, "b", "metrics.jsonl"), []byte("{\"step\":1}\n{oops}\n"), 0o644))
	code, out, stderr := call(t, root, root)
	if code != exit.Data || !strings.HasPrefix(stderr, "runs: b/metrics.jsonl:2: ") || strings.Count(out, "\n") != 3 {
		t.Errorf("%d, %s\n%s", code, stderr, out)
	}
	for args, want := range map[string]string{
		"-sort size " + root:             "-sort \"size\" is none of dir, task",
		"-diff " + root:                  "-diff compares two run folders; named are 1",
		"-diff -json " + root + " b":     "-diff and -agree compare the runs that are named; leave the other flags out",
		"-json -html x.html " + root:     "-json and -html are two forms; leave one of them out",
		root + " -json":                  "-json stands behind a folder",
		"-where batch " + root:           "want KEY=VALUE",
		"-where tsak=sums " + root:       "-where: \"tsak\" is no column (dir, task",
		filepath.Join(root, "deep", "x"): "no such file",
		t.TempDir():                      "there is no run of cmd/train in or below",
	} {
		if code, _, stderr := call(t, root, strings.Fields(args)...); code != exit.Usage || !strings.Contains(stderr, want) {
			t.Errorf("%s: %d, %s", args, code, stderr)
		}
	}
}

// TestLink: a link to a folder of runs is that folder, and one among other runs is listed once.
func TestLink(t *testing.T) {
	root := folders(t)
	far := t.TempDir()
	require.NoError(t, os.Rename(filepath.Join(root, "a"), filepath.Join(far, "a")))
	for link, run := range map[string]string{"a": filepath.Join(far, "a"), "again": filepath.Join(far, "a"), "0": filepath.Join(root, "b"), "c": far} {
		if err := os.Symlink(run, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	if code, out, _ := call(t, root, root); code != exit.OK || strings.Count(out, "\n") != 4 || !strings.Contains(out, "\na ") || !strings.Contains(out, "\nb ") {
		t.Errorf("%d\n%s", code, out)
	}
	// Nor is it listed twice where the run itself is in another of the folders, however these are ordered.
	alone := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(far, "a"), filepath.Join(alone, "a")))
	for _, dirs := range [][]string{{alone, far}, {far, alone}} {
		if code, out, stderr := call(t, far, dirs...); code != exit.OK || strings.Count(out, "\n") != 2 {
			t.Errorf("%d\n%s%s", code, out, stderr)
		}
	}
	link := filepath.Join(t.TempDir(), "latest")
	if err := os.Symlink(filepath.Join(root, "a"), link); err != nil {
		t.Skip(err)
	}
	code, out, _ := call(t, root, link)
	if code != exit.OK || strings.Count(out, "\n") != 2 {
		t.Errorf("%d\n%s", code, out)
	}
}

// TestUnreadable: a folder below the named one that may not be read is told of, and the runs are listed all the same.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to the superuser")
	}
	root := folders(t)
	locked := filepath.Join(root, "locked")
	require.NoError(t, os.Mkdir(locked, 0))
	code, out, stderr := call(t, root, root)
	if code != exit.Data || !strings.HasPrefix(stderr, "runs: open locked: permission denied") || strings.Count(out, "\n") != 4 {
		t.Errorf("%d, %s\n%s", code, stderr, out)
	}
}

func ExampleMain() {
	code := Main([]string{"-sort", "size"}, os.Stdout, os.Stdout)
	fmt.Println(code)
	// Output:
	// runs: -sort "size" is none of dir, task, system, loss, recipe, split, accuracy, steps, seconds, commit, state
	// 2
}
