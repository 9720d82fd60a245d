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
	mr    int    // rows of the largest register tile
	nv    int    // vectors in a row of the tile
	vec   func() reg.VecVirtual
}

var avx2 = isa{name: "AVX2", lanes: 8, mr: 6, nv: 2, vec: YMM}

// bytes is the size of one vector.
func (s isa) bytes() int { return 4 * s.lanes }

// row is the size of one row of a packed panel.
func (s isa) row() int { return s.nv * s.bytes() }

// zero returns a cleared vector register.
func (s isa) zero() reg.VecVirtual {
	v := s.vec()
	s.clear(v)
	return v
}

func (s isa) clear(v reg.VecVirtual) { VXORPS(v, v, v) }

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
