package mapinfer

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// measured are the parts of a summary that differ from run to run.
var measured = regexp.MustCompile(`in [0-9.]+ s|\(gap [^)]*\)`)

// TestReadmes runs the command of each example's README and compares what it
// prints with what the README says.
func TestReadmes(t *testing.T) {
	root := filepath.Join("..", "..")
	readmes, err := filepath.Glob(filepath.Join(root, "examples", "*", "README.md"))
	if err != nil || len(readmes) < 6 {
		t.Fatalf("%d READMEs, %v", len(readmes), err)
	}
	t.Chdir(root)
	for _, path := range readmes {
		path, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			command, said, ok := readme(string(text))
			if !ok {
				t.Fatal("there is no command with its output")
			}
			o, err := parse(strings.Fields(command), nil)
			if err != nil {
				t.Fatal(err)
			}
			stop := watchSignals()
			defer stop.release()
			var stdout strings.Builder
			j := &job{options: o, stop: stop, progress: newProgress(os.Stderr, true), stdout: &stdout}
			if err := j.run(); err != nil {
				t.Fatal(err)
			}
			got := measured.ReplaceAllString(stdout.String(), "…")
			want := measured.ReplaceAllString(said, "…")
			if got != want {
				t.Errorf("printed\n%s\nthe README says\n%s", got, want)
			}
		})
	}
}

// readme finds the command, without go run and its package, and its output: the
// two indented blocks.
func readme(text string) (command, output string, ok bool) {
	const prefix = "    go run ./cmd/infer "
	inBlock, blocks := false, 0
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "    ") {
			inBlock = false
			continue
		}
		if !inBlock {
			blocks++
		}
		inBlock = true
		if blocks == 1 {
			command = strings.TrimPrefix(line, prefix)
			ok = command != line
		} else {
			output += line[4:] + "\n"
		}
	}
	return command, output, ok && blocks == 2
}
