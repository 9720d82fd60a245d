package solve

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/npy/npytest"
)

// command runs the command and returns its exit code, what it printed and what it said.
func command(t *testing.T, args ...string) (code int, a answer, said string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = Main(args, &stdout, &stderr)
	if stdout.Len() > 0 {
		require.NoErrorf(t, json.Unmarshal([]byte(stdout.String()), &a), "%s", stdout.String())
	}
	return code, a, stderr.String()
}

// row is one of the table of the examples: file, variables, status, exit code and value.
var row = regexp.MustCompile("(?m)^\\| `([\\w.]+)` \\| .*? \\| (\\w+) \\| (\\d) \\| (\\S*) \\|$")

// The examples end as their README says.
func TestExamples(t *testing.T) {
	dir := filepath.Join("..", "..", "examples", "qp")
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	rows := row.FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, len(files)-1, "examples in the README")
	for _, m := range rows {
		code, a, said := command(t, filepath.Join(dir, m[1]))
		value := ""
		if a.Value != nil {
			value = fmt.Sprintf("%.5f", *a.Value)
		}
		assert.Equal(t, m[1:], []string{m[1], a.Status, fmt.Sprint(code), value}, said)
		if code == 0 {
			assert.LessOrEqual(t, max(*a.Gap, *a.MaxViolation, *a.MaxGradient), a.Tolerance, m[1])
			assert.Len(t, a.X, a.Variables)
		} else {
			assert.NotEmpty(t, a.Proof, m[1])
		}
	}
}

