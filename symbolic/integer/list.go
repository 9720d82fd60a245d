package integer

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/big"
	"slices"
	"time"

	"hinge/symbolic/lcqp"
)

// ListSettings are the settings of List. The zero value lists all points, of any number.
type ListSettings struct {
	// Whole are further targets that have to be 0 or 1. Of these, as of the targets that
	// may have any value, a point only asks that there are values.
	Whole []int
	// MaxPoints bounds the points of each part, MaxTime the time. Zero means no bound.
	MaxPoints int
	MaxTime   time.Duration
}

// Listing are the points that List found. A choice of one point of each part is a point of
// the whole, and there are no others.
type Listing struct {
	// Parts are in the order of their smallest targets. A part without points means that
	// nothing satisfies the constraints, or that the search ended before it found any.
	Parts []Part
	// Search is Listed where these are all points, Infeasible where there is none, else
	// what ended the search: PointLimit, TimeLimit, Interrupted; Unresolved
	// where the solver could not tell whether values of other targets exist.
	Search Status
	// Nodes counts the nodes that were searched.
	Nodes int
}

// Part is a set of targets that no constraint joins with others.
type Part struct {
	// Targets are increasing; Points[n][k] reports whether Targets[k] is 1.
	Targets []int
	Points  [][]bool
}

// Complete reports whether no point is missing.
func (l *Listing) Complete() bool { return l.Search == Listed || l.Search == Infeasible }

// Number returns the number of points.
func (l *Listing) Number() *big.Int {
	n := big.NewInt(1)
	for _, p := range l.Parts {
		n.Mul(n, big.NewInt(int64(len(p.Points))))
	}
	return n
}

// All yields the points, for each part the number of its point. The slice is the same
// every time.
func (l *Listing) All() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		at := make([]int, len(l.Parts))
		if slices.ContainsFunc(l.Parts, func(p Part) bool { return len(p.Points) == 0 }) {
			return
		}
		for {
			if !yield(at) {
				return
			}
			k := len(at) - 1
			for k >= 0 && at[k]+1 == len(l.Parts[k].Points) {
				at[k] = 0
				k--
			}
			if k < 0 {
				return
			}
			at[k]++
		}
	}
}

// List finds the values 0 and 1 of the given targets for which all hard rows of in can hold;
// potentials do not matter. Only values within the bounds count. An error is about the
// arguments. in is not changed.
//
// Rows that always hold and repeated rows are left out first. The connected parts of the rest
// are searched independently; of parts that differ only in the numbers of their targets, one
// is searched. A node fixes a target of the row with the fewest free targets, and whatever
// follows from it (propagate.go). If some targets may have any value, the solver may prove
// that a node has no point. Targets on which no row depends any more take both values without
// a search.
func List(ctx context.Context, in *lcqp.Instance, targets []int, s ListSettings) (*Listing, error) {
	limits := newLimits(ctx, s.MaxTime)
	if s.MaxTime < 0 || s.MaxPoints < 0 {
		return nil, fmt.Errorf("integer: negative MaxTime or MaxPoints")
	}
	listed, err := chosen(in, targets)
	if err != nil {
		return nil, err
	}
	whole, err := chosen(in, append(slices.Clone(targets), s.Whole...))
	if err != nil {
		return nil, err
	}
	hard, err := constraintsOf(in)
	if err != nil {
		return nil, err
	}
	l := &Listing{Search: Listed}
	known := map[string]*lister{}
	for c := range hard.Components {
		comp := &hard.Components[c]
		if len(comp.Targets) == 0 {
			if slices.ContainsFunc(comp.Rows, func(k int32) bool { return !holds(hard, k, hard.Lower, hard.Upper) }) {
				l.Parts, l.Search = append(l.Parts, Part{}), Infeasible
			}
			continue
		}
		sub, err := hard.Cut(comp.Targets, comp.Rows)
		if err != nil {
			return nil, err
		}
		p := newLister(sub, comp.Targets, listed, whole, &s, limits)
		key := p.key()
		if same := known[key]; same != nil {
			p.points = same.points
		} else {
			known[key] = p
			p.search(make([]state, len(p.listed)), -1)
			if len(p.points) == 0 && p.status == Listed {
				p.status = Infeasible
			}
			l.Search = max(l.Search, p.status)
		}
		part := Part{Points: p.points}
		for i, t := range comp.Targets {
			if p.listed[i] {
				part.Targets = append(part.Targets, int(t))
			}
		}
		if len(part.Targets) > 0 || len(part.Points) == 0 {
			l.Parts = append(l.Parts, part)
		}
	}
	l.Nodes = limits.used
	return l, nil
}

// chosen marks targets, whose bounds have to be whole.
func chosen(in *lcqp.Instance, targets []int) ([]bool, error) {
	is := make([]bool, in.Targets)
	for _, i := range targets {
		if i < 0 || i >= in.Targets {
			return nil, fmt.Errorf("integer: no target %d, the program has %d", i, in.Targets)
		}
		if lo, up := in.Lower[i], in.Upper[i]; (lo != 0 && lo != 1) || (up != 0 && up != 1) {
			return nil, fmt.Errorf("integer: target %d (%s) is fixed to %v", i, in.Program().Targets[i], lo)
		}
		is[i] = true
	}
	return is, nil
}

// appendRow appends the bits of row k.
func appendRow(b []byte, in *lcqp.Instance, k int32) []byte {
	b = append(b, byte(in.Kinds[k]))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(in.B[k]))
	for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
		b = binary.LittleEndian.AppendUint32(b, uint32(in.Col[j]))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(in.Val[j]))
	}
	return b
}

// constraintsOf returns the hard rows of an instance that may be broken, each once.
func constraintsOf(in *lcqp.Instance) (*lcqp.Instance, error) {
	s := &lcqp.Sparse{Targets: in.Targets}
	seen := map[string]bool{}
	for k := range int32(in.Constraints) {
		if holds(in, k, in.Lower, in.Upper) {
			continue
		}
		from, to := in.Ptr[k], in.Ptr[k+1]
		key := string(appendRow(nil, in, k))
		if seen[key] {
			continue
		}
		seen[key] = true
		s.Append(in.Kinds[k], in.Col[from:to], in.Val[from:to], in.B[k])
	}
	hard, err := s.NewInstance(in.Epsilon)
	if err != nil {
		return nil, err
	}
	return hard, hard.SetBounds(in.Lower, in.Upper)
}
