#!/bin/sh
# gorgonia v0.9.18 does not build for linux/riscv64 and linux/loong64, though it does for arm64 and
# s390x: it asks for math32 v1.10.1, whose functions without a body have none for these processors
# (the file for RISC-V has the build tag riscv, which no Go has). With math32 v1.11.1 it builds.
# Seen on 2026-11-30 with go1.26, linux/amd64. Exits 1 if the output changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > main.go <<'GO'
package main

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

func main() { fmt.Println(gorgonia.NewGraph().AllNodes()) }
GO
for math32 in 1.10.1 1.11.1; do
	cat > go.mod <<MOD
module finding

go 1.26

require (
	github.com/chewxy/math32 v$math32
	go4.org/unsafe/assume-no-moving-gc v0.0.0-20231121144256-b99613f794b6
	gorgonia.org/gorgonia v0.9.18
	gorgonia.org/tensor v0.9.24
)
MOD
	go mod tidy >tidy 2>&1 || { cat tidy; exit 1; }
	for processor in arm64 s390x riscv64 loong64; do
		if GOOS=linux GOARCH=$processor CGO_ENABLED=0 go build -o program . 2>errors; then
			echo "math32 $math32, $processor: builds"
		else
			echo "math32 $math32, $processor: $(grep -c 'missing function body' errors) functions without a body"
		fi
	done
done > got
cat got
cat > want <<'OUT'
math32 1.10.1, arm64: builds
math32 1.10.1, s390x: builds
math32 1.10.1, riscv64: 5 functions without a body
math32 1.10.1, loong64: 5 functions without a body
math32 1.11.1, arm64: builds
math32 1.11.1, s390x: builds
math32 1.11.1, riscv64: builds
math32 1.11.1, loong64: builds
OUT
diff want got
