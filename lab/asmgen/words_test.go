package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// Every word of the checked-in assembly is the instruction that its comment says, as an
// independent disassembler reads it.
func TestWords(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range []string{
		"../../nn/kernel/strip_arm64.s", "../../nn/kernel/pack_arm64.s", "../../nn/kernel/toom_arm64.s", "../../nn/kernel/elem_arm64.s", "../../nn/kernel/norm_arm64.s", "../../nn/kernel/pool_arm64.s",
		"../../nn/kernel/internal/peaktest/peak_arm64.s", "../../symbolic/infer/internal/sparse/panel_arm64.s", "../../symbolic/infer/internal/sparse/columns_arm64.s",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := regexp.MustCompile(`WORD +\$0x([0-9a-f]{8}) // (.*)`).FindAllStringSubmatch(string(text), -1)
		if len(words) < 20 {
			t.Fatalf("%s: only %d words", file, len(words))
		}
		for _, w := range words {
			bits, err := strconv.ParseUint(w[1], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			in, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, uint32(bits)))
			if err != nil {
				t.Fatalf("%s: %s (%s): %v", file, w[1], w[2], err)
			}
			got := arm64asm.GNUSyntax(in)
			if plain(got) != plain(w[2]) {
				t.Fatalf("%s: 0x%s is %q, not %q", file, w[1], got, w[2])
			}
			name, _, _ := strings.Cut(w[2], " ")
			seen[name] = true
		}
	}
	if len(seen) < 25 {
		t.Errorf("only these instructions: %v", fmt.Sprint(seen))
	}
}

// plain is an instruction without what can be written in several ways: a displacement of
// zero, a zero constant, and a move, which is a logical or.
func plain(s string) string {
	s = strings.NewReplacer(", #0]", "]", ",#0]", "]", "#0x0", "#0", ",lsl #0", "", ", ", ",").Replace(s)
	if m := regexp.MustCompile(`^mov (v\d+\.16b),(v\d+\.16b)$`).FindStringSubmatch(s); m != nil {
		s = fmt.Sprintf("orr %s,%s,%s", m[1], m[2], m[2])
	}
	return s
}
