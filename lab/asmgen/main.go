// Command asmgen writes the assembly of package kernel and of the sparse factorisation,
// for amd64 and arm64 from one description of each kernel. Run it with go generate in these
// packages.
//
//	asmgen -gen NAME -dir FOLDER -pkg PACKAGE
//
// writes NAME_amd64.s, NAME_arm64.s and their declarations.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
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
	for arch, a := range architectures {
		ctx, cpu = build.NewContext(), a.cpu
		ctx.ConstraintExpr(arch)
		gen(a)
		if err := write(filepath.Join(*dir, *name+"_"+arch), *pkg); err != nil {
			log.Fatalf("asmgen: %s for %s: %v", *name, arch, err)
		}
	}
}

// write writes the assembly and its declarations.
func write(path, pkg string) error {
	f, err := ctx.Result()
	if err != nil {
		return err
	}
	cfg := printer.NewGoRunConfig()
	cfg.Pkg = pkg
	assembly, err := cpu.print(cfg, f)
	if err != nil {
		return err
	}
	declarations, err := printer.NewStubs(cfg).Print(f)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".s", assembly, 0o644); err != nil {
		return err
	}
	return os.WriteFile(path+".go", declarations, 0o644)
}
