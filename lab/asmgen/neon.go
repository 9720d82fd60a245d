package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// arm64 is a processor with NEON. Go's assembler knows few of its vector instructions,
// so all of them are written as words; see words.go.
type arm64 struct {
	lines map[*ir.Instruction]line
}

var neonCPU = &arm64{lines: map[*ir.Instruction]line{}}

// line writes an instruction, given the numbers of registers.
type line func(n func(r reg.Register) int) string

// emit adds an instruction that reads and writes registers.
func (a *arm64) emit(in, out []Op, l line) *ir.Instruction {
	i := &ir.Instruction{Inputs: in, Outputs: out, Operands: append(append([]Op{}, in...), out...)}
	a.lines[i] = l
	ctx.Instruction(i)
	return i
}

// branch adds a jump; format gets the number of the register that it tests, if any.
func (a *arm64) branch(format, label string, tests ...Op) {
	l := LabelRef(label)
	i := a.emit(tests, nil, func(n func(reg.Register) int) string {
		if len(tests) > 0 {
			return fmt.Sprintf(format+", %s", n(tests[0].(reg.Register)), label)
		}
		return format + " " + label
	})
	i.Operands = append([]Op{l}, i.Operands...)
	i.IsBranch, i.IsConditional = true, format != "JMP"
}

// plain adds an instruction that Go's assembler knows: it reads the operands, and writes the last
// one where writes is true.
func (a *arm64) plain(writes bool, name string, operands ...Op) *ir.Instruction {
	in, out := operands, []Op(nil)
	if last := len(in) - 1; writes {
		in, out = in[:last], in[last:]
	}
	return a.emit(registers(in...), out, func(n func(reg.Register) int) string {
		text := name
		for i, op := range operands {
			text += [2]string{" ", ", "}[min(i, 1)]
			switch x := op.(type) {
			case reg.VecVirtual:
				text += fmt.Sprintf("F%d", n(x))
			case reg.Register:
				text += fmt.Sprintf("R%d", n(x))
			case Mem:
				if parameter(x) {
					text += x.Asm()
				} else {
					text += fmt.Sprintf("%d(R%d)", x.Disp, n(x.Base))
				}
			default:
				text += x.Asm()
			}
		}
		return text
	})
}

// gpOp writes an instruction of integers: x may be a constant.
func (a *arm64) gpOp(name string, x Op, y, to reg.GPVirtual) { a.plain(true, name, x, y, to) }

// registers returns the registers of some operands; a parameter has none that is allocated.
func registers(x ...Op) (r []Op) {
	for _, op := range x {
		if m, ok := op.(Mem); ok && parameter(m) {
			continue
		}
		for _, o := range Registers(op) {
			r = append(r, o)
		}
	}
	return r
}

// integer is x in a register or as a constant.
func (a *arm64) integer(x Op) Op {
	if m, ok := x.(Mem); ok {
		return copied(m)
	}
	return x
}

// parameter reports whether m is a parameter, which only Go's assembler finds.
func parameter(m Mem) bool { return m.Symbol.Name != "" }

func (a *arm64) move(x Op, to reg.GPVirtual)       { a.plain(true, "MOVD", x, to) }
func (a *arm64) zeroInt(to reg.GPVirtual)          { a.plain(true, "MOVD", Imm(0), to) }
func (a *arm64) moveByte(m Mem, to reg.GPVirtual)  { a.plain(true, "MOVBU", m, to) }
func (a *arm64) moveInt32(m Mem, to reg.GPVirtual) { a.plain(true, "MOVW", m, to) }
func (a *arm64) storeInt(x reg.GPVirtual, m Mem)   { a.plain(false, "MOVD", x, m) }

func (a *arm64) lea(m Mem, to reg.GPVirtual) {
	if m.Index != nil {
		shift := map[uint8]int{1: 0, 2: 1, 4: 2, 8: 3}[m.Scale]
		a.emit(registers(m), []Op{to}, func(n func(reg.Register) int) string {
			return fmt.Sprintf("ADD R%d<<%d, R%d, R%d", n(m.Index), shift, n(m.Base), n(to))
		})
		if m.Disp != 0 {
			a.inc(I32(m.Disp), to)
		}
		return
	}
	a.emit(registers(m), []Op{to}, func(n func(reg.Register) int) string {
		return fmt.Sprintf("ADD $%d, R%d, R%d", m.Disp, n(m.Base), n(to))
	})
}

