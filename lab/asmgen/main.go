// Command asmgen writes the assembly of package kernel and of the sparse factorisation,
// for amd64 and arm64 from one description of each kernel. Run it with go generate in these
// packages.
//
//	asmgen -gen NAME -dir FOLDER -pkg PACKAGE
//
// writes NAME_amd64.s and NAME_arm64.s, and the declarations of their functions: NAME_asm.go has
// those of both, NAME_amd64.go and NAME_arm64.go those of one.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/format"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/printer"
)

var generators = map[string]func(architecture){
	"strip":   genStrip,
	"pack":    genPack,
	"toom":    genToom,
	"elem":    genElem,
	"norm":    genNorm,
	"pool":    genPool,
	"peak":    genPeak,
	"panel":   genPanel,
	"columns": genColumns,
}

func main() {
	// The assembler generator shares the process's flags.
	flags := flag.NewFlagSet("asmgen", flag.ExitOnError)
	name := flags.String("gen", "", "what to generate")
	dir := flags.String("dir", "", "folder of the package")
	pkg := flags.String("pkg", "", "name of the package")
	if err := flags.Parse(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
	gen, ok := generators[*name]
	if !ok {
		log.Fatalf("asmgen: no generator %q", *name)
	}
	cfg := printer.NewGoRunConfig()
	cfg.Pkg = *pkg
	path := filepath.Join(*dir, *name)
	functions := map[string][]*ir.Function{}
	for arch, a := range architectures {
		ctx, cpu = build.NewContext(), a.cpu
		ctx.ConstraintExpr(arch)
		gen(a)
		f, err := ctx.Result()
		if err != nil {
			log.Fatalf("asmgen: %s for %s: %v", *name, arch, err)
		}
		assembly, err := cpu.print(cfg, f)
		if err == nil {
			err = os.WriteFile(path+"_"+arch+".s", assembly, 0o644)
		}
		if err != nil {
			log.Fatalf("asmgen: %s for %s: %v", *name, arch, err)
		}
		functions[arch] = f.Functions()
	}
	if err := declare(path, cfg, functions); err != nil {
		log.Fatalf("asmgen: the declarations of %s: %v", *name, err)
	}
}

// declare writes the declarations of the functions of each architecture: those that all have to
// one file, and the rest to one for each.
func declare(path string, cfg printer.Config, of map[string][]*ir.Function) error {
	archs, having := slices.Sorted(maps.Keys(of)), map[string]int{}
	var common []*ir.Function
	for _, arch := range archs {
		for _, fn := range of[arch] {
			if having[fn.Stub()]++; having[fn.Stub()] == len(archs) {
				common = append(common, fn)
			}
		}
	}
	err := writeDeclarations(path+"_asm.go", strings.Join(archs, " || "), cfg, common)
	for _, arch := range archs {
		own := slices.DeleteFunc(of[arch], func(fn *ir.Function) bool { return having[fn.Stub()] == len(archs) })
		err = errors.Join(err, writeDeclarations(path+"_"+arch+".go", arch, cfg, own))
	}
	return err
}

// writeDeclarations writes a file with the declarations of some functions, if there are any. A
// function with the comment of the one before stands below it without a comment.
func writeDeclarations(file, constraint string, cfg printer.Config, functions []*ir.Function) error {
	if len(functions) == 0 {
		return nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "// %s\n\n//go:build %s\n\npackage %s\n", cfg.GeneratedWarning(), constraint, cfg.Pkg)
	before := ""
	for _, fn := range functions {
		doc := strings.TrimPrefix(fn.Doc[0], fn.Name)
		if doc != before {
			fmt.Fprintf(&text, "\n// %s\n", fn.Doc[0])
		}
		before = doc
		for _, p := range fn.Pragmas {
			fmt.Fprintf(&text, "//go:%s\n", p.Directive)
		}
		fmt.Fprintln(&text, fn.Stub())
	}
	source, err := format.Source([]byte(text.String()))
	if err != nil {
		return err
	}
	return os.WriteFile(file, source, 0o644)
}
