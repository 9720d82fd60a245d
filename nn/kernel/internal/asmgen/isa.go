package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is a vector instruction set.
type isa struct {
	name  string // suffix of the functions
	lanes int    // float32 elements of a vector
	tiles []int  // rows of the register tiles, largest first
	nv    int    // vectors in a row of the tile
	vec   func() reg.VecVirtual
}

// The tiles. A term of the sum needs r·nv multiply-adds, nv vectors of B and r
// broadcast elements of A; both processors start two multiply-adds and at least
// two loads a cycle, so a tile is bound by its arithmetic when r·nv ≥ nv + r, and
// hides the latency of four cycles when r·nv ≥ 8.
//
// AVX2 has 16 registers: 6 rows of 2 vectors take 12, B takes 2 and 2 are left for
// the broadcasts; 12 multiply-adds meet 8 loads. AVX-512 has 32 registers: 12 rows
// of 2 vectors take 24, B 2, and 6 broadcasts are in flight; 24 multiply-adds meet
// 14 loads. 14 rows would fit as well, but 12 divides the row blocks of all shapes
// better: 64 rows are five tiles and one of 4, 192 rows sixteen, and the 32 rows
// of a weight gradient 12 + 12 + 8, none of them below the latency.
var (
	avx2   = isa{name: "AVX2", lanes: 8, tiles: []int{6, 5, 4, 3, 2, 1}, nv: 2, vec: YMM}
	avx512 = isa{name: "AVX512", lanes: 16, tiles: []int{12, 8, 6, 5, 4, 3, 2, 1}, nv: 2, vec: ZMM}
)

// bytes is the size of one vector.
func (s isa) bytes() int { return 4 * s.lanes }

// row is the size of one row of a packed panel.
func (s isa) row() int { return s.nv * s.bytes() }

// nr is the number of columns of a packed panel.
func (s isa) nr() int { return s.nv * s.lanes }

// zero returns a cleared vector register.
func (s isa) zero() reg.VecVirtual {
	v := s.vec()
	if s.lanes == 8 {
		VXORPS(v, v, v)
		return v
	}
	// Wide registers cannot be cleared by themselves here: VXORPS asks for more
	// than AVX512F, and the allocator takes VPXORD for a use of the old value.
	x := XMM()
	VXORPS(x, x, x)
	VBROADCASTSS(x, v)
	return v
}

// zeros returns n cleared vector registers.
func (s isa) zeros(n int) []reg.VecVirtual {
	v := []reg.VecVirtual{s.zero()}
	for i := 1; i < n; i++ {
		if s.lanes == 8 {
			v = append(v, s.zero())
			continue
		}
		v = append(v, s.vec())
		VMOVAPS(v[0], v[i])
	}
	return v
}

// ptr loads a pointer or integer parameter.
func ptr(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// bytesOf loads an integer parameter that counts float32 elements, in bytes.
func bytesOf(name string) reg.GPVirtual {
	r := ptr(name)
	SHLQ(Imm(2), r)
	return r
}

func addr(name string) Mem {
	c, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return c.Addr
}

// at is the memory operand base + disp.
func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }
