// Command asmgen writes the amd64 assembly of package kernel and of the sparse
// factorisation. It is a module of its own so that the framework does not depend on the
// assembler generator. Run it with go generate in these packages.
//
//	asmgen -gen NAME -out FILE_amd64.s -stubs FILE_amd64.go -pkg PACKAGE
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
)

var generators = map[string]func(){
	"strip": genStrip,
	"pack":  genPack,
	"toom":  genToom,
	"elem":  genElem,
	"norm":  genNorm,
	"pool":  genPool,
	"peak":  genPeak,
	"panel": genPanel,
}

func main() {
	name := flag.String("gen", "", "what to generate")
	flag.Parse()
	gen, ok := generators[*name]
	if !ok {
		log.Fatalf("asmgen: no generator %q", *name)
	}
	ConstraintExpr("amd64")
	gen()
	Generate()
}
