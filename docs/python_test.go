//go:build docs

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPythonPage: the blocks of Python on its page that are whole programs run, those with
// PyTorch where it is installed.
func TestPythonPage(t *testing.T) {
	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		if python, err = exec.LookPath("python3"); err != nil {
			t.Skip("there is no python3")
		}
	}
	bin := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../cmd/infer").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	source, err := filepath.Abs(filepath.Join("..", "app", "python"))
	require.NoError(t, err)
	ran := 0
	for _, block := range indented(read(t, "docs/PYTHON.md")) {
		if !strings.HasPrefix(block, "from ") && !strings.HasPrefix(block, "import ") {
			continue
		}
		ran++
		if strings.Contains(block, "import torch") && exec.CommandContext(t.Context(), python, "-c", "import torch").Run() != nil {
			t.Logf("not run, there is no PyTorch:\n%s", block)
			continue
		}
		cmd := exec.CommandContext(t.Context(), python, "-B", "-c", block)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+source, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s\n%s", err, block, out)
		}
	}
	assert.GreaterOrEqual(t, ran, 2, "are they still found?")
}

// indented are the code blocks of a page by four spaces; empty lines within them stay.
func indented(page string) (blocks []string) {
	block := ""
	for line := range strings.SplitSeq(page+"\nend", "\n") {
		code, in := strings.CutPrefix(line, "    ")
		switch {
		case in:
			block += code + "\n"
		case line == "" && block != "":
			block += "\n"
		case block != "":
			blocks, block = append(blocks, strings.TrimRight(block, "\n")), ""
		}
	}
	return blocks
}