func (a *arm64) inc(x Op, to reg.GPVirtual)   { a.gpOp("ADD", a.integer(x), to, to) }
func (a *arm64) dec(x Op, to reg.GPVirtual)   { a.gpOp("SUB", a.integer(x), to, to) }
func (a *arm64) times(x Op, to reg.GPVirtual) { a.gpOp("MUL", a.integer(x), to, to) }

func (a *arm64) shiftLeft(bits int, to reg.GPVirtual) { a.gpOp("LSL", Imm(uint64(bits)), to, to) }
func (a *arm64) roundDown(n int, to reg.GPVirtual)    { a.gpOp("AND", I32(-n), to, to) }

func (a *arm64) jump(label string)                         { a.branch("JMP", label) }
func (a *arm64) jumpZero(x reg.GPVirtual, label string)    { a.branch("CBZ R%d", label, x) }
func (a *arm64) jumpNonzero(x reg.GPVirtual, label string) { a.branch("CBNZ R%d", label, x) }

func (a *arm64) jumpEqual(x reg.GPVirtual, n int, label string) {
	a.plain(false, "CMP", U32(uint32(n)), x)
	a.branch("BEQ", label)
}

func (a *arm64) jumpAtLeast(x reg.GPVirtual, n int, label string) {
	a.plain(false, "CMP", U32(uint32(n)), x)
	a.branch("BGE", label)
}

func (a *arm64) jumpLess(x, y reg.GPVirtual, label string) {
	a.plain(false, "CMP", y, x)
	a.branch("BLT", label)
}

func (a *arm64) takeOrJump(n int, x reg.GPVirtual, label string) {
	a.gpOp("SUBS", U32(uint32(n)), x, x)
	a.branch("BLT", label)
}

func (a *arm64) takeAndJump(n int, x reg.GPVirtual, label string) {
	a.gpOp("SUBS", U32(uint32(n)), x, x)
	a.branch("BGE", label)
}

func (a *arm64) countdown(x reg.GPVirtual, label string) {
	a.gpOp("SUBS", Imm(1), x, x)
	a.branch("BNE", label)
}

func (a *arm64) prefetch(m Mem) {
	p := m.Base
	if m.Index != nil || m.Disp != 0 {
		r := gp()
		a.lea(m, r)
		p = r
	}
	a.emit(registers(p), nil, func(n func(reg.Register) int) string { return fmt.Sprintf("PRFM (R%d), PLDL1KEEP", n(p)) })
}

func (a *arm64) ret() {
	a.plain(false, "RET").IsTerminal = true
}

// Addresses add a register as it is, so twice the distance has one of its own.
func (a *arm64) stride(x reg.GPVirtual) stride {
	two := gp()
	a.lea(Mem{Base: x, Index: x, Scale: 1}, two)
	return stride{x, two}
}

func (a *arm64) reaches() bool { return false }

func (a *arm64) row(base reg.GPVirtual, s stride, i int) Mem {
	m := Mem{Base: base}
	if i > 0 {
		m.Index, m.Scale = []reg.GPVirtual{s.one, s.two}[i-1], 1
	}
	return m
}

// vector writes a vector instruction: word holds it without its registers, which are
// d, n and m. A register that is also read as d is named once more in reads.
func (a *arm64) vector(w word, reads []Op, d reg.Register, nm ...reg.Register) {
	in := append([]Op{}, reads...)
	for _, r := range nm {
		in = append(in, r)
	}
	a.emit(in, []Op{d}, func(n func(reg.Register) int) string {
		f := fields{d: n(d)}
		if len(nm) > 0 {
			f.n = n(nm[0])
		}
		if len(nm) > 1 {
			f.m = n(nm[1])
		}
		return w.with(f)
	})
}

// memory writes a load or a store of v of the given size, in bytes.
func (a *arm64) memory(store bool, size int, m Mem, v reg.VecVirtual) {
	if parameter(m) {
		a.parameterMove(store, size, m, v)
		return
	}
	if m.Index != nil && (m.Disp != 0 || m.Scale != 1) {
		p := gp()
		a.lea(m, p)
		m = Mem{Base: p}
	}
	in, out := registers(m), []Op{v}
	if store {
		in, out = append(in, v), nil
	}
	a.emit(in, out, func(n func(reg.Register) int) string {
		f := fields{d: n(v), n: n(m.Base)}
		if m.Index != nil {
			f.m = n(m.Index)
			return accesses[access{store, size, true}].with(f)
		}
		if m.Disp%size != 0 || m.Disp < 0 || m.Disp/size > 4095 {
			panic(fmt.Sprintf("no vector can be at %d", m.Disp))
		}
		f.imm = m.Disp
		return accesses[access{store, size, false}].with(f)
	})
}

