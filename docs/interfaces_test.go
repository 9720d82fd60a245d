package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
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

// optional is what the source below a folder has of optional interfaces: those of the module
// that a value is asked for by a type assertion or a type switch.
type optional struct {
	asked       map[string]string   // where each interface is asked for first
	implemented map[string][]string // the types that the compiler is told to implement each
}

// readOptional reads all packages of the module at root but those for tests.
// Interfaces of other modules are not counted; those without a name are.
func readOptional(t *testing.T, root string) optional {
	t.Helper()
	fset := token.NewFileSet()
	trees := map[*ast.File]string{} // and the folder of each
	interfaces := map[string]bool{}
	source(t, root, func(file, pkg string) {
		tree, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		trees[tree] = pkg
		ast.Inspect(tree, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				if _, ok := s.Type.(*ast.InterfaceType); ok {
					interfaces[pkg+"."+s.Name.Name] = true
				}
			}
			return true
		})
	})
	o := optional{map[string]string{}, map[string][]string{}}
	for tree, dir := range trees {
		o.read(fset, tree, dir, interfaces)
	}
	return o
}

// read adds what a file has.
func (o optional) read(fset *token.FileSet, tree *ast.File, dir string, interfaces map[string]bool) {
	folders := map[string]string{}
	for _, i := range tree.Imports {
		full := strings.Trim(i.Path.Value, `"`)
		name := path.Base(full)
		if i.Name != nil {
			name = i.Name.Name
		}
		if folder, ok := strings.CutPrefix(full, "hinge/"); ok {
			folders[name] = folder
		}
	}
	// named is the interface of the module that an expression is the name of, or "".
	named := func(e ast.Expr) string {
		name := ""
		switch e := e.(type) {
		case *ast.Ident:
			name = dir + "." + e.Name
		case *ast.SelectorExpr:
			if pkg, ok := e.X.(*ast.Ident); ok {
				name = folders[pkg.Name] + "." + e.Sel.Name
			}
		case *ast.InterfaceType:
			if len(e.Methods.List) > 0 {
				return types.ExprString(e) + " without a name in " + dir
			}
		}
		if !interfaces[name] {
			return ""
		}
		return name
	}
	ask := func(e ast.Expr) {
		if name := named(e); e != nil && name != "" && o.asked[name] == "" {
			o.asked[name] = fset.Position(e.Pos()).String()
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			ask(n.Type)
		case *ast.TypeSwitchStmt:
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					ask(e)
				}
			}
		case *ast.ValueSpec:
			if n.Names[0].Name != "_" || n.Type == nil || len(n.Values) != 1 {
				break
			}
			if name := named(n.Type); name != "" {
				o.implemented[name] = append(o.implemented[name], dir+": "+types.ExprString(n.Values[0]))
			}
		}
		return true
	})
}

// mostOptional is the number of optional interfaces that a stranger can be asked to know.
const mostOptional = 8

// check lists what is wrong with a table of optional interfaces.
func (o optional) check(table []string) (wrong []string) {
	if n := len(table); n > mostOptional {
		wrong = append(wrong, fmt.Sprintf("%d optional interfaces, more than %d", n, mostOptional))
	}
	for name, where := range o.asked {
		if !slices.Contains(table, name) {
			wrong = append(wrong, where+": "+name+" is not in the table")
		}
	}
	for _, name := range table {
		types := o.implemented[name]
		slices.Sort(types)
		if o.asked[name] == "" {
			wrong = append(wrong, name+" is asked for nowhere")
		}
		if n := len(slices.Compact(types)); n < 2 {
			wrong = append(wrong, fmt.Sprintf("%s is claimed to be implemented (var _ = …) by %d types, want 2", name, n))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// TestOptionalInterfaces: the table of the comment of package train lists what a value may
// implement and need not.
func TestOptionalInterfaces(t *testing.T) {
	text, err := os.ReadFile("../train/doc.go")
	require.NoError(t, err)
	_, text2, ok := strings.Cut(string(text), "# Optional interfaces\n")
	if !ok {
		t.Fatal("train/doc.go has no heading Optional interfaces")
	}
	var table []string
	for _, m := range regexp.MustCompile(`(?m)^//\t([\w/]+\.\w+) `).FindAllStringSubmatch(text2, -1) {
		table = append(table, m[1])
	}
	for _, w := range readOptional(t, "..").check(table) {
		t.Error(w)
	}
}

// The check sees each kind of mistake.
func TestOptionalSeesMistakes(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"a/a.go": `package a
type One interface{ M() }
type Two interface{ N() }
type Quiet interface{ O() }
type x int
func (x) M() {}
func (x) N() {}
var ( _ One = x(0); _ Two = x(0); _ Two = x(0) )
func f(v any) { _, _ = v.(One); _, _ = v.(interface{ P() }); _, _ = v.(any); _, _ = v.(x) }`,
		"b/b.go": `package b
import other "hinge/a"
type y int
func (y) M() {}
var _ other.One = y(0)
func f(v any) { switch v.(type) { case other.Two, error: } }`,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o644))
	}
	o := readOptional(t, root)
	for _, c := range []struct {
		table []string
		want  []string // in each mistake
	}{
		{[]string{"a.One", "a.Two"}, []string{"without a name in a is not in the table", "a.Two is claimed to be implemented (var _ = …) by 1 types"}},
		{[]string{"a.One", "a.Quiet"}, []string{"without a name", "b.go:6:40: a.Two is not in the table", "a.Quiet is asked for nowhere", "a.Quiet is claimed"}},
		{strings.Split(strings.Repeat("a.One ", 8)+"a.One", " "), []string{"without a name", "a.Two is not", "9 optional interfaces, more than 8"}},
	} {
		got := o.check(c.table)
		for _, w := range c.want {
			if !slices.ContainsFunc(got, func(g string) bool { return strings.Contains(g, w) }) {
				t.Errorf("%q: %q, want one with %q", c.table, got, w)
			}
		}
		assert.Equalf(t, len(c.want), len(got), "%q: %q", c.table, got)
	}
}
