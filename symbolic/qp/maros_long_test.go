//go:build long

package qp_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/qp"
)

// infinite is what the collection writes for a side that is not there.
const infinite = 1e20

// readMarosMeszaros reads a problem of the collection. Rows of one variable are its
// bounds.
func readMarosMeszaros(t *testing.T, path string) *qp.Problem {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var d struct {
		M        int
		P, Q     []float64
		R        float64
		Ptr, Col []int32
		Val      []float64
		L, U     []*float64
	}
	require.NoErrorf(t, json.NewDecoder(z).Decode(&d), "%s", path)
	p := &qp.Problem{P: d.P, Q: d.Q, R: d.R, Ptr: []int32{0}}
	for range d.P {
		p.Lower, p.Upper = append(p.Lower, math.Inf(-1)), append(p.Upper, math.Inf(1))
	}
	for k := range d.M {
		low, high := math.Inf(-1), math.Inf(1)
		if d.L[k] != nil && *d.L[k] > -infinite {
			low = *d.L[k]
		}
		if d.U[k] != nil && *d.U[k] < infinite {
			high = *d.U[k]
		}
		col, val := d.Col[d.Ptr[k]:d.Ptr[k+1]], d.Val[d.Ptr[k]:d.Ptr[k+1]]
		if len(col) == 1 {
			i, v := col[0], val[0]
			low, high = low/v, high/v
			if v < 0 {
				low, high = high, low
			}
			p.Lower[i], p.Upper[i] = max(p.Lower[i], low), min(p.Upper[i], high)
			continue
		}
		p.Col, p.Val = append(p.Col, col...), append(p.Val, val...)
		p.Ptr = append(p.Ptr, int32(len(p.Col)))
		p.Low, p.High = append(p.Low, low), append(p.High, high)
	}
	return p
}

// The problems of Maros and Mészáros with a diagonal Hessian: at least 95 % are solved at
// an absolute 1e-6, and none is said to be that is not. HINGE_DATA names the folder
// that has them, HINGE_MAROS how many of the smallest are enough. reproduce/docs/SOLVERS.md
// has the figures.
func TestMarosMeszaros(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("HINGE_DATA"), "maros-meszaros", "*.json.gz"))
	require.NoError(t, err)
	if os.Getenv("HINGE_DATA") == "" || len(files) == 0 {
		t.Skip("set HINGE_DATA to a folder with maros-meszaros/*.json.gz")
	}
	size := func(file string) int64 {
		info, err := os.Stat(file)
		require.NoError(t, err)
		return info.Size()
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(size(a), size(b)) })
	if most := os.Getenv("HINGE_MAROS"); most != "" {
		n, err := strconv.Atoi(most)
		if err != nil || n < 1 {
			t.Fatalf("HINGE_MAROS=%s is not a number of problems", most)
		}
		files = files[:min(n, len(files))]
	}
	const limit, shift = 5 * time.Minute, 10.0 // as public comparisons shift
	solved, logs := 0, 0.0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json.gz")
		p := readMarosMeszaros(t, file)
		begin := time.Now()
		r, err := qp.Solve(p, qp.Settings{MaxTime: limit})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		judge, seconds := qp.Residuals(p, &r.Solution), time.Since(begin).Seconds()
		charged := limit.Seconds() // what is not solved counts as the whole time
		if r.Status == infer.Solved {
			charged = seconds
			solved++
			if !(judge.Max() <= 1e-6) {
				t.Errorf("%s is said to be solved: %+v", name, judge)
			}
		}
		t.Logf("| %s | %d | %d | %t | %d | %d | %.1g | %.1g | %.1g | %.8g | %.1f |", name, len(p.P), len(p.Low),
			r.Status == infer.Solved, r.Steps, r.Iterations, judge.Primal, judge.Dual, judge.Gap, judge.Value, seconds)
		logs += math.Log(charged + shift)
	}
	t.Logf("%d of %d solved; mean of the seconds, geometric and shifted by %v: %.2f", solved, len(files), shift, math.Exp(logs/float64(len(files)))-shift)
	if 100*solved < 95*len(files) {
		t.Errorf("only %d of %d solved", solved, len(files))
	}
}