func (a *arm64) parameterMove(store bool, size int, m Mem, v reg.VecVirtual) {
	operands := []Op{m, v}
	if store {
		operands = []Op{v, m}
	}
	a.plain(!store, map[int]string{4: "FMOVS", 8: "FMOVD"}[size], operands...)
}

func (a *arm64) loadTo(m Mem, v reg.VecVirtual) { a.memory(false, 16, m, v) }
func (a *arm64) store(v reg.VecVirtual, m Mem)  { a.memory(true, 16, m, v) }

// pairs moves vectors without gaps, two at a time where an address of two reaches.
func (a *arm64) pairs(store bool, m Mem, v []reg.VecVirtual) {
	for len(v) > 0 {
		if len(v) == 1 || m.Index != nil || m.Disp > 1008 {
			a.memory(store, 16, m, v[0])
			m, v = m.Offset(16), v[1:]
			continue
		}
		x, y, from := v[0], v[1], m
		in, out := registers(m), []Op{x, y}
		if store {
			in, out = append(in, x, y), nil
		}
		a.emit(in, out, func(n func(reg.Register) int) string {
			return accesses[access{store, 32, false}].with(fields{d: n(x), m: n(y), n: n(from.Base), imm: from.Disp})
		})
		m, v = m.Offset(32), v[2:]
	}
}

func (a *arm64) loadsTo(m Mem, v []reg.VecVirtual) { a.pairs(false, m, v) }
func (a *arm64) stores(v []reg.VecVirtual, m Mem)  { a.pairs(true, m, v) }

func (a *arm64) broadcastTo(m Mem, v reg.VecVirtual) {
	a.memory(false, 4, m, v)
	a.vector(dup4S, nil, v, v)
}

func (a *arm64) clear(v []reg.VecVirtual) {
	for _, x := range v {
		a.vector(movi, nil, x)
	}
}

// operand is x in a register.
func (a *arm64) operand(x Op) reg.VecVirtual {
	if m, ok := x.(Mem); ok {
		v := ctx.XMM()
		a.loadTo(m, v)
		return v
	}
	return x.(reg.VecVirtual)
}

func (a *arm64) copyTo(x, v reg.VecVirtual) { a.vector(orr, nil, v, x, x) }

func (a *arm64) add(x Op, y, d reg.VecVirtual) { a.vector(fadd4S, nil, d, y, a.operand(x)) }
func (a *arm64) sub(x Op, y, d reg.VecVirtual) { a.vector(fsub4S, nil, d, y, a.operand(x)) }
func (a *arm64) mul(x Op, y, d reg.VecVirtual) { a.vector(fmul4S, nil, d, y, a.operand(x)) }
func (a *arm64) div(x Op, y, d reg.VecVirtual) { a.vector(fdiv4S, nil, d, y, a.operand(x)) }

func (a *arm64) fma(x Op, y, acc reg.VecVirtual) {
	a.vector(fmla4S, []Op{acc}, acc, a.operand(x), y)
}

func (a *arm64) fnma(x Op, y, acc reg.VecVirtual) {
	a.vector(fmls4S, []Op{acc}, acc, a.operand(x), y)
}

// The sum is made where its last term is.
func (a *arm64) mulAdd(v, k reg.VecVirtual, x Op) reg.VecVirtual {
	sum := ctx.XMM()
	if m, ok := x.(Mem); ok {
		a.loadTo(m, sum)
	} else {
		a.copyTo(x.(reg.VecVirtual), sum)
	}
	a.fma(v, k, sum)
	return sum
}

func (a *arm64) mulSub(v, k, y reg.VecVirtual) reg.VecVirtual {
	a.vector(fneg4S, nil, y, y)
	a.fma(v, k, y)
	return y
}

func (a *arm64) sqrt(v, d reg.VecVirtual) { a.vector(fsqrt4S, nil, d, v) }

// FMAX is not a number if one of the two is not.
func (a *arm64) floorAt(floor, v reg.VecVirtual) { a.vector(fmax4S, nil, v, v, floor) }

func (a *arm64) keepPositive(v reg.VecVirtual, y Op, zero reg.VecVirtual) {
	mask := ctx.XMM()
	a.vector(fcmgt4S, nil, mask, a.operand(y), zero)
	a.vector(and, nil, v, v, mask)
}

