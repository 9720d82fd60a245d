package ground

import (
	"context"
	"fmt"
	"slices"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

// A Split cuts a ground program into parts, each of which can be grounded without the others.
// It assigns the constants of a database to parts; a grounding belongs to the part of one of
// its constants.
//
// Each rule is split by one variable of its join: the one with the most different constants,
// among equal ones the first. In
//
//	Similar(A, B) & Label(A, C) -> Label(B, C)
//
// it is A. A part's join leaves out the matches in which that variable has a constant of
// another part, as soon as it is bound. Rules without variables belong to part 0.
//
// The part of a constant follows from the database alone, so processes that have read the
// same data agree on it. A Split may be used by several goroutines.
type Split struct {
	of    []int32 // part of each constant
	parts int
}

// Part is one part of a ground program.
type Part struct {
	// Program has the rows of the part, and the targets and neural outputs that occur in
	// them. Its rules are the rules of the whole program.
	Program *hlmrf.Program
	// Targets and Deep are the columns that the program's targets and neural outputs have
	// in the database, increasing.
	Targets, Deep []int32
}

// SplitHash assigns the constants at random. It shows the cost of a partition that does not
// use the structure of the data.
func SplitHash(db *Database, parts int) *Split {
	s := newSplit(db, parts)
	for c := range s.of {
		s.of[c] = int32(hash([]int32{int32(c)}) >> 16 % uint64(s.parts))
	}
	return s
}

// SplitBlocks deals the constants in blocks, in the order in which they first occur in the
// data. That is a good partition where neighbours in the data are neighbours in the model.
func SplitBlocks(db *Database, parts int) *Split {
	order := make([]int32, len(db.consts.names))
	for c := range order {
		order[c] = int32(c)
	}
	s := newSplit(db, parts)
	s.blocks(order, nil, newConstantGraph(db).weight)
	return s
}

// SplitGraph deals the constants such that those that occur together in an atom are in one
// part where possible: in blocks of a breadth-first order of the graph that has an edge
// for two constants of one atom. Hubs, constants that occur with more than one in fifty of
// the others, such as labels, are no part of the graph. A cut is then about as wide as the
// graph, and components of it stay whole where the parts become equal in size within two
// per cent. Graphs without width, in which everything is a few steps from everything, have
// no good cut.
func SplitGraph(db *Database, parts int) *Split {
	g := newConstantGraph(db)
	order, starts := g.breadthFirst()
	s := newSplit(db, parts)
	s.blocks(order, starts, g.weight)
	return s
}

// Parts returns the number of parts.
func (s *Split) Parts() int { return s.parts }

// newSplit has all constants in part 0; fewer parts than one are one.
func newSplit(db *Database, parts int) *Split {
	return &Split{of: make([]int32, len(db.consts.names)), parts: max(parts, 1)}
}

// blocks cuts an order of constants into blocks of equal weight, at starts of components
// where one is near.
func (s *Split) blocks(order []int32, starts []int, weight []int32) {
	total := 0
	for _, c := range order {
		total += int(weight[c])
	}
	before := make([]int, len(order)+1) // weight before each place
	for i, c := range order {
		before[i+1] = before[i] + int(weight[c])
	}
	near := total / s.parts / 50
	from := 0
	for p := range s.parts {
		ideal := total * (p + 1) / s.parts
		to, _ := slices.BinarySearch(before, ideal)
		if i, found := slices.BinarySearch(starts, to); !found {
			best := to
			for _, k := range []int{i - 1, i} {
				if k >= 0 && k < len(starts) && max(before[starts[k]]-ideal, ideal-before[starts[k]]) <= near {
					best = starts[k]
				}
			}
			to = best
		}
		if p == s.parts-1 {
			to = len(order)
		}
		for _, c := range order[from:max(from, to)] {
			s.of[c] = int32(p)
		}
		from = max(from, to)
	}
}

// variable returns the slot of the variable that a rule is split by, −1 if it has none.
func (p *plan) variable(ix *indexes, constants int) term {
	best, most := term(-1), 0.0
	for v := range term(p.rule.bound) {
		n := -1.0
		for i := range p.rule.join {
			a := &p.rule.join[i]
			distinct := ix.distinct(a.pred, constants)
			for col, t := range a.args {
				if t == v && a.sums>>col&1 == 0 && (n < 0 || distinct[col] < n) {
					n = distinct[col]
				}
			}
		}
		if n > most {
			best, most = v, n
		}
	}
	return best
}

// Ground returns part number part of the ground program of the rules over the database, whose
// constants must be the split ones. The rows of all parts together are the rows of Ground.
// Options.MaxRows limits the rows of a rule in this part, and Options.Grounded hears of the
// results of this part.
func (s *Split) Ground(ctx context.Context, rules *psl.Program, db *Database, opts Options, part int) (*Part, error) {
	if part < 0 || part >= s.parts {
		return nil, fmt.Errorf("no part %d of %d", part, s.parts)
	}
	if n := len(db.consts.names); n != len(s.of) {
		return nil, fmt.Errorf("the database has %d constants, %d were split", n, len(s.of))
	}
	g, err := groundRules(ctx, rules, db, opts, s, part)
	if err != nil {
		return nil, err
	}
	p := g.assemble(false)
	all, _ := p.AllRows()
	out := &Part{Program: p}
	out.Targets = compress(len(db.targets), all.Col)
	out.Deep = compress(len(db.deep), all.DeepCol)
	p.Targets, p.Deep = db.names(db.targets, out.Targets), db.names(db.deep, out.Deep)
	return out, nil
}

// compress numbers the columns that occur from 0 on, in their order, writes the numbers in
// their place and returns the columns.
func compress(n int, col []int32) []int32 {
	number, used := make([]int32, n), []int32{}
	for _, c := range col {
		number[c] = 1
	}
	for c, v := range number {
		if v != 0 {
			number[c] = int32(len(used))
			used = append(used, int32(c))
		}
	}
	for j, c := range col {
		col[j] = number[c]
	}
	return used
}
