package ground_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

// model is a model file of a solved case.
type model struct {
	Rules      []string
	Predicates map[string]struct {
		Observations, Targets, Truth struct{ Infer []string }
	}
}

// loadCase reads the model and the data of a case below HINGE_CASES.
func loadCase(t testing.TB, name string) (dir string, rules *psl.Program, db *ground.Database) {
	root := os.Getenv("HINGE_CASES")
	if root == "" {
		t.Skip("set HINGE_CASES to the folder of solved cases to run this test")
	}
	dir = filepath.Join(root, name)
	raw, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		t.Skipf("no case %s: %v", name, err)
	}
	var m model
	require.NoError(t, json.Unmarshal(raw, &m))
	rules, err = psl.Parse("rules.psl", []byte(strings.Join(m.Rules, "\n")))
	require.NoError(t, err)
	db = ground.NewDatabase()
	for _, spec := range slices.Sorted(maps.Keys(m.Predicates)) {
		p, arity, _ := strings.Cut(spec, "/")
		n, err := strconv.Atoi(arity)
		require.NoError(t, err)
		require.NoError(t, db.Predicate(p, n))
		files := m.Predicates[spec]
		for section, list := range map[ground.Section][]string{
			ground.Observations: files.Observations.Infer, ground.Targets: files.Targets.Infer, ground.Truths: files.Truth.Infer,
		} {
			for _, f := range list {
				src := facts.Source{Format: "tsv", Path: filepath.Join(dir, f), NoHeader: true}
				require.NoError(t, src.Read(t.Context(), n, func(r *facts.Row) error { return db.Add(section, p, r.Value, r.Args...) }))
			}
		}
	}
	return dir, rules, db
}

func gzipLines(t testing.TB, path string) []string {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var lines []string
	s := bufio.NewScanner(z)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return lines
}

// term is a ground term with a key for everything but the constant, which is
// compared with a tolerance: the reference computes it in float32.
type term struct {
	key string
	c   float64
}

func sortTerms(ts []term) {
	slices.SortFunc(ts, func(a, b term) int {
		return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.c, b.c))
	})
}

// termKey writes kind, weight and coefficients; the sense of an equality is
// fixed by making its first coefficient positive.
func termKey(kind string, weight float64, cols []int, vals []float64, c float64) term {
	order := make([]int, len(cols))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cols[a] - cols[b] })
	sign := 1.0
	if kind == "EQ" && len(order) > 0 && vals[order[0]] < 0 {
		sign = -1
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %g", kind, float32(weight))
	for _, i := range order {
		fmt.Fprintf(&b, " %d:%g", cols[i], float32(sign*vals[i]))
	}
	return term{b.String(), sign * c}
}

// caseTerms reads the terms the reference grounded.
func caseTerms(t *testing.T, dir string) []term {
	var ts []term
	for _, line := range gzipLines(t, filepath.Join(dir, "ground", "terms.tsv.gz")) {
		f := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' || r == ' ' })
		weight, err1 := strconv.ParseFloat(f[1], 64)
		c, err2 := strconv.ParseFloat(f[2], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("line %q", line)
		}
		var cols []int
		var vals []float64
		for _, e := range f[3:] {
			i, v, _ := strings.Cut(e, ":")
			col, err1 := strconv.Atoi(i)
			val, err2 := strconv.ParseFloat(v, 64)
			if err1 != nil || err2 != nil {
				t.Fatalf("line %q", line)
			}
			cols, vals = append(cols, col), append(vals, val)
		}
		ts = append(ts, termKey(f[0], weight, cols, vals, c))
	}
	sortTerms(ts)
	return ts
}

// programTerms writes a program in the same way; column maps our columns to
// those of the case.
func programTerms(p *hlmrf.Program, column []int) []term {
	var ts []term
	add := func(rows *hlmrf.Rows, k int, kind string, weight float64) {
		col, val := rows.Row(k)
		cols := make([]int, len(col))
		for i, c := range col {
			cols[i] = column[c]
		}
		ts = append(ts, termKey(kind, weight, cols, val, -rows.Const[k]))
	}
	for k, r := range p.PotentialRule {
		kind := "HINGE"
		if p.Rules[r].Squared {
			kind = "SHINGE"
		}
		add(&p.Potentials, k, kind, p.Rules[r].Weight)
	}
	for k, rel := range p.Relations {
		kind := "LTE"
		if rel == hlmrf.Equal {
			kind = "EQ"
		}
		add(&p.Constraints, k, kind, math.Inf(1))
	}
	sortTerms(ts)
	return ts
}

func TestCases(t *testing.T) {
	for _, c := range []struct {
		name string
		opts ground.Options
	}{
		{"grounding-traps", ground.Options{}},
		{"acquaintances", ground.Options{NormalizeWeights: true}},
		{"mnist-add1", ground.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, rules, db := loadCase(t, c.name)
			p, err := ground.Ground(context.Background(), rules, db, c.opts)
			require.NoError(t, err)
			require.NoError(t, p.Check())
			var info struct {
				Targets, Terms int
				TermsByType    map[string]int `json:"terms_by_type"`
			}
			raw, err := os.ReadFile(filepath.Join(dir, "case.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(raw, &info))
			index := map[string]int{}
			for i, a := range gzipLines(t, filepath.Join(dir, "ground", "atoms.txt.gz")) {
				index[a] = i
			}
			column := make([]int, len(p.Targets))
			for i, a := range p.Targets {
				at, ok := index[strings.ToUpper(a)]
				if !ok {
					t.Fatalf("target %s is not in the case", a)
				}
				column[i] = at
			}
			assert.Equal(t, info.Targets, len(p.Targets))
			got, want := programTerms(p, column), caseTerms(t, dir)
			if len(got) != info.Terms || len(want) != info.Terms {
				t.Fatalf("%d terms, the case lists %d and counts %d", len(got), len(want), info.Terms)
			}
			byType := map[string]int{}
			for i := range got {
				kind, _, _ := strings.Cut(got[i].key, " ")
				byType[kind]++
				if got[i].key != want[i].key || math.Abs(got[i].c-want[i].c) > 1e-6 {
					t.Fatalf("term %d is %v, want %v", i, got[i], want[i])
				}
			}
			assert.Equal(t, info.TermsByType, byType, "terms")
		})
	}
}

func BenchmarkMNISTAdd1(b *testing.B) {
	_, rules, db := loadCase(b, "mnist-add1")
	for b.Loop() {
		_, err := ground.Ground(context.Background(), rules, db, ground.Options{})
		require.NoError(b, err)
	}
}
