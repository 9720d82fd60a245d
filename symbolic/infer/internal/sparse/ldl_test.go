package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

// matrix is a random quasidefinite matrix, in s and dense.
type matrix struct {
	n      int
	dense  []float64
	slots  []int32
	values []float64
}

// make fills s with a pattern, and with values that are diagonally dominant
// with random signs of the diagonal.
func (m *matrix) make(rng *rand.Rand, s *LDL, n int, pairs [][2]int32) {
	m.n, m.dense = n, make([]float64, n*n)
	m.slots, m.values = m.slots[:0], m.values[:0]
	s.Reset(n)
	s.Pivot = 1e-14
	for _, e := range pairs {
		v := rng.NormFloat64()
		m.slots, m.values = append(m.slots, s.Edge(e[1], e[0])), append(m.values, v)
		m.dense[int(e[0])*n+int(e[1])] += v
		m.dense[int(e[1])*n+int(e[0])] += v
	}
	for i := range n {
		sum := 1.0
		for j := range n {
			sum += math.Abs(m.dense[i*n+j])
		}
		m.dense[i*n+i] = sum
		if rng.IntN(3) == 0 {
			m.dense[i*n+i] = -sum
		}
	}
}

// load sets the values.
func (m *matrix) load(s *LDL) {
	clear(s.Val)
	for k, slot := range m.slots {
		s.Val[slot] += m.values[k]
	}
	for i := range m.n {
		s.Diag[i] = m.dense[i*m.n+i]
		s.Sign[i] = math.Copysign(1, s.Diag[i])
	}
}

// check solves for a known vector.
func (m *matrix) check(t *testing.T, rng *rand.Rand, s *LDL) {
	t.Helper()
	want, b, r := make([]float64, m.n), make([]float64, m.n), make([]float64, m.n)
	for i := range want {
		want[i] = rng.NormFloat64()
	}
	for i := range m.n {
		b[i] = Dot(m.dense[i*m.n:(i+1)*m.n], want)
	}
	residual(s, want, b, r)
	s.Solve(b)
	for i := range m.n {
		if math.Abs(b[i]-want[i]) > 1e-10 || math.Abs(r[i]) > 1e-10 {
			t.Fatalf("n = %d: x[%d] = %v, want %v; residual %v", m.n, i, b[i], want[i], r[i])
		}
	}
}

// One LDL serves matrices of all sizes, one after the other.
func TestLDL(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	var s LDL
	var m matrix
	patterns := [][][2]int32{gridPairs(14), pathPairs(rng, 150), nil}
	sizes := []int{196, 150, 1}
	for range 150 {
		n := 1 + rng.IntN(90)
		sizes = append(sizes, n)
		patterns = append(patterns, append(randomPairs(rng, n, 2*n), randomPairs(rng, n, n)...))
	}
	for k, n := range sizes {
		m.make(rng, &s, n, patterns[k])
		if !s.Analyse(Limits{}) {
			t.Fatalf("n = %d: refused", n)
		}
		m.load(&s)
		s.Factor()
		m.check(t, rng, &s)
		// New values on the same pattern.
		for i := range n {
			m.dense[i*n+i] *= 1.5
		}
		m.load(&s)
		s.Factor()
		m.check(t, rng, &s)
	}
}

// Fill is what merging of supernodes leaves, and bounded by it.
func TestLDLFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for name, c := range map[string]struct {
		n     int
		pairs [][2]int32
	}{"path": {5000, pathPairs(rng, 5000)}, "grid": {2500, gridPairs(50)}} {
		var s LDL
		s.Reset(c.n)
		for _, e := range c.pairs {
			s.Edge(e[0], e[1])
		}
		if !s.Analyse(Limits{}) {
			t.Fatalf("%s: refused", name)
		}
		exact := s.need.Fill + float64(c.n)
		if fill := float64(s.nodes.size()); fill < exact || fill > 4*exact {
			t.Errorf("%s: %v entries stored, L has %v with its diagonal", name, fill, exact)
		}
	}
}

