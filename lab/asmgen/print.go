package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// numbers of the registers that a function may use: R16 and R17 belong to the linker,
// R18 to the system, R27 to Go's assembler, R28 to R30 to Go.
var freeRegisters = map[reg.Kind][]int{
	reg.KindGP:     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26},
	reg.KindVector: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
}

// print is the assembly of a file for arm64.
func (a *arm64) print(cfg printer.Config, f *ir.File) ([]byte, error) {
	prepare := pass.Concat(pass.FunctionPass(pass.PruneJumpToFollowingLabel), pass.FunctionPass(pass.PruneDanglingLabels),
		pass.FunctionPass(pass.LabelTarget), pass.FunctionPass(pass.CFG), pass.FunctionPass(pass.Liveness))
	if err := prepare.Execute(f); err != nil {
		return nil, err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "// %s\n\n//go:build arm64\n\n#include \"textflag.h\"\n", cfg.GeneratedWarning())
	for _, fn := range f.Functions() {
		numbers, err := allocate(fn)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fn.Name, err)
		}
		fmt.Fprintf(&out, "\n// %s\nTEXT ·%s(SB), %s, $0-%d\n", fn.Stub(), fn.Name, fn.Attributes.Asm(), fn.ArgumentBytes())
		for _, node := range fn.Nodes {
			switch n := node.(type) {
			case ir.Label:
				fmt.Fprintf(&out, "\n%s:\n", n)
			case *ir.Instruction:
				name, operands, _ := strings.Cut(a.lines[n](func(r reg.Register) int { return numbers.of(r) }), " ")
				fmt.Fprintf(&out, "\t%s\n", strings.TrimSpace(fmt.Sprintf("%-5s %s", name, operands)))
			}
		}
	}
	return []byte(out.String()), nil
}

// allocate gives each register a number: in the order in which they appear, the first
// that no other has while both are in use.
func allocate(fn *ir.Function) (allocation, error) {
	apart := map[reg.ID][]reg.ID{}
	var order []reg.ID
	for _, i := range fn.Instructions() {
		for _, d := range i.OutputRegisters() {
			if !slices.Contains(order, d.ID()) {
				order = append(order, d.ID())
			}
			others := i.LiveOut.OfKind(d.Kind())
			for _, o := range i.OutputRegisters() {
				others.AddRegister(o)
			}
			for o := range others {
				if o != d.ID() {
					apart[o], apart[d.ID()] = append(apart[o], d.ID()), append(apart[d.ID()], o)
				}
			}
		}
	}
	numbers := allocation{}
	for _, id := range order {
		free := slices.Clone(freeRegisters[id.Kind()])
		for _, o := range apart[id] {
			if n, taken := numbers[o]; taken {
				free = slices.DeleteFunc(free, func(f int) bool { return f == n })
			}
		}
		if len(free) == 0 {
			return nil, errors.New("too many registers in use")
		}
		numbers[id] = free[0]
	}
	return numbers, nil
}

// allocation has the number of each register.
type allocation map[reg.ID]int

func (a allocation) of(r reg.Register) int {
	n, ok := a[r.ID()]
	if !ok {
		panic("a register is read that nothing writes")
	}
	return n
}
