package main

import (
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// x86 is a processor with AVX2, and AVX-512 where registers are that wide.
type x86 struct{}

func (x86) move(x Op, to reg.GPVirtual)          { ctx.MOVQ(x, to) }
func (x86) zeroInt(to reg.GPVirtual)             { ctx.XORQ(to, to) }
func (x86) moveByte(m Mem, to reg.GPVirtual)     { ctx.MOVBLZX(m, to.As32()) }
func (x86) moveInt32(m Mem, to reg.GPVirtual)    { ctx.MOVLQSX(m, to) }
func (x86) storeInt(x reg.GPVirtual, m Mem)      { ctx.MOVQ(x, m) }
func (x86) lea(m Mem, to reg.GPVirtual)          { ctx.LEAQ(m, to) }
func (x86) inc(x Op, to reg.GPVirtual)           { ctx.ADDQ(x, to) }
func (x86) dec(x Op, to reg.GPVirtual)           { ctx.SUBQ(x, to) }
func (x86) times(x Op, to reg.GPVirtual)         { ctx.IMULQ(x, to) }
func (x86) shiftLeft(bits int, to reg.GPVirtual) { ctx.SHLQ(Imm(uint64(bits)), to) }
func (x86) roundDown(n int, to reg.GPVirtual)    { ctx.ANDQ(I32(-n), to) }
func (x86) jump(label string)                    { ctx.JMP(LabelRef(label)) }
func (x86) prefetch(m Mem)                       { ctx.PREFETCHT0(m) }

func (x86) jumpZero(x reg.GPVirtual, label string) {
	ctx.TESTQ(x, x)
	ctx.JZ(LabelRef(label))
}

func (x86) jumpNonzero(x reg.GPVirtual, label string) {
	ctx.TESTQ(x, x)
	ctx.JNZ(LabelRef(label))
}

func (x86) jumpEqual(x reg.GPVirtual, n int, label string) {
	ctx.CMPQ(x, U32(uint32(n)))
	ctx.JE(LabelRef(label))
}

func (x86) jumpAtLeast(x reg.GPVirtual, n int, label string) {
	ctx.CMPQ(x, U32(uint32(n)))
	ctx.JGE(LabelRef(label))
}

func (x86) jumpLess(x, y reg.GPVirtual, label string) {
	ctx.CMPQ(x, y)
	ctx.JL(LabelRef(label))
}

func (x86) takeOrJump(n int, x reg.GPVirtual, label string) {
	ctx.SUBQ(U32(uint32(n)), x)
	ctx.JL(LabelRef(label))
}

func (x86) takeAndJump(n int, x reg.GPVirtual, label string) {
	ctx.SUBQ(U32(uint32(n)), x)
	ctx.JGE(LabelRef(label))
}

func (x86) countdown(x reg.GPVirtual, label string) {
	ctx.DECQ(x)
	ctx.JNZ(LabelRef(label))
}

func (x86) ret() {
	ctx.VZEROUPPER()
	ctx.RET()
}

// Addresses add a register times 1, 2, 4 or 8.
func (x86) stride(x reg.GPVirtual) stride { return stride{one: x} }

func (x86) reaches() bool { return true }

func (x86) row(base reg.GPVirtual, s stride, i int) Mem {
	m := Mem{Base: base}
	if i > 0 {
		m.Index, m.Scale = s.one, uint8(i)
	}
	return m
}

func (x86) loadTo(m Mem, v reg.VecVirtual)        { ctx.VMOVUPS(m, v) }
func (x86) store(v reg.VecVirtual, m Mem)         { ctx.VMOVUPS(v, m) }
func (x86) broadcastTo(m Mem, v reg.VecVirtual)   { ctx.VBROADCASTSS(m, v) }
func (x86) copyTo(x, v reg.VecVirtual)            { ctx.VMOVAPS(x, v) }
func (x86) add(x Op, y, d reg.VecVirtual)         { ctx.VADDPS(x, y, d) }
func (x86) sub(x Op, y, d reg.VecVirtual)         { ctx.VSUBPS(x, y, d) }
func (x86) mul(x Op, y, d reg.VecVirtual)         { ctx.VMULPS(x, y, d) }
func (x86) div(x Op, y, d reg.VecVirtual)         { ctx.VDIVPS(x, y, d) }
func (x86) fma(x Op, y, acc reg.VecVirtual)       { ctx.VFMADD231PS(x, y, acc) }
func (x86) fnma(x Op, y, acc reg.VecVirtual)      { ctx.VFNMADD231PS(x, y, acc) }
func (x86) sqrt(v, d reg.VecVirtual)              { ctx.VSQRTPS(v, d) }
func (x86) scalarTo(m Mem, v reg.VecVirtual)      { ctx.VBROADCASTSS(m, v) }
func (x86) fmaScalar(x, k, acc reg.VecVirtual)    { ctx.VFMADD231PS(x, k, acc) }
func (x86) scalar64To(m Mem, v reg.VecVirtual)    { ctx.VBROADCASTSD(m, v) }
func (x86) fmaScalar64(x, k, acc reg.VecVirtual)  { ctx.VFMADD231PD(x, k, acc) }
func (x86) broadcast64To(m Mem, v reg.VecVirtual) { ctx.VBROADCASTSD(m, v) }

func (x86) anyLarger64(v []reg.VecVirtual, m Mem) reg.GPVirtual {
	const lessQuiet = 17
	any := gp()
	if v[0].Size() == 64 {
		least, mask := ctx.ZMM(), ctx.K()
		ctx.VBROADCASTSD(m, least)
		ctx.VCMPPD(Imm(lessQuiet), v[0], least, mask)
		ctx.KMOVW(mask, any.As32())
	} else {
		least, mask := ctx.YMM(), []reg.VecVirtual{ctx.YMM(), ctx.YMM()}
		ctx.VBROADCASTSD(m, least)
		for i, x := range v {
			ctx.VCMPPD(Imm(lessQuiet), x, least, mask[i])
		}
		ctx.VORPD(mask[1], mask[0], mask[0])
		ctx.VMOVMSKPD(mask[0], any.As32())
	}
	// The carry of 0 − x, once more from itself, is −1 unless x = 0.
	ctx.NEGQ(any)
	ctx.SBBQ(any, any)
	ctx.ANDQ(Imm(8), any)
	return any
}

func (c x86) loadsTo(m Mem, v []reg.VecVirtual) {
	for i, x := range v {
		c.loadTo(m.Offset(i*int(x.Size())), x)
	}
}

func (c x86) stores(v []reg.VecVirtual, m Mem) {
	for i, x := range v {
		c.store(x, m.Offset(i*int(x.Size())))
	}
}

func (x86) clear(v []reg.VecVirtual) {
	for i, x := range v {
		switch {
		case x.Size() == 32:
			ctx.VXORPS(x, x, x)
		case i > 0:
			ctx.VMOVAPS(v[0], x)
		default:
			// Wide registers cannot be cleared by themselves here: VXORPS asks for more
			// than AVX512F, and the allocator takes VPXORD for a use of the old value.
			low := ctx.XMM()
			ctx.VXORPS(low, low, low)
			ctx.VBROADCASTSS(low, x)
		}
	}
}

func (x86) mulAdd(v, k reg.VecVirtual, x Op) reg.VecVirtual {
	ctx.VFMADD213PS(x, k, v)
	return v
}

func (x86) mulSub(v, k, y reg.VecVirtual) reg.VecVirtual {
	ctx.VFMSUB213PS(y, k, v)
	return v
}

// MAXPS returns its second source, the first operand here, when the sources are
// equal or one is not a number.
func (x86) floorAt(floor, v reg.VecVirtual) { ctx.VMAXPS(v, floor, v) }

func (x86) keepPositive(v reg.VecVirtual, y Op, zero reg.VecVirtual) {
	const lessQuiet = 17
	mask := ctx.YMM()
	ctx.VCMPPS(Imm(lessQuiet), y, zero, mask)
	ctx.VANDPS(mask, v, v)
}

func (x86) squares64(m Mem, a, b reg.VecVirtual) {
	for half, acc := range []reg.VecVirtual{a, b} {
		v := ctx.YMM()
		ctx.VCVTPS2PD(m.Offset(16*half), v)
		ctx.VFMADD231PD(v, v, acc)
	}
}

func (x86) sum64(acc []reg.VecVirtual, to Mem) {
	ctx.VADDPD(acc[1], acc[0], acc[0])
	ctx.VADDPD(acc[3], acc[2], acc[2])
	ctx.VADDPD(acc[2], acc[0], acc[0])
	hi := ctx.XMM()
	ctx.VEXTRACTF128(Imm(1), acc[0], hi)
	lo := acc[0].AsX()
	ctx.VADDPD(hi, lo, lo)
	ctx.VHADDPD(lo, lo, lo)
	ctx.MOVSD(lo, to)
}

func (x86) joinTo(from []Mem, v reg.VecVirtual) {
	ctx.VBROADCASTF128(from[0], v)
	ctx.VINSERTF128(Imm(1), from[1], v, v)
}

func (x86) zip(high bool, x, y, d reg.VecVirtual) {
	if high {
		ctx.VUNPCKHPS(y, x, d)
	} else {
		ctx.VUNPCKLPS(y, x, d)
	}
}

func (x86) zipPairs(high bool, x, y, d reg.VecVirtual) {
	if high {
		ctx.VUNPCKHPD(y, x, d)
	} else {
		ctx.VUNPCKLPD(y, x, d)
	}
}

func (x86) replaceGreater(v, best reg.VecVirtual) (mask reg.VecVirtual) {
	const greaterQuiet, unordered = 30, 3
	mask, none := ctx.YMM(), ctx.YMM()
	ctx.VCMPPS(Imm(greaterQuiet), best, v, mask)
	ctx.VCMPPS(Imm(unordered), v, v, none)
	ctx.VORPS(none, mask, mask)
	ctx.VBLENDVPS(mask, v, best, best)
	return mask
}

// Packing works in halves of a register; a permutation undoes it.
func (x86) bytesOfMasks(mask []reg.VecVirtual) []reg.VecVirtual {
	ctx.VPACKSSDW(mask[1], mask[0], mask[0])
	ctx.VPACKSSDW(mask[3], mask[2], mask[2])
	ctx.VPACKSSWB(mask[2], mask[0], mask[0])
	order := ctx.YMM()
	ctx.VMOVDQU(packOrder(), order)
	ctx.VPERMD(mask[0], order, mask[0])
	return mask[:1]
}

// packOrder is the constant that brings the doublewords of packed halves into
// the order of their elements.
func packOrder() Mem {
	m := ctx.StaticGlobal("packOrder")
	ctx.DataAttributes(8 | 16) // read-only, no pointers
	for i, v := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
		ctx.AddDatum(4*i, U32(v))
	}
	return m
}

func (x86) broadcastByte(m Mem) reg.VecVirtual {
	v := ctx.YMM()
	ctx.VPBROADCASTB(m, v)
	return v
}

func (x86) selectBytes(mask, x, v reg.VecVirtual) { ctx.VPBLENDVB(mask, x, v, v) }

func (x86) addWhere(m, index, tap Mem, sum reg.VecVirtual) {
	where, t := ctx.YMM(), ctx.YMM()
	ctx.VPMOVZXBD(index, where)
	ctx.VPBROADCASTD(tap, t)
	ctx.VPCMPEQD(t, where, where)
	ctx.VANDPS(m, where, where)
	ctx.VADDPS(where, sum, sum)
}

func (x86) print(cfg printer.Config, f *ir.File) ([]byte, error) {
	if err := pass.Compile.Execute(f); err != nil {
		return nil, err
	}
	return printer.NewGoAsm(cfg).Print(f)
}
