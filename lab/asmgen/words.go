package main

import (
	"fmt"
	"strings"
)

// word is an instruction of arm64 that Go's assembler does not know: its bits without
// operands, and how it is written, where D, N, M and I stand for these. Scale is the
// unit of an address's displacement, which has its lowest bit at place immAt.
type word struct {
	bits  uint32
	text  string
	scale int
	immAt int
	mAt   int // 16 unless said
}

// fields are the operands of a word.
type fields struct{ d, n, m, imm int }

// with is the line for some operands. Fields that an instruction lacks are zero.
func (w word) with(f fields) string {
	at := w.mAt
	if at == 0 {
		at = 16
	}
	bits := w.bits | uint32(f.d) | uint32(f.n)<<5 | uint32(f.m)<<at
	if w.scale > 0 {
		bits |= uint32(f.imm/w.scale) << w.immAt
	}
	text := strings.NewReplacer("D", fmt.Sprint(f.d), "N", fmt.Sprint(f.n), "M", fmt.Sprint(f.m), "I", fmt.Sprint(f.imm)).Replace(w.text)
	return fmt.Sprintf("WORD $0x%08x // %s", bits, text)
}

// The instructions, from the architecture's reference manual (Arm DDI 0487).
var (
	fadd4S        = word{bits: 0x4e20d400, text: "fadd vD.4s, vN.4s, vM.4s"}
	fsub4S        = word{bits: 0x4ea0d400, text: "fsub vD.4s, vN.4s, vM.4s"}
	fmul4S        = word{bits: 0x6e20dc00, text: "fmul vD.4s, vN.4s, vM.4s"}
	fdiv4S        = word{bits: 0x6e20fc00, text: "fdiv vD.4s, vN.4s, vM.4s"}
	fmax4S        = word{bits: 0x4e20f400, text: "fmax vD.4s, vN.4s, vM.4s"}
	fmla4S        = word{bits: 0x4e20cc00, text: "fmla vD.4s, vN.4s, vM.4s"}
	fmls4S        = word{bits: 0x4ea0cc00, text: "fmls vD.4s, vN.4s, vM.4s"}
	fmlaElement4S = word{bits: 0x4f801000, text: "fmla vD.4s, vN.4s, vM.s[0]"}
	fsqrt4S       = word{bits: 0x6ea1f800, text: "fsqrt vD.4s, vN.4s"}
	fneg4S        = word{bits: 0x6ea0f800, text: "fneg vD.4s, vN.4s"}
	fcmeq4S       = word{bits: 0x4e20e400, text: "fcmeq vD.4s, vN.4s, vM.4s"}
	fcmgt4S       = word{bits: 0x6ea0e400, text: "fcmgt vD.4s, vN.4s, vM.4s"}

	fadd2D        = word{bits: 0x4e60d400, text: "fadd vD.2d, vN.2d, vM.2d"}
	fcmgt2D       = word{bits: 0x6ee0e400, text: "fcmgt vD.2d, vN.2d, vM.2d"}
	fmla2D        = word{bits: 0x4e60cc00, text: "fmla vD.2d, vN.2d, vM.2d"}
	fmlaElement2D = word{bits: 0x4fc01000, text: "fmla vD.2d, vN.2d, vM.d[0]"}
	faddp         = word{bits: 0x7e70d800, text: "faddp dD, vN.2d"}
	fcvtl         = word{bits: 0x0e617800, text: "fcvtl vD.2d, vN.2s"}
	fcvtl2        = word{bits: 0x4e617800, text: "fcvtl2 vD.2d, vN.4s"}

	movi   = word{bits: 0x6f00e400, text: "movi vD.2d, #0"}
	and    = word{bits: 0x4e201c00, text: "and vD.16b, vN.16b, vM.16b"}
	orr    = word{bits: 0x4ea01c00, text: "orr vD.16b, vN.16b, vM.16b"}
	orn    = word{bits: 0x4ee01c00, text: "orn vD.16b, vN.16b, vM.16b"}
	bit    = word{bits: 0x6ea01c00, text: "bit vD.16b, vN.16b, vM.16b"}
	cmeq4S = word{bits: 0x6ea08c00, text: "cmeq vD.4s, vN.4s, vM.4s"}
	dup4S  = word{bits: 0x4e040400, text: "dup vD.4s, vN.s[0]"}
	dup2D  = word{bits: 0x4e080400, text: "dup vD.2d, vN.d[0]"}
	dup16B = word{bits: 0x4e010400, text: "dup vD.16b, vN.b[0]"}
	uxtlH  = word{bits: 0x2f08a400, text: "uxtl vD.8h, vN.8b"}
	uxtlS  = word{bits: 0x2f10a400, text: "uxtl vD.4s, vN.4h"}
	uzp1H  = word{bits: 0x4e401800, text: "uzp1 vD.8h, vN.8h, vM.8h"}
	uzp1B  = word{bits: 0x4e001800, text: "uzp1 vD.16b, vN.16b, vM.16b"}
	zip1S  = word{bits: 0x4e803800, text: "zip1 vD.4s, vN.4s, vM.4s"}
	zip2S  = word{bits: 0x4e807800, text: "zip2 vD.4s, vN.4s, vM.4s"}
	zip1D  = word{bits: 0x4ec03800, text: "zip1 vD.2d, vN.2d, vM.2d"}
	zip2D  = word{bits: 0x4ec07800, text: "zip2 vD.2d, vN.2d, vM.2d"}
)

// access is a kind of load or store: of how many bytes, and whether at the sum of two
// registers.
type access struct {
	store bool
	size  int
	sum   bool
}

var accesses = map[access]word{
	{false, 4, false}:  {bits: 0xbd400000, text: "ldr sD, [xN, #I]", scale: 4, immAt: 10},
	{false, 8, false}:  {bits: 0xfd400000, text: "ldr dD, [xN, #I]", scale: 8, immAt: 10},
	{false, 16, false}: {bits: 0x3dc00000, text: "ldr qD, [xN, #I]", scale: 16, immAt: 10},
	{true, 16, false}:  {bits: 0x3d800000, text: "str qD, [xN, #I]", scale: 16, immAt: 10},
	{false, 4, true}:   {bits: 0xbc606800, text: "ldr sD, [xN, xM]"},
	{false, 8, true}:   {bits: 0xfc606800, text: "ldr dD, [xN, xM]"},
	{false, 16, true}:  {bits: 0x3ce06800, text: "ldr qD, [xN, xM]"},
	{true, 16, true}:   {bits: 0x3ca06800, text: "str qD, [xN, xM]"},
	{false, 32, false}: {bits: 0xad400000, text: "ldp qD, qM, [xN, #I]", scale: 16, immAt: 15, mAt: 10},
	{true, 32, false}:  {bits: 0xad000000, text: "stp qD, qM, [xN, #I]", scale: 16, immAt: 15, mAt: 10},
}
