package model

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/psl"
)

// dump prints a node in a canonical form, with places if asked.
func dump(n *node, places bool) string {
	at := ""
	if places {
		at = fmt.Sprintf("@%d:%d", n.line, n.col)
	}
	switch n.kind {
	case nullNode:
		return "null" + at
	case textNode:
		return fmt.Sprintf("%q", n.text) + at
	case listNode:
		var parts []string
		for i := range n.items {
			parts = append(parts, dump(&n.items[i], places))
		}
		return "[" + strings.Join(parts, " ") + "]" + at
	case objectNode:
		var parts []string
		for i := range n.items {
			key := n.keys[i]
			key.kind = textNode
			parts = append(parts, dump(&key, places)+":"+dump(&n.items[i], places))
		}
		return "{" + strings.Join(parts, " ") + "}" + at
	}
	return n.text + at
}

// folder writes files (name, content) to a new folder and returns it.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, files)
	return dir
}

// writeFiles writes files below a folder. A file whose name ends in .gz is
// compressed.
func writeFiles(t require.TestingT, dir string, files map[string]string) {
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		f, err := os.Create(path)
		require.NoError(t, err)
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			_, err = z.Write([]byte(content))
			err = errors.Join(err, z.Close())
		} else {
			_, err = f.WriteString(content)
		}
		require.NoError(t, errors.Join(err, f.Close()))
	}
}

// load loads model.json of files in a new folder, where the test then is.
func load(t testing.TB, files map[string]string, opts LoadOptions) (*Model, error) {
	t.Helper()
	t.Chdir(folder(t, files))
	return Load("model.json", opts)
}

// mustLoad is load for a model without mistakes.
func mustLoad(t testing.TB, files map[string]string, opts LoadOptions) *Model {
	t.Helper()
	m, err := load(t, files, opts)
	if err != nil {
		t.Fatal(detail(err))
	}
	return m
}

// parsed is a model in memory, of the partition infer.
func parsed(src string) (*Model, error) {
	return parse("m.json", []byte(src), LoadOptions{Partition: Infer})
}

// notes are the warnings of a model, a line each: a mark ! is for those about what changes the
// answer. Places in a model that is parsed are without its name.
func notes(m *Model) string {
	var lines []string
	for _, w := range m.Warnings {
		mark := ""
		if w.Loud {
			mark = "!"
		}
		lines = append(lines, mark+strings.TrimPrefix(w.String(), "m.json:"))
	}
	return strings.Join(lines, "\n")
}

// detail is the long form of rule errors.
func detail(err error) string {
	if e, ok := errors.AsType[*psl.Error](err); ok {
		return e.Detail()
	}
	return err.Error()
}

// smokers is a small correct model; tests change parts of it.
const smokers = `{
	"rules": ["2: Friends(A, B) & Smokes(A) -> Smokes(B) ^2", "1: !Smokes(A)"],
	"predicates": {
		"Friends/2": {"observations": [["ann", "bob"], ["bob", "cleo", 0.5]]},
		"Smokes/1": {
			"observations": [["ann"]],
			"targets": [["bob"], ["cleo"]],
			"truth": [["bob", 1], ["cleo", 0]],
			"evaluations": ["DiscreteEvaluator"]
		}
	}
}`