// A factor that is too large is refused before it takes room.
func TestLDLLimits(t *testing.T) {
	var s LDL
	const side = 40
	for _, c := range []struct {
		limits Limits
		want   bool
	}{
		{Limits{}, true}, {Limits{Fill: 1e6, Work: 1e9}, true},
		{Limits{Fill: 1000}, false}, {Limits{Work: 1000}, false},
	} {
		s.Reset(side * side)
		for _, e := range gridPairs(side) {
			s.Edge(e[0], e[1])
		}
		if got := s.Analyse(c.limits); got != c.want {
			t.Errorf("%+v: %v, want %v", c.limits, got, c.want)
		}
	}
}

// A pivot of the wrong sign, or too small, is replaced, so that a singular
// matrix has a factorisation.
func TestLDLPivot(t *testing.T) {
	var s LDL
	s.Reset(2)
	s.Pivot = 1e-3
	slot := s.Edge(0, 1)
	if s.Edge(1, 0) != slot || !s.Analyse(Limits{}) {
		t.Fatal("one entry, two slots")
	}
	s.Val[slot] = 1
	copy(s.Diag, []float64{1, 1}) // singular: the second pivot is 0
	copy(s.Sign, []float64{1, 1})
	s.Factor()
	x := []float64{1, 2}
	s.Solve(x)
	// L = [1; 1 1], D = (1, 1e-3) in either order.
	for i, want := range map[int]float64{0: -999, 1: 1000} {
		other := map[int]float64{0: 1001, 1: -1000}[i]
		if math.Abs(x[i]-want) > 1e-6 && math.Abs(x[i]-other) > 1e-6 {
			t.Errorf("x = %v", x)
		}
	}
}

// Factor and Solve do not allocate.
func TestLDLAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	var s LDL
	var m matrix
	m.make(rng, &s, 225, gridPairs(15))
	s.Analyse(Limits{})
	m.load(&s)
	x := make([]float64, m.n)
	s.Factor()
	if n := testing.AllocsPerRun(5, func() { s.Factor(); s.Solve(x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkLDL(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 6))
	for name, c := range map[string]struct {
		n     int
		pairs [][2]int32
	}{"path": {100000, pathPairs(rng, 100000)}, "grid": {40000, gridPairs(200)}} {
		var s LDL
		s.Reset(c.n)
		for _, e := range c.pairs {
			s.Edge(e[0], e[1])
		}
		b.Run(name+"/analyse", func(b *testing.B) {
			for b.Loop() {
				s.Analyse(Limits{})
			}
		})
		for i := range s.Diag {
			s.Diag[i], s.Sign[i] = 5, 1
		}
		for k := range s.Val {
			s.Val[k] = -1
		}
		b.Run(name+"/factor", func(b *testing.B) {
			for b.Loop() {
				s.Factor()
			}
			b.ReportMetric(float64(s.nodes.size()), "entries")
			b.ReportMetric(s.need.Work*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
		})
	}
}

// residual writes b − K·x into r.
func residual(s *LDL, x, b, r []float64) {
	for i, d := range s.Diag {
		r[i] = b[i] - d*x[i]
	}
	for slot, e := range s.edges {
		v := s.Val[slot]
		r[e[0]] -= v * x[e[1]]
		r[e[1]] -= v * x[e[0]]
	}
}

// The analysis of a large pattern is not kept, and the next pattern has one of its own.
func TestLDLForgets(t *testing.T) {
	var s LDL
	for _, n := range []int{100, manyRows + 5, 100} {
		s.Reset(n)
		s.Pivot = 1e-14
		for i := range int32(n - 1) {
			s.Edge(i, i+1)
		}
		if !s.Analyse(Limits{}) {
			t.Fatal("refused")
		}
		if kept := s.table != nil; kept != (n <= manyRows) {
			t.Errorf("%d rows: the analysis is kept: %v", n, kept)
		}
		for i := range s.Diag {
			s.Diag[i], s.Sign[i] = 3, 1
		}
		for i := range s.Val {
			s.Val[i] = -1
		}
		s.Factor()
		x := make([]float64, n)
		x[0], x[n-1] = 2, 2
		for i := 1; i < n-1; i++ {
			x[i] = 1
		}
		s.Solve(x)
		for i, v := range x {
			if math.Abs(v-1) > 1e-12 {
				t.Fatalf("%d rows: x[%d] = %v, want 1", n, i, v)
			}
		}
	}
}
