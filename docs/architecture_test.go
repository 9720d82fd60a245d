// Package docs holds the pages of the project; its tests compare them with the code.
package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
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

// drawing is one mermaid flowchart: the packages of each node by their folder, the
// floor of each, counted from the top, and the arrows.
type drawing struct {
	folder map[string]string // of each name
	floor  map[string]int    // of each folder
	arrows map[[2]string]bool
}

var (
	nodeLine  = regexp.MustCompile(`^(\w+)\["([\w/]+)"\]$`)
	arrowLine = regexp.MustCompile(`^(\w+) --> (\w+(?: & \w+)*)$`)
)

// readDrawings returns the flowcharts of a page, in order.
func readDrawings(t *testing.T, page string) []*drawing {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	var all []*drawing
	var d *drawing
	floors := 0
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "```mermaid":
			d, floors = &drawing{map[string]string{}, map[string]int{}, map[[2]string]bool{}}, 0
			all = append(all, d)
		case d == nil || line == "" || line == "end" || line == "flowchart TD":
		case line == "```":
			d = nil
		case strings.HasPrefix(line, "subgraph "):
			floors++
		case nodeLine.MatchString(line):
			m := nodeLine.FindStringSubmatch(line)
			d.folder[m[1]], d.floor[m[2]] = m[2], floors
		case arrowLine.MatchString(line):
			m := arrowLine.FindStringSubmatch(line)
			for _, to := range strings.Split(m[2], " & ") {
				from, to := d.folder[m[1]], d.folder[to]
				if from == "" || to == "" {
					t.Fatalf("%s:%d: an arrow of no node: %s", page, n+1, line)
				}
				d.arrows[[2]string{from, to}] = true
			}
		default:
			t.Fatalf("%s:%d: not a node, an arrow or a floor: %s", page, n+1, line)
		}
	}
	return all
}

// node returns the folder of the drawing that a package lies in, the deepest, or "".
func (d *drawing) node(pkg string) string {
	for ; pkg != "."; pkg = path.Dir(pkg) {
		if _, ok := d.floor[pkg]; ok {
			return pkg
		}
	}
	return ""
}

// forTests reports whether a package is for tests only.
func forTests(pkg string) bool { return strings.HasSuffix(pkg, "test") }

// source visits the Go files of the module at root, each with its folder there, on all
// platforms and with all build tags. Tests and packages for tests are left out.
func source(t *testing.T, root string, visit func(file, pkg string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			_, module := os.Stat(filepath.Join(file, "go.mod"))
			if file != root && (module == nil || name == "testdata" || strings.HasPrefix(name, ".") || forTests(name)) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			var pkg string
			if pkg, err = filepath.Rel(root, filepath.Dir(file)); err == nil {
				visit(file, filepath.ToSlash(pkg))
			}
		}
		return err
	}))
}

// imports returns what each package of the module at root imports from the module.
func imports(t *testing.T, root string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	source(t, root, func(file, pkg string) {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range tree.Imports {
			if to, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "hinge/"); ok && !forTests(to) {
				all[pkg] = append(all[pkg], to)
			}
		}
	})
	return all
}

// reduced returns the arrows that no path of other arrows implies.
func reduced(arrows map[[2]string]bool) map[[2]string]bool {
	var reaches func(from, to string, seen map[string]bool) bool
	reaches = func(from, to string, seen map[string]bool) bool {
		if from == to {
			return true
		}
		if seen[from] {
			return false
		}
		seen[from] = true
		for a := range arrows {
			if a[0] == from && reaches(a[1], to, seen) {
				return true
			}
		}
		return false
	}
	left := map[[2]string]bool{}
	for a := range arrows {
		left[a] = true
		for b := range arrows {
			if b[0] == a[0] && b[1] != a[1] && reaches(b[1], a[1], map[string]bool{}) {
				delete(left, a)
			}
		}
	}
	return left
}