// npz writes a file of numpy.
func npz(t *testing.T, arrays map[string]any) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range arrays {
		w, err := z.Create(name + ".npy")
		require.NoError(t, err)
		descr, shape := "<f8", ""
		switch v := data.(type) {
		case []int64:
			descr, shape = "<i8", fmt.Sprintf("%d,", len(v))
		case []float64:
			shape = fmt.Sprintf("%d,", len(v))
		}
		_, err = w.Write(npytest.File(descr, false, shape, data))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	file := filepath.Join(t.TempDir(), "p.npz")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

// square is min ½(2x² + 2xy + 2y²) − x − 5 with x + y = 1 in two entries for y, y ≤ 10.
func square() map[string]any {
	inf := math.Inf(1)
	return map[string]any{
		"P_row": []int64{0, 0, 1, 1}, "P_col": []int64{0, 1, 0, 1}, "P_val": []float64{2, 1, 1, 2},
		"q": []float64{-1, 0}, "r": -5.0, "A_row": []int64{0, 0, 0}, "A_col": []int64{0, 1, 1}, "A_val": []float64{1, 0.25, 0.75},
		"low": []float64{1}, "high": []float64{1}, "upper": []float64{inf, 10},
	}
}

// x = 1, y = 0 is the optimum, from the whole Hessian and from either triangle.
func TestNPZ(t *testing.T) {
	for _, drop := range []func(map[string]any){
		func(map[string]any) {},
		func(a map[string]any) {
			a["P_row"], a["P_col"], a["P_val"] = []int64{0, 0, 1}, []int64{0, 1, 1}, []float64{2, 1, 2}
		},
		func(a map[string]any) {
			a["P_row"], a["P_col"], a["P_val"] = []int64{1, 0, 1}, []int64{1, 0, 0}, []float64{2, 2, 1}
		},
	} {
		a := square()
		drop(a)
		code, got, said := command(t, npz(t, a))
		require.Equal(t, 0, code, said)
		assert.InDelta(t, -5, *got.Value, 1e-6)
		assert.InDelta(t, 1, *got.X[0].Value, 1e-6)
		assert.Equal(t, 1, got.OffDiagonal)
		assert.Equal(t, 2, got.Entries)
	}
}

// What is wrong with an array is said with its name.
func TestNPZRefused(t *testing.T) {
	for want, spoil := range map[string]func(map[string]any){
		"array z is none of":                                    func(a map[string]any) { a["z"] = []float64{1} },
		"array q is not there or empty":                         func(a map[string]any) { delete(a, "q") },
		"array q: number 1 is NaN":                              func(a map[string]any) { a["q"] = []float64{0, math.NaN()} },
		"array q: shape [], want one axis":                      func(a map[string]any) { a["q"] = 1.0 },
		"array r: shape [2], want one number":                   func(a map[string]any) { a["r"] = []float64{1, 2} },
		"array low has 2 numbers, want 3":                       func(a map[string]any) { a["low"], a["high"] = []float64{0, 0}, []float64{0, 0, 0} },
		"array upper has 1 numbers, want 2":                     func(a map[string]any) { a["upper"] = []float64{0} },
		"array A_col: number 2 is 2, want a whole one from 0":   func(a map[string]any) { a["A_col"] = []int64{0, 1, 2} },
		"array A_row: number 0 is 0.5, want a whole one from 0": func(a map[string]any) { a["A_row"] = []float64{0.5, 0, 0} },
		"array A_val: number 0 is +Inf":                         func(a map[string]any) { a["A_val"] = []float64{math.Inf(1), 0, 0} },
		"arrays A_row, A_col and A_val have 3, 3 and 2 numbers": func(a map[string]any) { a["A_val"] = []float64{1, 1} },
		"neither a symmetric matrix nor one triangle":           func(a map[string]any) { a["P_val"] = []float64{2, 1, 0.5, 2} },
		"qp: P[0] is -2":                                        func(a map[string]any) { a["P_val"] = []float64{-2, 1, 1, 2} },
		"the Hessian is not convex":                             func(a map[string]any) { a["P_val"] = []float64{1, 2, 2, 1} },
		"qp: row 0 is to be between 2 and 1":                    func(a map[string]any) { a["low"] = []float64{2} },
	} {
		a := square()
		spoil(a)
		if code, _, said := command(t, npz(t, a)); code != 3 || !strings.Contains(said, "p.npz: ") || !strings.Contains(said, want) {
			t.Errorf("exit code %d, said %q, want %s", code, said, want)
		}
	}
}

// tiny has the sense, the constant and the multipliers of a maximum: 3 − x² + 2x over x ≤ 0.5.
const tiny = "ROWS\n N C\nCOLUMNS\n X C 2\nRHS\n C -3\nBOUNDS\n UP X 0.5\nQUADOBJ\n X X -2\nOBJSENSE MAX\nENDATA\n"

func TestMain_maximum(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tiny.QPS.gz")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, tiny)
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	code, a, said := command(t, "-tol", "1e-8", file)
	require.Equal(t, 0, code, said)
	assert.Equal(t, "max", a.Sense)
	assert.InDelta(t, 3.75, *a.Value, 1e-8)
	assert.InDelta(t, 3.75, *a.DualValue, 2e-8)
	assert.InDelta(t, 1, a.X[0].Multiplier, 1e-7)
	assert.Equal(t, 1e-8, a.Tolerance)
	if _, a, _ := command(t, "-short", file); a.X != nil || *a.Value < 3.7 {
		t.Errorf("-short: %+v", a)
	}
}

// Exit codes: usage, files, and problems that end without a solution.
func TestMain_codes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	good, unbounded := write("good.mps", tiny), write("u.mps", "ROWS\n N C\nCOLUMNS\n X C -1\nENDATA\n")
	for _, c := range []struct {
		args   string
		code   int
		said   string
		status string
	}{
		{"-h", 0, "usage: solve", ""},
		{"", 2, "one file is solved, 0 are named", ""},
		{good + " " + good, 2, "one file is solved, 2 are named", ""},
		{"-tol 0 " + good, 2, "-tol 0 is not a number > 0", ""},
		{"-time-limit -1s " + good, 2, "-time-limit -1s is negative", ""},
		{write("p.txt", ""), 3, "p.txt: the name ends with none of .qps", ""},
		{filepath.Join(dir, "none.qps"), 3, "none.qps: no such file", ""},
		{write("bad.qps", "ROWS\n Z C\n"), 3, "bad.qps:2:2: kind Z", ""},
		{write("bad.npz", "no archive"), 3, "bad.npz: zip: not a valid zip file", ""},
		{write("bad.mps.gz", "no archive"), 3, "bad.mps.gz: ", ""},
		{good, 0, "", "solved"},
		{unbounded, 5, "", "no_progress"},
		{"-time-limit 1ns " + good, 5, "", "time_limit"},
	} {
		code, a, said := command(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(said, c.said) || a.Status != c.status {
			t.Errorf("%s: exit code %d, status %q, said %q; want %d, %q, %q", c.args, code, a.Status, said, c.code, c.status, c.said)
		}
	}
}
