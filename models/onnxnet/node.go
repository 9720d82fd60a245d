package onnxnet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/advancedclimatesystems/gonnx/onnx"
)

// node is an operator.
type node struct {
	op, name, domain string
	version          int // of the operators of its domain
	in, out          []string
	attributes       map[string]*onnx.AttributeProto
	value            *tensor // the array of an attribute
}

func (f *File) readNode(p *onnx.NodeProto, folder string) (*node, error) {
	n := &node{op: p.GetOpType(), name: p.GetName(), domain: strings.TrimPrefix(p.GetDomain(), "ai.onnx"),
		in: slices.Clone(p.GetInput()), out: p.GetOutput(), attributes: map[string]*onnx.AttributeProto{}}
	n.version = f.opsets[n.domain]
	if len(n.out) == 0 {
		return n, fmt.Errorf("it has no output")
	}
	for _, a := range p.GetAttribute() {
		n.attributes[a.GetName()] = a
		if a.GetT() != nil {
			var err error
			if n.value, err = readTensor(a.GetT(), folder); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// title names a node in messages.
func (n *node) title() string {
	if n.name != "" || len(n.out) == 0 {
		return n.name
	}
	return n.out[0]
}

// qualified is the operator with its domain.
func (n *node) qualified() string { return strings.TrimPrefix(n.domain+"."+n.op, ".") }

// integer is an attribute, or what it is without.
func (n *node) integer(name string, without int) int {
	if a := n.attributes[name]; a != nil {
		return int(a.GetI())
	}
	return without
}

func (n *node) float(name string, without float64) float64 {
	if a := n.attributes[name]; a != nil {
		return float64(a.GetF())
	}
	return without
}

func (n *node) text(name, without string) string {
	if a := n.attributes[name]; a != nil {
		return string(a.GetS())
	}
	return without
}

// list is an attribute of integers, nil without it.
func (n *node) list(name string) []int {
	var out []int
	for _, v := range n.attributes[name].GetInts() {
		out = append(out, int(v))
	}
	return out
}

// listOf is a list of integers, or as many of one number without it.
func (n *node) listOf(name string, without, length int) []int {
	if list := n.list(name); list != nil {
		return list
	}
	return slices.Repeat([]int{without}, length)
}

// constant is what a node Constant holds.
func (n *node) constant() (*tensor, error) {
	if n.value != nil {
		return n.value, nil
	}
	for name, a := range n.attributes {
		switch name {
		case "value_float":
			return &tensor{kind: kindFloat, floats: []float32{a.GetF()}}, nil
		case "value_floats":
			return &tensor{kind: kindFloat, shape: []int{len(a.GetFloats())}, floats: a.GetFloats()}, nil
		case "value_int":
			return &tensor{kind: kindInt64, doubles: []float64{float64(a.GetI())}}, nil
		case "value_ints":
			return &tensor{kind: kindInt64, shape: []int{len(a.GetInts())}, doubles: doublesOf(a.GetInts())}, nil
		}
	}
	return nil, fmt.Errorf("it holds %s, want numbers", strings.Join(sorted(n.attributes), ", "))
}

// check reports inputs that are missing and outputs that are not made.
func (n *node) check(want map[string]bool) error {
	know := known[n.qualified()]
	for i := range know.least {
		if i >= len(n.in) || n.in[i] == "" {
			return fmt.Errorf("it has %d inputs, want %d at least", len(n.in), know.least)
		}
	}
	for i, out := range n.out {
		if out != "" && want[out] && i >= know.outputs {
			return fmt.Errorf("its output %d, %s, is read and is not made here", i, out)
		}
	}
	return nil
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
