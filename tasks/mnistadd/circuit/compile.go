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

// Circuit is a compiled program. Nodes are numbered from the last variable to
// the first, so that every edge leads to a smaller number; node 0 is the
// constant 1 and the last node the root.
type Circuit struct {
	offset []int // of each variable's weights; one more for the end
	// The edges of node n are first[n] to first[n+1].
	first []int32
	input []int32 // the edge's weight index
	below []int32 // the edge's node
	level []int32 // variable each node reads; len(offset)-1 for node 0
}

// errNoWorld is returned for programs that reject everything.
var errNoWorld = errors.New("circuit: the program rejects every world")

// Compile unrolls the program from its first state. Programs with n states a
// variable give circuits of at most n nodes a variable.
func Compile(p Program) (*Circuit, error) {
	c := &compiler{p: p, made: make([]map[int]int32, len(p.Values)), merged: make(map[string]int32)}
	c.offset = make([]int, len(p.Values)+1)
	for v, n := range p.Values {
		if n < 1 {
			return nil, fmt.Errorf("circuit: variable %d has %d values", v, n)
		}
		c.offset[v+1] = c.offset[v] + n
		c.made[v] = make(map[int]int32)
	}
	c.nodes = []node{{level: int32(len(p.Values))}}
	if root := c.compile(0, 0); root < 0 {
		return nil, errNoWorld
	}
	return c.finish(), nil
}

const dead = -1 // no world below

type edge struct{ input, below int32 }

type node struct {
	level int32
	edges []edge
}

type compiler struct {
	p      Program
	offset []int
	made   []map[int]int32  // node by variable and state
	merged map[string]int32 // node by its edges: equal subprograms are one
	nodes  []node
}

// compile returns the node of a state before a variable is read.
func (c *compiler) compile(variable, state int) int32 {
	if variable == len(c.p.Values) {
		return 0
	}
	if n, ok := c.made[variable][state]; ok {
		return n
	}
	var edges []edge
	var key []byte
	for value := range c.p.Values[variable] {
		next := c.p.Next(variable, state, value)
		if next < 0 {
			continue
		}
		if below := c.compile(variable+1, next); below != dead {
			e := edge{int32(c.offset[variable] + value), below}
			edges = append(edges, e)
			key = fmt.Appendf(key, "%d:%d ", e.input, e.below)
		}
	}
	n, ok := c.merged[string(key)]
	switch {
	case len(edges) == 0:
		n = dead
	case !ok:
		n = int32(len(c.nodes))
		c.nodes = append(c.nodes, node{int32(variable), edges})
		c.merged[string(key)] = n
	}
	c.made[variable][state] = n
	return n
}

// finish flattens the nodes. Recursion has numbered children before parents and
// the root last.
func (c *compiler) finish() *Circuit {
	out := &Circuit{offset: c.offset, first: make([]int32, 1, len(c.nodes)+1)}
	for _, n := range c.nodes {
		for _, e := range n.edges {
			out.input = append(out.input, e.input)
			out.below = append(out.below, e.below)
		}
		out.first = append(out.first, int32(len(out.input)))
		out.level = append(out.level, n.level)
	}
	return out
}

// Inputs returns the number of weights: one for every value of every variable,
// variable by variable.
func (c *Circuit) Inputs() int { return c.offset[len(c.offset)-1] }

// Offset returns the index of the weight of a variable's first value.
func (c *Circuit) Offset(variable int) int { return c.offset[variable] }

// Nodes returns the number of nodes.
func (c *Circuit) Nodes() int { return len(c.level) }
