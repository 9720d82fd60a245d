package collective

import "fmt"

// Parts assigns items to parts and parts to ranks: item i belongs to part i mod N, and each
// rank has N/Size consecutive parts. A result that is computed from the parts in their order
// depends on N and not on the number of ranks. The zero value is one part on one rank.
type Parts struct {
	c Comm
	n int
}

// NewParts deals n parts to the ranks of c, which must divide n.
func NewParts(c Comm, n int) (Parts, error) {
	if n < 1 || n%c.Size() != 0 {
		return Parts{}, fmt.Errorf("collective: %d parts for %d ranks", n, c.Size())
	}
	return Parts{c, n}, nil
}

// Comm is the group, nil for the zero value.
func (p Parts) Comm() Comm { return p.c }

// N is the number of parts.
func (p Parts) N() int { return max(p.n, 1) }

// Ranks is the number of ranks.
func (p Parts) Ranks() int {
	if p.c == nil {
		return 1
	}
	return p.c.Size()
}

// Of is the part of an item.
func (p Parts) Of(item int) int { return item % p.N() }

// Own are the parts of this rank, from lo up to hi.
func (p Parts) Own() (lo, hi int) {
	if p.c == nil {
		return 0, 1
	}
	each := p.n / p.c.Size()
	return p.c.Rank() * each, (p.c.Rank() + 1) * each
}

// Has reports whether an item is this rank's.
func (p Parts) Has(item int) bool { return p.c == nil || p.rank(item) == p.c.Rank() }

func (p Parts) rank(item int) int { return p.Of(item) * p.Ranks() / p.N() }

// Complete makes an array of width numbers per item complete on every rank: the numbers of
// each item are copied from the rank that has it. All ranks must call it.
func (p Parts) Complete(x []float64, width int) error {
	if p.Ranks() == 1 {
		return nil
	}
	all, err := Gather(p.c, p.pick(x, width))
	if err == nil {
		p.spread(x, width, all)
	}
	return err
}

// Collect does what Complete does, for rank 0 only; on the other ranks x stays unchanged.
func (p Parts) Collect(x []float64, width int) error {
	if p.Ranks() == 1 {
		return nil
	}
	all, err := p.ToFirst(p.pick(x, width))
	if err == nil && p.c.Rank() == 0 {
		p.spread(x, width, all)
	}
	return err
}

// ToFirst is a collective. On rank 0 it returns the slices of all ranks, which may differ in
// length; on the others it returns empty slices.
func (p Parts) ToFirst(x []float64) ([][]float64, error) {
	if p.Ranks() == 1 {
		return [][]float64{x}, nil
	}
	send := make([][]float64, p.c.Size())
	send[0] = x
	return Exchange(p.c, send)
}

func (p Parts) pick(x []float64, width int) (own []float64) {
	for i := 0; i*width < len(x); i++ {
		if p.Has(i) {
			own = append(own, x[i*width:(i+1)*width]...)
		}
	}
	return own
}

// spread copies the items that all ranks picked to their places in x.
func (p Parts) spread(x []float64, width int, all [][]float64) {
	for i := 0; i*width < len(x); i++ {
		from := &all[p.rank(i)]
		*from = (*from)[copy(x[i*width:(i+1)*width], *from):]
	}
}
