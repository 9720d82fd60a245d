package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// machine is a processor as the kernels see it. An Op is a register or memory; in
// operations on three operands the last is the result, and x is an Op where a
// processor may take it from memory. Subtraction and division are the second operand
// by the first, as Go's assembler has them: sub(x, y, d) is d = y − x.
type machine interface {
	// Integers of 64 bits; x may be a constant too.
	move(x Op, to reg.GPVirtual)
	zeroInt(to reg.GPVirtual)
	moveByte(m Mem, to reg.GPVirtual)
	moveInt32(m Mem, to reg.GPVirtual)
	storeInt(x reg.GPVirtual, m Mem)
	lea(m Mem, to reg.GPVirtual)
	inc(x Op, to reg.GPVirtual) // to += x
	dec(x Op, to reg.GPVirtual) // to −= x
	times(x Op, to reg.GPVirtual)
	shiftLeft(bits int, to reg.GPVirtual)
	roundDown(power int, to reg.GPVirtual) // to a multiple

	jump(label string)
	jumpZero(x reg.GPVirtual, label string)
	jumpNonzero(x reg.GPVirtual, label string)
	jumpEqual(x reg.GPVirtual, n int, label string)
	jumpAtLeast(x reg.GPVirtual, n int, label string)
	jumpLess(x, y reg.GPVirtual, label string)
	takeOrJump(n int, x reg.GPVirtual, label string)  // x −= n, and jump if x < 0
	takeAndJump(n int, x reg.GPVirtual, label string) // x −= n, and jump if x ≥ 0
	countdown(x reg.GPVirtual, label string)          // x −= 1, and jump unless x = 0
	prefetch(m Mem)
	ret()

	// stride is a distance between rows, prepared for row; row is row i, below 3, from
	// base.
	stride(x reg.GPVirtual) stride
	row(base reg.GPVirtual, s stride, i int) Mem
	// reaches reports whether an address may add a displacement to two registers.
	reaches() bool

	// Vectors of float32.
	loadTo(m Mem, v reg.VecVirtual)
	loadsTo(m Mem, v []reg.VecVirtual) // without gaps
	store(v reg.VecVirtual, m Mem)
	stores(v []reg.VecVirtual, m Mem)
	broadcastTo(m Mem, v reg.VecVirtual)
	clear(v []reg.VecVirtual)
	copyTo(x, v reg.VecVirtual)
	add(x Op, y, d reg.VecVirtual)
	sub(x Op, y, d reg.VecVirtual)
	mul(x Op, y, d reg.VecVirtual)
	div(x Op, y, d reg.VecVirtual)
	fma(x Op, y, acc reg.VecVirtual)                          // acc += x·y
	fnma(x Op, y, acc reg.VecVirtual)                         // acc −= x·y
	mulAdd(v, k reg.VecVirtual, x Op) reg.VecVirtual          // v·k + x; v is lost
	mulSub(v, k, y reg.VecVirtual) reg.VecVirtual             // v·k − y; v and y are lost
	sqrt(v, d reg.VecVirtual)                                 // elements at least 0
	floorAt(floor, v reg.VecVirtual)                          // v = max(v, floor), v if it is not a number
	keepPositive(v reg.VecVirtual, y Op, zero reg.VecVirtual) // clears v where y is not greater than zero

	// scalarTo makes an element of memory ready for fmaScalar, which adds it times x to acc.
	scalarTo(m Mem, v reg.VecVirtual)
	fmaScalar(x, scalar, acc reg.VecVirtual)
	// The same in float64.
	scalar64To(m Mem, v reg.VecVirtual)
	fmaScalar64(x, scalar, acc reg.VecVirtual)
	broadcast64To(m Mem, v reg.VecVirtual)
	// anyLarger64 returns 8 if an element of v is larger than that at m, else 0.
	anyLarger64(v []reg.VecVirtual, m Mem) reg.GPVirtual

	// squares64 adds the squares of a vector at m to the float64 of a and b; sum64 stores
	// the sum of all.
	squares64(m Mem, a, b reg.VecVirtual)
	sum64(acc []reg.VecVirtual, to Mem)

	// joinTo reads four elements for every four lanes, one quadruple from each address.
	// zip and zipPairs interleave the lower or upper halves of every four lanes of x and
	// y, by elements and by pairs.
	joinTo(from []Mem, v reg.VecVirtual)
	zip(high bool, x, y, d reg.VecVirtual)
	zipPairs(high bool, x, y, d reg.VecVirtual)

	// replaceGreater puts v into best where it is greater or not a number, and returns where.
	replaceGreater(v, best reg.VecVirtual) (mask reg.VecVirtual)
	// bytesOfMasks packs masks of 32 elements into bytes; v are 32 bytes in as few
	// registers as hold them.
	bytesOfMasks(masks []reg.VecVirtual) (v []reg.VecVirtual)
	broadcastByte(m Mem) reg.VecVirtual
	selectBytes(mask, x, v reg.VecVirtual) // v = x where mask
	// addWhere adds the elements at m to sum where the bytes at index equal that at tap.
	addWhere(m, index, tap Mem, sum reg.VecVirtual)

	// print is the assembly of a file.
	print(cfg printer.Config, f *ir.File) ([]byte, error)
}

// stride is a distance between rows and, where addresses cannot double it, twice it.
type stride struct{ one, two reg.GPVirtual }

// The file that is written, and the processor it is for.
var (
	ctx *build.Context
	cpu machine
)

// text begins a function.
func text(name, signature, doc string) {
	ctx.Function(name)
	ctx.Attributes(attr.NOSPLIT)
	ctx.SignatureExpr("func(" + signature + ")")
	ctx.Doc(name + " " + doc)
}

func gp() reg.GPVirtual { return ctx.GP64() }

func mark(name string) { ctx.Label(name) }

// copied is a copy of an integer.
func copied(x Op) reg.GPVirtual {
	r := gp()
	cpu.move(x, r)
	return r
}

// ptr loads a pointer or integer parameter.
func ptr(name string) reg.GPVirtual { return copied(addr(name)) }

// bytesOf loads an integer parameter that counts float32 elements, in bytes.
func bytesOf(name string) reg.GPVirtual {
	r := ptr(name)
	cpu.shiftLeft(2, r)
	return r
}

func addr(name string) Mem {
	c, err := ctx.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return c.Addr
}

// result is the place of the only result.
func result() Mem {
	c, err := ctx.ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	return c.Addr
}

// at is the memory operand base + disp.
func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

// colAt is the memory operand base + col.
func colAt(base, col reg.Register) Mem { return Mem{Base: base, Index: col, Scale: 1} }
