//go:build long

package integer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
)

// program is a linear program over 0 and 1: min cost·y, rows ≤ 0.
type program struct {
	cost []float64 // of y, of either sign
	rows []map[int]float64
	b    []float64
}

// instance writes a cost < 0 as that of 1 − y, and returns what that adds.
func (p *program) instance() (in *lcqp.Instance, constant float64) {
	s := &lcqp.Sparse{Targets: len(p.cost)}
	for k, row := range p.rows {
		var col []int32
		var val []float64
		for i := range p.cost {
			if a, ok := row[i]; ok {
				col, val = append(col, int32(i)), append(val, a)
			}
		}
		s.Append(lcqp.HardLE, col, val, p.b[k])
	}
	for i, c := range p.cost {
		sign := math.Copysign(1, c)
		s.Append(lcqp.Linear, []int32{int32(i)}, []float64{sign}, max(0, -sign))
		s.Weights = append(s.Weights, math.Abs(c))
		constant += min(c, 0)
	}
	return instance(s, 1e-8), constant
}

// glpk returns the optimum that GLPK finds.
func (p *program) glpk(t *testing.T, path string) float64 {
	t.Helper()
	var b strings.Builder
	term := func(a float64, i int) { fmt.Fprintf(&b, " %+.17g y%d\n", a, i) }
	b.WriteString("Minimize\n obj:\n")
	for i, c := range p.cost {
		term(c, i)
	}
	b.WriteString("Subject To\n")
	for k, row := range p.rows {
		fmt.Fprintf(&b, " r%d:\n", k)
		for i := range p.cost {
			if a, ok := row[i]; ok {
				term(a, i)
			}
		}
		fmt.Fprintf(&b, " <= %.17g\n", -p.b[k])
	}
	b.WriteString("Binary\n")
	for i := range p.cost {
		fmt.Fprintf(&b, " y%d\n", i)
	}
	b.WriteString("End\n")
	model, out := filepath.Join(t.TempDir(), "model.lp"), filepath.Join(t.TempDir(), "out.txt")
	require.NoError(t, os.WriteFile(model, []byte(b.String()), 0o666))
	if text, err := exec.Command(path, "--lp", model, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	m := regexp.MustCompile(`(?s)Status: +INTEGER OPTIMAL.*Objective: +obj = (\S+)`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("GLPK found no optimum:\n%s", text)
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	require.NoError(t, err)
	return v
}

// cover is a weighted set cover: every element is in some chosen set.
func cover(rng *rand.Rand, elements, sets int) *program {
	p := &program{}
	for range sets {
		p.cost = append(p.cost, float64(1+rng.IntN(20)))
	}
	for range elements {
		row := map[int]float64{}
		for len(row) < 3+rng.IntN(4) {
			row[rng.IntN(sets)] = -1
		}
		p.rows, p.b = append(p.rows, row), append(p.b, 1)
	}
	return p
}

// matching is a heaviest matching of a general graph: triangles have half-integer
// relaxations.
func matching(rng *rand.Rand, nodes, edges int) *program {
	p := &program{}
	for range nodes {
		p.rows, p.b = append(p.rows, map[int]float64{}), append(p.b, -1)
	}
	for n := range edges {
		a := rng.IntN(nodes)
		if n < nodes {
			a = n // no node is alone
		}
		b := (a + 1 + rng.IntN(nodes-1)) % nodes
		p.rows[a][len(p.cost)], p.rows[b][len(p.cost)] = 1, 1
		p.cost = append(p.cost, -float64(1+rng.IntN(50)))
	}
	return p
}

// Set covers and matchings have the optima that GLPK finds.
func TestAgainstGLPK(t *testing.T) {
	path, err := exec.LookPath("glpsol")
	if err != nil {
		t.Skip("GLPK's glpsol is not installed")
	}
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 13))
		for name, p := range map[string]*program{"cover": cover(rng, 60, 40), "matching": matching(rng, 30, 80)} {
			want := p.glpk(t, path)
			in, constant := p.instance()
			targets := all(in)
			var res integer.Result
			begin := time.Now()
			require.NoError(t, integer.Solve(context.Background(), in, targets, integer.Settings{Proof: true}, &res))
			if d := res.Value + constant - want; res.Search != integer.Optimal || math.Abs(d) > 1e-4 {
				t.Errorf("%s %d: %v, value %v, GLPK finds %v", name, seed, res.Search, res.Value+constant, want)
			}
			for c, leaves := range res.Proof {
				if leaves == nil {
					continue
				}
				if _, err := integer.Check(in, targets, c, leaves); err != nil {
					t.Errorf("%s %d: %v", name, seed, err)
				}
			}
			if spent := time.Since(begin); spent > 5*time.Second {
				t.Logf("%s %d: %d relaxations, %v", name, seed, res.Nodes, spent)
			}
		}
	}
}
