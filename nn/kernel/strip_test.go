package kernel

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomStrip makes a strip whose buffers are exactly as long as it may reach.
func randomStrip(rng *rand.Rand, nr, m int) strip[float32] {
	s := strip[float32]{m: m, k: 1 + rng.IntN(11), n: nr, alpha: 1, ldb: nr + rng.IntN(3)*rng.IntN(9), ldc: nr + rng.IntN(3)}
	switch rng.IntN(2) {
	case 0: // rows of A
		s.rs, s.ks = s.k+rng.IntN(3), 1
	case 1: // columns of A
		s.rs, s.ks = 1, m+rng.IntN(3)
	}
	s.au = 1 + rng.IntN(3)
	for range rng.IntN(4) {
		s.ents = append(s.ents, entry{rng.IntN(5), rng.IntN(5)})
	}
	la, lb := (m-1)*s.rs+1, 0
	for _, e := range s.ents {
		la = max(la, e[0]*s.au+(m-1)*s.rs+(s.k-1)*s.ks+1)
		lb = max(lb, (e[1]+s.k-1)*s.ldb+nr)
	}
	lc := (m-1)*s.ldc + nr
	s.a, s.b, s.c = normals[float32](rng, la), normals[float32](rng, lb), normals[float32](rng, lc)
	switch rng.IntN(4) {
	case 0:
		s.alpha = -0.5
	case 1:
		s.add = true
	case 2:
		s.post = epilogue[float32]{normals[float32](rng, nr), normals[float32](rng, nr), nil, floorOf[float32](rng.IntN(2) == 0)}
		if rng.IntN(2) == 0 {
			s.post.residual = normals[float32](rng, lc)
		}
	}
	return s
}

// wantStrip computes the strip by its definition.
func wantStrip(s strip[float32], nr int) []float64 {
	c := to64(s.c)
	for i := range s.m {
		for j := range nr {
			var sum float64
			for _, e := range s.ents {
				for p := range s.k {
					sum += float64(s.a[e[0]*s.au+i*s.rs+p*s.ks]) * float64(s.b[(e[1]+p)*s.ldb+j])
				}
			}
			at := i*s.ldc + j
			switch {
			case s.post.scale != nil:
				sum = sum*float64(s.post.scale[j]) + float64(s.post.shift[j])
				if s.post.residual != nil {
					sum += float64(s.post.residual[at])
				}
				sum = max(sum, float64(s.post.floor))
			case s.add:
				sum = c[at] + float64(s.alpha)*sum
			default:
				sum *= float64(s.alpha)
			}
			c[at] = sum
		}
	}
	return c
}

func TestPortableStrip(t *testing.T) {
	defer current.Store(current.Load())
	current.Store(&portable)
	rng := newRand(71)
	for _, nr := range []int{16, 32} {
		for m := 1; m < 60; m++ {
			s := randomStrip(rng, nr, m)
			want := wantStrip(s, nr)
			s.full(nr)
			near(t, label("m = %d", m), s.c, want, 1e-5)
		}
	}
}

// A strip of fewer columns writes those and nothing else, also where the rows of C follow
// one another without gaps.
func TestNarrowStrip(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		nr, rng := panelWidth[float32](), newRand(74)
		for m := range 200 {
			s := randomStrip(rng, nr, 1+m/2)
			s.n = 1 + rng.IntN(nr-1)
			if m%2 == 0 {
				s.ldc = s.n
			}
			c := guardCopy(s.c[:(s.m-1)*s.ldc+s.n])
			s.c = c.buf
			want := wantStrip(s, s.n)
			s.compute(nr)
			near(t, label("m = %d, n = %d, rows %d apart", s.m, s.n, s.ldc), s.c, want, 1e-5)
			c.intact(t, "C")
		}
	})
}

// Every strip in the assembly, for this processor or not, computes the
// definition and stays inside its buffers.
func TestAssemblyStripsByInterpretation(t *testing.T) {
	for name, nr := range map[string]int{"stripAVX2": 16, "stripAVX512": 32} {
		t.Run(name, func(t *testing.T) {
			rng := newRand(72)
			m, err := loadAsm("strip_amd64.s", name)
			require.NoError(t, err)
			for round := range 800 {
				half := round%2 == 1
				cols := map[bool]int{false: nr, true: nr / 2}[half]
				s := randomStrip(rng, cols, 1+round/2%50)
				want := wantStrip(s, cols)
				runInterp(m, s, half)
				near(t, label("m = %d, k = %d, entries %v, add %v, epilogue %v", s.m, s.k, s.ents, s.add, s.post.scale != nil), s.c, want, 1e-5)
			}
		})
	}
}

