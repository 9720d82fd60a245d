package kernel

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
)

// stripCase is one strip with all its buffers.
type stripCase struct {
	nr, m, k, au, rs, ks, ldc int
	ents                      []entry
	a, b, c                   []float32
	alpha                     float32
	add                       bool
}

func randomStrip(rng *rand.Rand, nr, m int) stripCase {
	s := stripCase{nr: nr, m: m, k: 1 + rng.IntN(11), alpha: 1, add: rng.IntN(2) == 0, ldc: nr + rng.IntN(3)}
	n := rng.IntN(4)
	switch rng.IntN(2) {
	case 0: // rows of A
		s.rs, s.ks = s.k+rng.IntN(3), 1
	case 1: // columns of A
		s.rs, s.ks = 1, m+rng.IntN(3)
	}
	if rng.IntN(2) == 0 {
		s.alpha = -0.5
	}
	s.au = 1 + rng.IntN(3)
	for range n {
		s.ents = append(s.ents, entry{rng.IntN(5), rng.IntN(5)})
	}
	// Exactly as long as the strip may reach.
	la, lb := 0, 0
	for _, e := range s.ents {
		la = max(la, e[0]*s.au+(m-1)*s.rs+(s.k-1)*s.ks+1)
		lb = max(lb, (e[1]+s.k)*nr)
	}
	s.a, s.b, s.c = normals[float32](rng, la), normals[float32](rng, lb), normals[float32](rng, (m-1)*s.ldc+nr)
	return s
}

// want computes the strip by its definition.
func (s stripCase) want() []float64 {
	c := to64(s.c)
	for i := range s.m {
		for j := range s.nr {
			var sum float64
			for _, e := range s.ents {
				for p := range s.k {
					sum += float64(s.a[e[0]*s.au+i*s.rs+p*s.ks]) * float64(s.b[(e[1]+p)*s.nr+j])
				}
			}
			sum *= float64(s.alpha)
			if s.add {
				sum += c[i*s.ldc+j]
			}
			c[i*s.ldc+j] = sum
		}
	}
	return c
}

func TestPortableStrip(t *testing.T) {
	rng := newRand(71)
	for _, nr := range []int{16, 32} {
		for m := 1; m < 30; m++ {
			s := randomStrip(rng, nr, m)
			want := s.want()
			stripGo(nr, m, s.k, s.ents, s.a, s.au, s.rs, s.ks, s.b, s.c, s.ldc, s.alpha, s.add)
			near(t, label("m = %d", m), s.c, want, 1e-5)
		}
	}
}

// Every strip in the assembly, for this processor or not, computes the
// definition and stays inside its buffers.
func TestAssemblyStripsByInterpretation(t *testing.T) {
	for name, nr := range map[string]int{"stripAVX2": 16, "stripAVX512": 32} {
		t.Run(name, func(t *testing.T) {
			rng := newRand(72)
			m, err := loadAsm("strip_amd64.s", name)
			if err != nil {
				t.Fatal(err)
			}
			for round := range 300 {
				s := randomStrip(rng, nr, 1+round%50)
				want := s.want()
				runInterp(m, s)
				near(t, label("m = %d, k = %d, entries %v", s.m, s.k, s.ents), s.c, want, 1e-5)
			}
		})
	}
}

func runInterp(m *interp, s stripCase) {
	m.regions, m.steps = nil, 0
	var list []int64
	for _, e := range s.ents {
		list = append(list, int64(e[0]), int64(e[1]))
	}
	frame := map[string]int64{
		"m": int64(s.m), "k": int64(s.k), "nb": int64(len(s.ents)), "ents": m.addInts(list),
		"a": m.addFloats(s.a), "b": m.addFloats(s.b), "c": m.addFloats(s.c),
		"au": int64(s.au), "rs": int64(s.rs), "ks": int64(s.ks), "ldc": int64(s.ldc), "add": 0,
	}
	if s.add {
		frame["add"] = 1
	}
	m.run(frame, s.alpha)
}

// The interpreter agrees with the processor to the last bit but for rounding
// twice, which the exact comparison of small integers avoids.
func TestInterpreterAgreesWithProcessor(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		name, ok := map[string]string{"avx2": "stripAVX2", "avx512": "stripAVX512"}[Path()]
		if !ok {
			t.Skip("no assembly on this path")
		}
		m, err := loadAsm("strip_amd64.s", name)
		if err != nil {
			t.Fatal(err)
		}
		rng := newRand(73)
		for round := range 200 {
			s := randomStrip(rng, panelWidth[float32](), 1+round%40)
			for _, x := range [][]float32{s.a, s.b, s.c} {
				for i := range x {
					x[i] = float32(int(4 * x[i]))
				}
			}
			c := append([]float32(nil), s.c...)
			runInterp(m, s)
			if strip32(s.nr, s.m, s.k, s.ents, s.a, s.au, s.rs, s.ks, s.b, c, s.ldc, s.alpha, s.add) != s.m {
				t.Fatal("no assembly strip")
			}
			equalBits(t, label("m = %d", s.m), c, s.c)
		}
	})
}

// Registers from 16 up need AVX-512: the register allocator must not have run
// over into them elsewhere.
func TestAVX2CodeUsesOnlySixteenRegisters(t *testing.T) {
	high := regexp.MustCompile(`\b[XYZ](1[6-9]|2[0-9]|3[01])\b|\bZ\d`)
	seen := 0
	for _, file := range []string{"strip_amd64.s", "pack_amd64.s", "elem_amd64.s", "norm_amd64.s", "pool_amd64.s"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range strings.Split(string(text), "\nTEXT ")[1:] {
			name, _, _ := strings.Cut(f, "(")
			seen++
			if !strings.Contains(name, "AVX512") && high.MatchString(f) {
				t.Errorf("%s: %s uses %s", file, name, high.FindString(f))
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d functions found", seen)
	}
}
