package main

import "github.com/mmcloughlin/avo/reg"

// isa is a vector instruction set.
type isa struct {
	machine
	name  string // suffix of the functions
	lanes int    // float32 elements of a vector
	tiles []int  // rows of the register tiles, largest first
	nv    int    // vectors in a row of the tile
	sums  int    // independent sums that hide the latency of a multiply-add
	vec   func() reg.VecVirtual
}

// The tiles. A term of the sum needs r·nv multiply-adds, nv vectors of B and r
// elements of A; x86 and Neoverse N1 start two multiply-adds and at least two loads a
// cycle, Apple's M1 four and three, so a tile is bound by its arithmetic when
// r·nv ≥ 1.34·(nv + r), and hides the latency of four cycles when r·nv ≥ 8, on M1 16.
//
// AVX2 has 16 registers: 6 rows of 2 vectors take 12, B takes 2 and 2 are left for
// the broadcasts; 12 multiply-adds meet 8 loads. AVX-512 has 32 registers: 12 rows
// of 2 vectors take 24, B 2, and 6 broadcasts are in flight; 24 multiply-adds meet
// 14 loads. 14 rows would fit as well, but 12 divides the row blocks of all shapes
// better: 64 rows are five tiles and one of 4, 192 rows sixteen, and the 32 rows
// of a weight gradient 12 + 12 + 8, none of them below the latency. NEON has 32
// registers of four elements and multiplies by one element of a register, which needs
// no broadcast: 6 rows of 4 vectors take 24, B 4, and 4 elements of A are in flight;
// 24 multiply-adds meet 10 loads, two for each pair of vectors of B.
var (
	avx2   = isa{machine: x86{}, name: "AVX2", lanes: 8, tiles: []int{6, 5, 4, 3, 2, 1}, nv: 2, sums: 8, vec: func() reg.VecVirtual { return ctx.YMM() }}
	avx512 = isa{machine: x86{}, name: "AVX512", lanes: 16, tiles: []int{12, 8, 6, 5, 4, 3, 2, 1}, nv: 2, sums: 8, vec: func() reg.VecVirtual { return ctx.ZMM() }}
	neon   = isa{machine: neonCPU, name: "NEON", lanes: 4, tiles: []int{6, 5, 4, 3, 2, 1}, nv: 4, sums: 16, vec: func() reg.VecVirtual { return ctx.XMM() }}
)

// architecture is what files are written for: all its instruction sets for the kernels
// that are bound by arithmetic, the first for those that are bound by memory.
type architecture struct {
	cpu  machine
	isas []isa
}

var architectures = map[string]architecture{
	"amd64": {x86{}, []isa{avx2, avx512}},
	"arm64": {neonCPU, []isa{neon}},
}

// base is the instruction set of kernels that are bound by memory. They are named
// alike on all architectures.
func (a architecture) base() isa {
	s := a.isas[0]
	s.name = "Vec"
	return s
}

// bytes is the size of one vector.
func (s isa) bytes() int { return 4 * s.lanes }

// row is the size of one row of a packed panel.
func (s isa) rowBytes() int { return s.nv * s.bytes() }

// nr is the number of columns of a packed panel.
func (s isa) nr() int { return s.nv * s.lanes }

// zero returns a cleared vector register.
func (s isa) zero() reg.VecVirtual { return s.zeros(1)[0] }

// zeros returns n cleared vector registers.
func (s isa) zeros(n int) []reg.VecVirtual {
	v := s.vecs(n)
	s.clear(v)
	return v
}

// vecs returns n vector registers.
func (s isa) vecs(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = s.vec()
	}
	return v
}
