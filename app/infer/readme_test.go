package infer

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		require.NoError(t, err)
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			if strings.Contains(string(text), "./cmd/train") || strings.Contains(string(text), "./cmd/rules") || strings.Contains(string(text), "    go run .\n") {
				return // an example of training
			}
			runs := readme(string(text))
			if len(runs) == 0 {
				t.Fatal("there is no command with its output")
			}
			for _, r := range runs {
				args, out := strings.Fields(r.command), t.TempDir()+string(filepath.Separator)
				if at := slices.Index(args, "-out"); at >= 0 {
					args[at+1] = out + args[at+1]
				}
				_, got := runArgs(t, args...)
				got = measured.ReplaceAllString(got, "…")
				got = strings.ReplaceAll(got, out, "")
				want := measured.ReplaceAllString(r.output, "…")
				if head, cut := strings.CutSuffix(want, "...\n"); cut && strings.HasPrefix(got, head) {
					continue // the README leaves out the rest
				}
				assert.Equal(t, want, got, "printed")
			}
		})
	}
}

// said is a command, without go run and its package, and its output.
type said struct{ command, output string }

// readme finds the commands that are followed by their output: two indented
// blocks, of which the first is one line.
func readme(text string) (runs []said) {
	const prefix = "    go run ./cmd/infer "
	var blocks [][]string
	inBlock := false
	for line := range strings.SplitSeq(text, "\n") {
		indented := strings.HasPrefix(line, "    ")
		if indented && !inBlock {
			blocks = append(blocks, nil)
		}
		if inBlock = indented; indented {
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], line)
		}
	}
	for i := 0; i+1 < len(blocks); i++ {
		command, ok := strings.CutPrefix(blocks[i][0], prefix)
		if !ok || len(blocks[i]) != 1 {
			continue
		}
		r := said{command: command}
		for _, line := range blocks[i+1] {
			r.output += line[4:] + "\n"
		}
		runs = append(runs, r)
	}
	return runs
}
