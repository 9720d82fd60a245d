package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages are those for people, by their path from the root.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "checkpoints/*.md", "examples/*.md", "examples/*/*.md", "lab/README.md", "lab/docs/*.md", "lab/benchmarks/README.md"} {
		found, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		for _, page := range found {
			all = append(all, filepath.ToSlash(strings.TrimPrefix(page, ".."+string(filepath.Separator))))
		}
	}
	return all
}

// read is the text of a page.
func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(page)))
	require.NoError(t, err)
	return string(text)
}

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are what headings are linked to by.
func anchors(text string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := link.ReplaceAllString(m[1], "]")
		all = append(all, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(name), ""), " ", "-"))
	}
	return all
}

// comment is one of HTML: records quote pages there, with their links.
var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// TestLinks: what a page links to is there, and the heading is in it.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(comment.ReplaceAllString(read(t, page), ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			if target = path.Join(path.Dir(page), target); strings.HasPrefix(m[1], "#") {
				target = page
			}
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: %s is not there", page, m[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchors(read(t, target)), anchor) {
				t.Errorf("%s: %s has no heading #%s", page, target, anchor)
			}
		}
	}
}

// TestContents: the table of contents lists every page of docs.
func TestContents(t *testing.T) {
	text := read(t, "docs/README.md")
	for _, page := range pages(t) {
		if name := path.Base(page); path.Dir(page) == "docs" && name != "README.md" && !strings.Contains(text, "("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

// TestTargets: CONTRIBUTING names every target of the Makefile.
func TestTargets(t *testing.T) {
	text, found := read(t, "CONTRIBUTING.md"), 0
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9 -]*):`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		for name := range strings.FieldsSeq(m[1]) {
			if found++; !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "make "+name) && (name < "table2" || name > "table6") {
				t.Errorf("CONTRIBUTING.md has no target %s", name)
			}
		}
	}
	assert.GreaterOrEqual(t, found, 30, "are they still found?")
}

var flagRow = regexp.MustCompile("(?m)^\\| (`-[^|]*?) \\|")

// TestFlagsOnce: a page's table of flags has each of them in one row.
func TestFlagsOnce(t *testing.T) {
	found := 0
	for _, page := range pages(t) {
		seen := map[string]bool{}
		for _, m := range flagRow.FindAllStringSubmatch(read(t, page), -1) {
			for name := range strings.SplitSeq(m[1], ", ") {
				name, _, _ = strings.Cut(strings.Trim(name, "`"), " ")
				if found++; seen[name] {
					t.Errorf("%s has two rows for %s", page, name)
				}
				seen[name] = true
			}
		}
	}
	assert.GreaterOrEqual(t, found, 30, "are they still found?")
}

// TestNotice: NOTICE names each module that Hinge itself uses.
func TestNotice(t *testing.T) {
	notice := read(t, "NOTICE")
	for _, line := range regexp.MustCompile(`(?m)^\t([^\s()]+) v\S+$`).FindAllStringSubmatch(read(t, "go.mod"), -1) {
		assert.Contains(t, notice, line[1])
	}
}
