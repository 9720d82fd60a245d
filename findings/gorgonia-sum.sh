#!/bin/sh
# gorgonia v0.9.18 (tensor v0.9.24): Sum of a 2×3×4×5 over axis 2 alone gives 20 wrong numbers of
# 30, and no error; the same sum by loops is printed beside it. tensor reduces the last axis but
# one of four or more wrongly; all other axes of this shape are right.
# Seen on 2026-11-27 with go1.26, linux/amd64. Exits 1 if the output changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > main.go <<'GO'
package main

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func main() {
	x := make([]float64, 2*3*4*5)
	for i := range x {
		x[i] = float64(i)
	}
	for axis := range 4 {
		g := gorgonia.NewGraph()
		n := gorgonia.NewTensor(g, tensor.Float64, 4, gorgonia.WithName("x"), gorgonia.WithShape(2, 3, 4, 5),
			gorgonia.WithValue(tensor.New(tensor.WithShape(2, 3, 4, 5), tensor.WithBacking(append([]float64(nil), x...)))))
		y := gorgonia.Must(gorgonia.Sum(n, axis))
		if err := gorgonia.NewTapeMachine(g).RunAll(); err != nil {
			panic(err)
		}
		got := y.Value().Data().([]float64)
		shape, inner := []int{2, 3, 4, 5}, 1
		for _, d := range shape[axis+1:] {
			inner *= d
		}
		want := make([]float64, len(got))
		for i, v := range x {
			want[i/(inner*shape[axis])*inner+i%inner] += v
		}
		wrong := 0
		for i := range got {
			if got[i] != want[i] {
				wrong++
			}
		}
		fmt.Printf("axis %d: %d of %d wrong, for instance %v, right %v\n", axis, wrong, len(got), got[5], want[5])
	}
}
GO
cat > go.mod <<'MOD'
module finding

go 1.26

require (
	go4.org/unsafe/assume-no-moving-gc v0.0.0-20231121144256-b99613f794b6
	gorgonia.org/gorgonia v0.9.18
	gorgonia.org/tensor v0.9.24
)
MOD
go mod tidy >tidy 2>&1 || { cat tidy; exit 1; }
go run . > got
cat got
cat > want <<'OUT'
axis 0: 0 of 60 wrong, for instance 70, right 70
axis 1: 0 of 40 wrong, for instance 75, right 75
axis 2: 20 of 30 wrong, for instance 70, right 110
axis 3: 0 of 24 wrong, for instance 135, right 135
OUT
diff want got