func runInterp(m *interp, s strip[float32], half bool) {
	m.regions, m.steps = nil, 0
	var list []int64
	for _, e := range s.ents {
		list = append(list, int64(e[0]), int64(e[1]))
	}
	frame := map[string]int64{
		"m": int64(s.m), "k": int64(s.k), "nb": int64(len(s.ents)), "ents": m.addInts(list),
		"a": m.addFloats(s.a), "b": m.addFloats(s.b), "c": m.addFloats(s.c),
		"au": int64(s.au), "rs": int64(s.rs), "ks": int64(s.ks), "ldb": int64(s.ldb), "ldc": int64(s.ldc),
		"add": 0, "half": 0, "scale": 0, "shift": 0, "residual": 0,
	}
	if s.add {
		frame["add"] = 1
	}
	if half {
		frame["half"] = 1
	}
	if e := s.post; e.scale != nil {
		frame["scale"], frame["shift"] = m.addFloats(e.scale), m.addFloats(e.shift)
		if e.residual != nil {
			frame["residual"] = m.addFloats(e.residual)
		}
	}
	m.run(frame, map[string]float32{"alpha": s.alpha, "floor": s.post.floor})
}

// The interpreter agrees with the processor to the last bit, apart from rounding
// twice, which the exact comparison of small integers avoids.
func TestInterpreterAgreesWithProcessor(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		name, ok := map[string]string{"avx2": "stripAVX2", "avx512": "stripAVX512"}[Path()]
		if !ok {
			t.Skip("no assembly on this path")
		}
		rng := newRand(73)
		for round := range 400 {
			m, err := loadAsm("strip_amd64.s", name)
			require.NoError(t, err)
			s := randomStrip(rng, panelWidth[float32]()/(1+round%2), 1+round/2%40)
			for _, x := range [][]float32{s.a, s.b, s.c, s.post.scale, s.post.shift, s.post.residual} {
				for i := range x {
					x[i] = float32(int(4 * x[i]))
				}
			}
			c := slices.Clone(s.c)
			runInterp(m, s, round%2 == 1)
			real := s
			real.c = c
			if !strip32(&real, s.n) {
				t.Fatal("no assembly strip")
			}
			equalBits(t, label("m = %d", s.m), c, s.c)
		}
	})
}

// Registers from 16 up need AVX-512: the register allocator must not have run
// over into them elsewhere. The AVX-512 code must do with the part that the
// dispatch asks for, AVX512F: narrow vectors in the high registers and logic on
// wide ones need more. And all of it is executed by a test of this package.
func TestInstructionSets(t *testing.T) {
	high := regexp.MustCompile(`\b[XYZ](1[6-9]|2[0-9]|3[01])\b|\bZ\d`)
	more := regexp.MustCompile(`\b[XY](1[6-9]|2[0-9]|3[01])\b|V(X?OR|ANDN?)P[SD].*Z\d`)
	var wide []string
	seen := 0
	for _, file := range []string{"strip_amd64.s", "pack_amd64.s", "toom_amd64.s", "elem_amd64.s", "norm_amd64.s", "pool_amd64.s", "internal/peaktest/peak_amd64.s"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, f := range strings.Split(string(text), "\nTEXT ")[1:] {
			name, _, _ := strings.Cut(f, "(")
			name = strings.TrimPrefix(name, "·")
			seen++
			bad := high
			if strings.Contains(name, "AVX512") {
				wide, bad = append(wide, name), more
			}
			if found := bad.FindString(f); found != "" {
				t.Errorf("%s: %s uses %s", file, name, found)
			}
		}
	}
	if seen < 25 {
		t.Errorf("only %d functions found", seen)
	}
	slices.Sort(wide)
	assert.Equal(t, []string{"fmaAVX512", "linesAVX512", "stripAVX512"}, wide, "AVX-512 functions")
}
