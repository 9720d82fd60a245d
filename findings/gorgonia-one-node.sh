#!/bin/sh
# gorgonia v0.9.18: nodes that print alike are one node of a graph. LogSoftMax of an x whose SoftMax
# is in the graph returns that SoftMax; a second input of the same name and shape returns the first
# with its values; a convolution with dilation 2
# whose output has the shape of the one with dilation 1 returns that. No error.
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

func input(g *gorgonia.ExprGraph, name string, values ...float64) *gorgonia.Node {
	return gorgonia.NewVector(g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(len(values)),
		gorgonia.WithValue(tensor.New(tensor.WithBacking(values))))
}

func main() {
	g := gorgonia.NewGraph()
	x := input(g, "x", 0, 0)
	soft := gorgonia.Must(gorgonia.SoftMax(x))
	log := gorgonia.Must(gorgonia.LogSoftMax(x))
	mask, other := input(g, "mask", 1, 2), input(g, "mask", 30, 40)
	sum := gorgonia.Must(gorgonia.Add(mask, other))
	im := gorgonia.NewTensor(g, tensor.Float64, 4, gorgonia.WithName("im"), gorgonia.WithShape(1, 1, 7, 7), gorgonia.WithInit(gorgonia.Ones()))
	w := gorgonia.NewTensor(g, tensor.Float64, 4, gorgonia.WithName("w"), gorgonia.WithShape(1, 1, 2, 2), gorgonia.WithInit(gorgonia.Ones()))
	conv := func(dilation int) *gorgonia.Node {
		return gorgonia.Must(gorgonia.Conv2d(im, w, tensor.Shape{2, 2}, []int{0, 0}, []int{3, 3}, []int{dilation, dilation}))
	}
	near, wide := conv(1), conv(2)
	if err := gorgonia.NewTapeMachine(g).RunAll(); err != nil {
		panic(err)
	}
	fmt.Println("log softmax", log.Value(), "is the softmax:", log == soft)
	fmt.Println("[1 2] + [30 40] =", sum.Value())
	fmt.Println("convolutions with dilation 1 and 2 are one:", near == wide)
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
log softmax [0.5  0.5] is the softmax: true
[1 2] + [30 40] = [2  4]
convolutions with dilation 1 and 2 are one: true
OUT
diff want got