func (a *arm64) scalarTo(m Mem, v reg.VecVirtual)   { a.memory(false, 4, m, v) }
func (a *arm64) scalar64To(m Mem, v reg.VecVirtual) { a.memory(false, 8, m, v) }

func (a *arm64) fmaScalar(x, k, acc reg.VecVirtual) {
	a.vector(fmlaElement4S, []Op{acc}, acc, x, k)
}

func (a *arm64) fmaScalar64(x, k, acc reg.VecVirtual) {
	a.vector(fmlaElement2D, []Op{acc}, acc, x, k)
}

func (a *arm64) broadcast64To(m Mem, v reg.VecVirtual) {
	a.memory(false, 8, m, v)
	a.vector(dup2D, nil, v, v)
}

func (a *arm64) anyLarger64(v []reg.VecVirtual, m Mem) reg.GPVirtual {
	least, any, mask := ctx.XMM(), ctx.XMM(), ctx.XMM()
	a.broadcast64To(m, least)
	for i, x := range v {
		if i == 0 {
			a.vector(fcmgt2D, nil, any, x, least)
			continue
		}
		a.vector(fcmgt2D, nil, mask, x, least)
		a.vector(orr, nil, any, any, mask)
	}
	a.vector(zip2D, nil, mask, any, any)
	a.vector(orr, nil, any, any, mask)
	to := gp()
	a.plain(true, "FMOVD", any, to)
	a.gpOp("AND", Imm(8), to, to)
	return to
}

func (a *arm64) squares64(m Mem, x, y reg.VecVirtual) {
	v, low := a.operand(m), ctx.XMM()
	a.vector(fcvtl, nil, low, v)
	a.vector(fcvtl2, nil, v, v)
	a.vector(fmla2D, []Op{x}, x, low, low)
	a.vector(fmla2D, []Op{y}, y, v, v)
}

func (a *arm64) sum64(acc []reg.VecVirtual, to Mem) {
	a.vector(fadd2D, nil, acc[0], acc[0], acc[1])
	a.vector(fadd2D, nil, acc[2], acc[2], acc[3])
	a.vector(fadd2D, nil, acc[0], acc[0], acc[2])
	a.vector(faddp, nil, acc[0], acc[0])
	a.memory(true, 8, to, acc[0])
}

func (a *arm64) joinTo(from []Mem, v reg.VecVirtual) { a.loadTo(from[0], v) }

func (a *arm64) zip(high bool, x, y, d reg.VecVirtual) {
	w := zip1S
	if high {
		w = zip2S
	}
	a.vector(w, nil, d, x, y)
}

func (a *arm64) zipPairs(high bool, x, y, d reg.VecVirtual) {
	w := zip1D
	if high {
		w = zip2D
	}
	a.vector(w, nil, d, x, y)
}

func (a *arm64) replaceGreater(v, best reg.VecVirtual) (mask reg.VecVirtual) {
	mask = ctx.XMM()
	number := ctx.XMM()
	a.vector(fcmgt4S, nil, mask, v, best)
	a.vector(fcmeq4S, nil, number, v, v)
	a.vector(orn, nil, mask, mask, number)
	a.vector(bit, []Op{best}, best, v, mask)
	return mask
}

func (a *arm64) bytesOfMasks(mask []reg.VecVirtual) (v []reg.VecVirtual) {
	for ; len(mask) > 0; mask = mask[4:] {
		a.vector(uzp1H, nil, mask[0], mask[0], mask[1])
		a.vector(uzp1H, nil, mask[2], mask[2], mask[3])
		a.vector(uzp1B, nil, mask[0], mask[0], mask[2])
		v = append(v, mask[0])
	}
	return v
}

func (a *arm64) broadcastByte(m Mem) reg.VecVirtual {
	v := ctx.XMM()
	a.memory(false, 4, m, v)
	a.vector(dup16B, nil, v, v)
	return v
}

func (a *arm64) selectBytes(mask, x, v reg.VecVirtual) { a.vector(bit, []Op{v}, v, x, mask) }

func (a *arm64) addWhere(m, index, tap Mem, sum reg.VecVirtual) {
	where, t := ctx.XMM(), ctx.XMM()
	a.memory(false, 4, index, where)
	a.vector(uxtlH, nil, where, where)
	a.vector(uxtlS, nil, where, where)
	a.broadcastTo(tap, t)
	a.vector(cmeq4S, nil, where, where, t)
	a.vector(and, nil, where, where, a.operand(m))
	a.vector(fadd4S, nil, sum, sum, where)
}
