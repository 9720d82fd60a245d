package collective

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestParts: each item is one rank's, and arrays become whole on all ranks, or on the
// first.
func TestParts(t *testing.T) {
	const items, width, n = 11, 3, 4
	want := make([]float64, items*width)
	for i := range want {
		want[i] = float64(i)
	}
	for _, ranks := range []int{1, 2, 4} {
		owners := make([][items]bool, ranks)
		together(t, ranks, func(c Comm) error {
			p, err := NewParts(c, n)
			if err != nil {
				return err
			}
			x := make([]float64, items*width)
			for i := range items {
				owners[c.Rank()][i] = p.Has(i)
				if lo, hi := p.Own(); p.Has(i) != (lo <= p.Of(i) && p.Of(i) < hi) {
					return fmt.Errorf("item %d of part %d: %v, with parts %d to %d", i, p.Of(i), p.Has(i), lo, hi)
				}
				if p.Has(i) {
					copy(x[i*width:(i+1)*width], want[i*width:])
				}
			}
			y := slices.Clone(x)
			if err := p.Collect(y, width); err != nil {
				return err
			}
			if c.Rank() == 0 && !slices.Equal(y, want) || c.Rank() > 0 && !slices.Equal(y, x) {
				return fmt.Errorf("collected %v", y)
			}
			if err := p.Complete(x, width); err != nil {
				return err
			}
			if !slices.Equal(x, want) {
				return fmt.Errorf("completed %v", x)
			}
			return nil
		})
		for i := range items {
			owned := 0
			for _, o := range owners {
				if o[i] {
					owned++
				}
			}
			if owned != 1 {
				t.Errorf("%d ranks: item %d is that of %d", ranks, i, owned)
			}
		}
	}
	_, err := NewParts(Local(2)[0], 3)
	assert.Error(t, err, "three parts were dealt to two ranks")
	if p := (Parts{}); p.N() != 1 || p.Ranks() != 1 || !p.Has(5) || p.Complete(nil, 1) != nil {
		t.Error("the zero value is not one part of one rank")
	}
}

// TestUnlike: all ranks name those that differ from the first.
func TestUnlike(t *testing.T) {
	for want, sums := range map[string][]uint32{"": {7, 7, 7, 7}, "rank 1, rank 3": {7, 8, 7, 9}, "rank 2": {0, 0, 1<<32 - 1, 0}} {
		together(t, len(sums), func(c Comm) error {
			got, err := Unlike(c, sums[c.Rank()])
			assert.Equal(t, want, got, sums)
			return err
		})
	}
}
