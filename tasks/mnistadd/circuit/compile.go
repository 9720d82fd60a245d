package circuit

import (
	"errors"
	"fmt"
)

// Program is a decision procedure over categorical variables.
type Program struct {
	// Values are the numbers of values of the variables, in reading order.
	Values []int
	// Next is the state after the given variable (an index of Values) was read
	// with the given value in the given state; a negative state rejects the
	// world. The first state is 0, and every world that is not rejected has the
	// outcome. Next must be a function of its arguments.
	Next func(variable, state, value int) int
}

// Circuit is a compiled program, with the values that the derivative of its count needs. Nodes are
// numbered from the last variable to the first, so that every edge leads to a smaller number;
// node 0 is the constant 1 and the last node the root.
type Circuit struct {
	offset []int // of each variable's weights; one more for the end
	// The edges of node n are first[n] to first[n+1].
	first []int32
	input []int32 // the edge's weight index
	below []int32 // the edge's node
	level []int32 // variable each node reads; len(offset)-1 for node 0

	w           []number  // of the last Up
	sums, count []number  // the count below each node, as its edges add up to and brought into range
	flow, share []float64 // of the count, by node and by weight
}

// errNoWorld is returned for programs that reject everything.
var errNoWorld = errors.New("circuit: the program rejects every world")

// Compile unrolls the program from its first state. Programs with n states a
// variable give circuits of at most n nodes a variable.
func Compile(p Program) (*Circuit, error) {
	out := &Circuit{offset: make([]int, len(p.Values)+1), first: []int32{0, 0}, level: []int32{int32(len(p.Values))}}
	c := &compiler{out, p, make([]map[int]int32, len(p.Values)), make(map[string]int32)}
	for v, n := range p.Values {
		if n < 1 {
			return nil, fmt.Errorf("circuit: variable %d has %d values", v, n)
		}
		c.offset[v+1] = c.offset[v] + n
		c.made[v] = make(map[int]int32)
	}
	if root := c.compile(0, 0); root < 0 {
		return nil, errNoWorld
	}
	nodes, weights := len(out.level), out.Inputs()
	out.w, out.share = make([]number, weights), make([]float64, weights)
	out.sums, out.count, out.flow = make([]number, nodes), make([]number, nodes), make([]float64, nodes)
	return out, nil
}

const dead = -1 // no world below

type compiler struct {
	*Circuit // as far as it is made
	p        Program
	made     []map[int]int32  // node by variable and state
	merged   map[string]int32 // node by its edges: equal subprograms are one
}

// compile returns the node of a state before a variable is read. It makes the nodes below first.
func (c *compiler) compile(variable, state int) int32 {
	if variable == len(c.p.Values) {
		return 0
	}
	if n, ok := c.made[variable][state]; ok {
		return n
	}
	var inputs, nodes []int32
	for value := range c.p.Values[variable] {
		next := c.p.Next(variable, state, value)
		if next < 0 {
			continue
		}
		if below := c.compile(variable+1, next); below != dead {
			inputs, nodes = append(inputs, int32(c.offset[variable]+value)), append(nodes, below)
		}
	}
	key := fmt.Sprint(inputs, nodes)
	n, ok := c.merged[key]
	switch {
	case len(inputs) == 0:
		n = dead
	case !ok:
		n = int32(len(c.level))
		c.input, c.below = append(c.input, inputs...), append(c.below, nodes...)
		c.first, c.level = append(c.first, int32(len(c.input))), append(c.level, int32(variable))
		c.merged[key] = n
	}
	c.made[variable][state] = n
	return n
}

// Inputs returns the number of weights: one for every value of every variable,
// variable by variable.
func (c *Circuit) Inputs() int { return c.offset[len(c.offset)-1] }

// Offset returns the index of the weight of a variable's first value.
func (c *Circuit) Offset(variable int) int { return c.offset[variable] }