// check lists what is wrong with the drawing of the packages below folder, each of
// which has a node of its own there; "" is the module, by folders.
func (d *drawing) check(imports map[string][]string, folder string) []string {
	var wrong []string
	found := map[[2]string]bool{}
	for from, all := range imports {
		for _, to := range all {
			if folder != "" && !strings.HasPrefix(from+"/", folder+"/") {
				continue
			}
			a := [2]string{d.node(from), d.node(to)}
			switch {
			case a[0] == "", folder != "" && a[0] != from:
				wrong = append(wrong, from+" is not drawn")
			case a[1] == "" && folder == "":
				wrong = append(wrong, to+" is not drawn")
			case a[0] == a[1] || a[1] == "":
			case d.floor[a[0]] > d.floor[a[1]]:
				wrong = append(wrong, from+" imports "+to+", which is on a floor above")
			default:
				found[a] = true
			}
		}
	}
	found = reduced(found)
	for a := range found {
		if !d.arrows[a] {
			wrong = append(wrong, "missing: "+a[0]+" --> "+a[1])
		}
	}
	for a := range d.arrows {
		if !found[a] {
			wrong = append(wrong, "no import, or implied by other arrows: "+a[0]+" --> "+a[1])
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

// The drawings of ARCHITECTURE.md are those of the imports.
func TestDrawingsAreTheImports(t *testing.T) {
	drawings := readDrawings(t, "ARCHITECTURE.md")
	require.Len(t, drawings, 2)
	all := imports(t, "..")
	for n, folder := range []string{"", "symbolic/infer"} {
		for _, wrong := range drawings[n].check(all, folder) {
			t.Errorf("drawing %d of ARCHITECTURE.md: %s", n+1, wrong)
		}
	}
}

// The check sees each kind of mistake.
func TestCheckSeesMistakes(t *testing.T) {
	arrow := func(from, to string) map[[2]string]bool { return map[[2]string]bool{{from, to}: true} }
	two := map[string]int{"a": 1, "b": 2}
	for _, c := range []struct {
		floor   map[string]int
		arrows  map[[2]string]bool
		imports map[string][]string
		want    string
	}{
		{two, arrow("a", "b"), map[string][]string{"a/x": {"b/y", "a/z"}}, ""},
		{two, nil, map[string][]string{"a": {"b"}}, "missing: a --> b"},
		{two, arrow("a", "b"), nil, "no import, or implied by other arrows: a --> b"},
		{two, nil, map[string][]string{"b": {"a"}}, "b imports a, which is on a floor above"},
		{two, nil, map[string][]string{"c": {"a"}}, "c is not drawn"},
		{map[string]int{"a": 1, "b": 2, "c": 2}, map[[2]string]bool{{"a", "b"}: true, {"b", "c"}: true, {"a", "c"}: true},
			map[string][]string{"a": {"b", "c"}, "b": {"c"}}, "no import, or implied by other arrows: a --> c"},
	} {
		d := &drawing{floor: c.floor, arrows: c.arrows}
		assert.Equal(t, c.want, strings.Join(d.check(c.imports, ""), "; "))
	}
}

// rings are the folders of each ring; a package imports from its own ring and what the ring
// may see.
var rings = map[string]struct{ folders, sees []string }{
	"core":     {[]string{"app", "bilevel", "data", "models", "nn", "optim", "symbolic", "train"}, nil},
	"tasks":    {[]string{"tasks"}, []string{"core"}},
	"cluster":  {[]string{"cluster"}, []string{"core"}},
	"programs": {[]string{"cmd", "examples"}, []string{"core", "tasks", "cluster"}},
}

// ringOf is the ring of a package, or "".
func ringOf(pkg string) string {
	for name, r := range rings {
		if slices.Contains(r.folders, strings.Split(pkg, "/")[0]) {
			return name
		}
	}
	return ""
}

// outward lists the imports that leave their ring for one that they may not see.
func outward(imports map[string][]string) (wrong []string) {
	for from, all := range imports {
		for _, to := range all {
			a, b := ringOf(from), ringOf(to)
			if a == "" || b == "" || a != b && !slices.Contains(rings[a].sees, b) {
				wrong = append(wrong, from+" imports "+to)
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// TestRings: imports point inward.
func TestRings(t *testing.T) {
	for _, w := range outward(imports(t, "..")) {
		t.Error(w)
	}
	for from, to := range map[string]string{"train": "tasks/x", "symbolic/infer": "cluster", "tasks/x": "app", "cluster": "tasks/x", "app/x": "cmd", "new": "train"} {
		if got := outward(map[string][]string{from: {to}}); (len(got) == 0) != (from == "tasks/x") {
			t.Errorf("%s imports %s: %q", from, to, got)
		}
	}
}

// TestFolders: a stranger sees at most sixteen folders, and all that the rings name.
func TestFolders(t *testing.T) {
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	var folders []string
	for _, e := range entries {
		// bin is what make build leaves.
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" {
			folders = append(folders, e.Name())
		}
	}
	if len(folders) > 16 {
		t.Errorf("%d folders: %s", len(folders), strings.Join(folders, ", "))
	}
}
