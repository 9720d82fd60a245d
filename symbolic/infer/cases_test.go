package infer

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// solvedCase is a ground problem with its known optimum.
type solvedCase struct {
	Name    string  `json:"name"`
	Epsilon float64 `json:"epsilon"`
	Targets int     `json:"targets"`
	Terms   int     `json:"terms"`
	Optimum struct {
		Regularised   float64 `json:"regularised"`
		Unregularised float64 `json:"unregularised"`
	} `json:"optimum"`
	program *hlmrf.Program
	optimum []float64 // nil when the case has none
}

// readCase reads a case from the folder HINGE_CASES or skips the test.
func readCase(t testing.TB, name string) *solvedCase {
	t.Helper()
	root := os.Getenv("HINGE_CASES")
	if root == "" {
		t.Skip("set HINGE_CASES to the folder of the solved cases to run this test")
	}
	dir := filepath.Join(root, name)
	data, err := os.ReadFile(filepath.Join(dir, "case.json"))
	require.NoError(t, err)
	c := new(solvedCase)
	require.NoError(t, json.Unmarshal(data, c))
	atoms := readLines(t, filepath.Join(dir, "ground", "atoms.txt.gz"))
	c.program = &hlmrf.Program{Targets: atoms, HardRules: []hlmrf.Rule{{}}}
	rules := map[string]int32{}
	for _, line := range readLines(t, filepath.Join(dir, "ground", "terms.tsv.gz")) {
		addTerm(t, c.program, rules, line)
	}
	index := make(map[string]int, len(atoms))
	for i, a := range atoms {
		index[a] = i
	}
	c.optimum = make([]float64, len(atoms))
	for _, line := range readLines(t, filepath.Join(dir, "expected", "optimum.tsv.gz")) {
		f := strings.Split(line, "\t")
		last := len(f) - 1
		i, ok := index[f[0]+"("+strings.Join(f[1:last], ",")+")"]
		if !ok {
			// Names with commas or quotes are written in another way: then
			// only the values are compared.
			t.Logf("atoms are not named like %q", line)
			c.optimum = nil
			break
		}
		c.optimum[i] = number(t, f[last])
	}
	return c
}

// addTerm appends one line: kind, weight, c, then index:coefficient.
func addTerm(t testing.TB, p *hlmrf.Program, rules map[string]int32, line string) {
	f := strings.Fields(line)
	entries := map[int32]float64{}
	var col []int32
	for _, e := range f[3:] {
		i, a, ok := strings.Cut(e, ":")
		n, err := strconv.Atoi(i)
		if !ok || err != nil {
			t.Fatalf("bad entry %q", e)
		}
		if _, twice := entries[int32(n)]; !twice {
			col = append(col, int32(n))
		}
		entries[int32(n)] += number(t, a)
	}
	slices.Sort(col)
	val := make([]float64, len(col))
	for j, i := range col {
		val[j] = entries[i]
	}
	c := number(t, f[2])
	switch f[0] {
	case "LTE", "EQ":
		relation := hlmrf.LessEqual
		if f[0] == "EQ" {
			relation = hlmrf.Equal
		}
		p.AddConstraint(relation, 0, col, val, nil, nil, -c)
	case "HINGE", "SHINGE":
		key := f[0] + f[1]
		r, ok := rules[key]
		if !ok {
			r = int32(len(p.Rules))
			rules[key] = r
			p.Rules = append(p.Rules, hlmrf.Rule{Text: key, Weight: number(t, f[1]), Squared: f[0] == "SHINGE"})
		}
		p.AddPotential(r, col, val, nil, nil, -c)
	default:
		t.Fatalf("unknown kind in %q", line)
	}
}

func number(t testing.TB, s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return v
}

func readLines(t testing.TB, name string) []string {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var lines []string
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		lines = append(lines, sc.Text())
	}
	require.NoError(t, sc.Err())
	return lines
}

func (c *solvedCase) instance(t testing.TB) *lcqp.Instance {
	t.Helper()
	in, err := lcqp.NewInstance(c.program, c.Epsilon)
	require.NoError(t, err)
	return in
}

// cases returns the names of all solved cases.
func cases(t testing.TB) []string {
	t.Helper()
	root := os.Getenv("HINGE_CASES")
	if root == "" {
		t.Skip("set HINGE_CASES to the folder of the solved cases to run this test")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "case.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", root, err)
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(filepath.Dir(f)))
	}
	return names
}

// TestCases solves the solved cases with the exact methods.
func TestCases(t *testing.T) {
	for _, name := range cases(t) {
		for _, m := range []Method{Auto{}, InteriorPoint{}} {
			t.Run(name+"/"+m.Name(), func(t *testing.T) {
				c := readCase(t, name)
				in := c.instance(t)
				if m.Name() == "ipm" && largestComponent(in) > 1000 {
					t.Skip("the factor would be too big")
				}
				res := solve(t, in, nil, Settings{Method: m})
				t.Logf("primal %.12g, dual %.12g, energy %.6g, gap %.3g, violation %.3g in %v, %+v", res.PrimalValue,
					res.DualValue, res.Energy, res.TotalGap, res.MaxViolation, res.Runtime, res.Stats)
				mustBeSolved(t, in, res)
				if want := c.Optimum.Regularised; !infertest.Near(res.PrimalValue, want, 1e-8) {
					t.Errorf("value %.12g, want %.12g", res.PrimalValue, want)
				}
				if want := c.Optimum.Unregularised; math.Abs(res.Energy-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("energy %.9g, want %.9g", res.Energy, want)
				}
				for i, y := range c.optimum {
					if math.Abs(res.Y[i]-y) > 1e-4 {
						t.Fatalf("target %d (%s) is %v, want %v", i, c.program.Targets[i], res.Y[i], y)
					}
				}
			})
		}
	}
}

func largestComponent(in *lcqp.Instance) int {
	n := 0
	for _, c := range in.Components {
		n = max(n, len(c.Targets))
	}
	return n
}
