package collective

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// together runs f on every rank of a group in all its forms, of goroutines and of
// processes that nest some each, and reports the errors.
func together(t *testing.T, ranks int, f func(c Comm) error) {
	t.Helper()
	for each := 1; each <= ranks; each++ {
		if ranks%each != 0 {
			continue
		}
		var all sync.WaitGroup
		for _, outer := range Local(ranks / each) {
			for _, c := range Nest(outer, each) {
				all.Go(func() {
					if err := f(c); err != nil {
						t.Errorf("rank %d of %d, %d a process: %v", c.Rank(), ranks, each, err)
						outer.Abort(1)
						c.Abort(1)
					}
				})
			}
		}
		all.Wait()
	}
}

// numbers are those of one part, of magnitudes so different that the order of a sum
// shows in its bits.
func numbers[T Float](part, n int) []T {
	rng := rand.New(rand.NewPCG(uint64(part), 7))
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.NormFloat64() * math.Exp(4*rng.NormFloat64()))
	}
	return x
}

// TestSumParts: the sum of parts has the bits of a loop over the parts, however many
// ranks have them, for short arrays and for some of several blocks.
func TestSumParts(t *testing.T) {
	sumParts[float32](t)
	sumParts[float64](t)
}

func sumParts[T Float](t *testing.T) {
	for _, c := range []struct {
		n, parts int
		ranks    []int
	}{
		{0, 12, []int{1, 3}}, {1, 12, []int{1, 2, 3, 4, 12}}, {5, 12, []int{1, 2, 3, 4, 12}}, {small, 12, []int{1, 2, 3, 4, 12}},
		{block + 123, 4, []int{1, 2}},
	} {
		x := make([][]T, c.parts)
		for p := range x {
			x[p] = numbers[T](p, min(c.n, small))
			for len(x[p]) < c.n { // the rest repeats it, as it costs less
				x[p] = append(x[p], x[p][:min(len(x[p]), c.n-len(x[p]))]...)
			}
		}
		want := slices.Clone(x[0])
		for _, p := range x[1:] {
			for i, v := range p {
				want[i] += v
			}
		}
		for _, ranks := range c.ranks {
			together(t, ranks, func(comm Comm) error {
				each, got := c.parts/ranks, make([]T, c.n)
				if err := SumParts(comm, x[comm.Rank()*each:][:each], got); err != nil {
					return err
				}
				if !slices.Equal(got, want) {
					return fmt.Errorf("%d %T: another sum than that of a loop", c.n, want)
				}
				return nil
			})
		}
	}
}

// TestSumPieces: an array in pieces, some of them empty and one longer than a block, has
// the sum of the whole, times the factor, also where it takes the place of the last part.
func TestSumPieces(t *testing.T) {
	lengths := []int{3, 0, block + 5, 1, 7000}
	cut := func(x []float32) (pieces [][]float32) {
		for _, n := range lengths {
			pieces = append(pieces, x[:n:n])
			x = x[n:]
		}
		return pieces
	}
	const n, factor = 3 + block + 5 + 1 + 7000, 1. / 3
	parts := [4][]float32{}
	want := make([]float32, n)
	for p := range parts {
		parts[p] = make([]float32, n)
		for i := range parts[p] {
			parts[p][i] = 1 / float32(i*(p+1)+3)
			want[i] += parts[p][i]
		}
	}
	for i := range want {
		want[i] *= factor
	}
	for _, ranks := range []int{1, 2} {
		together(t, ranks, func(c Comm) error {
			var own [][][]float32
			each := len(parts) / ranks
			for p := c.Rank() * each; p < (c.Rank()+1)*each; p++ {
				own = append(own, cut(slices.Clone(parts[p])))
			}
			out := own[each-1]
			if err := SumPieces(c, own, out, factor); err != nil {
				return err
			}
			if !slices.Equal(slices.Concat(out...), want) {
				return errors.New("another sum than that of a loop")
			}
			return nil
		})
	}
}

func TestSumRefuses(t *testing.T) {
	c := Local(1)[0]
	assert.Error(t, SumParts(c, nil, []float64{1}), "no parts were summed")
	assert.Error(t, SumPieces(c, [][][]float64{{{1}, {2}}}, [][]float64{{1}}, 1), "two pieces were summed as one")
	assert.Error(t, SumParts(c, [][]float64{{1}}, []float64{1, 2}), "one number was summed as two")
}

func TestGatherAndExchange(t *testing.T) {
	for _, ranks := range []int{1, 2, 5} {
		together(t, ranks, func(c Comm) error {
			all, err := Gather(c, slices.Repeat([]int64{int64(c.Rank())}, 2*c.Rank()))
			if err != nil {
				return err
			}
			if equal, err := GatherEqual(c, []int32{int32(c.Rank()), 7}); err != nil || len(equal) != 2*ranks || equal[2*(ranks-1)] != int32(ranks-1) {
				return fmt.Errorf("gathered %v: %v", equal, err)
			}
			for r, x := range all {
				if !slices.Equal(x, slices.Repeat([]int64{int64(r)}, 2*r)) {
					return fmt.Errorf("gathered %v from rank %d", x, r)
				}
			}
			// Rank a sends b copies of 10a + b to rank b.
			send := make([][]float64, ranks)
			for b := range send {
				send[b] = slices.Repeat([]float64{float64(10*c.Rank() + b)}, b)
			}
			got, err := Exchange(c, send)
			if err != nil {
				return err
			}
			for a, x := range got {
				if want := slices.Repeat([]float64{float64(10*a + c.Rank())}, c.Rank()); !slices.Equal(x, want) {
					return fmt.Errorf("%v came from rank %d, want %v", x, a, want)
				}
			}
			return nil
		})
	}
}

// TestFits: what a rank sends to all, or receives from all, has a limit together.
func TestFits(t *testing.T) {
	const half = int64(MaxMessage) / 16
	for _, c := range []struct {
		counts []int64 // of two ranks, 8 bytes each
		ok     bool
	}{
		{[]int64{half, half, 0, 0}, true}, {[]int64{half, half + 2, 0, 0}, false},
		{[]int64{half, 0, half, 0}, true}, {[]int64{0, half, 0, half + 2}, false}, {[]int64{half, half, half, half}, true},
	} {
		if err := fits(c.counts, 2, 8); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.counts, err)
		}
	}
}

func TestMaxAndBroadcast(t *testing.T) {
	together(t, 6, func(c Comm) error {
		x := []float64{float64(c.Rank()), -float64(c.Rank()), 0}
		if c.Rank() == 1 {
			x[2] = math.NaN()
		}
		if err := Max(c, x); err != nil {
			return err
		}
		if x[0] != 5 || x[1] != 0 || !math.IsNaN(x[2]) {
			return fmt.Errorf("maxima %v", x)
		}
		for root := range c.Size() {
			y := []float32{float32(c.Rank()), 7}
			if err := Broadcast(c, y, root); err != nil {
				return err
			}
			want := fmt.Sprint("of rank ", root)
			text, err := BroadcastText(c, []byte(fmt.Sprint("of rank ", c.Rank())), root)
			if err == nil && (y[0] != float32(root) || string(text) != want) {
				err = fmt.Errorf("broadcast %v and %q", y, text)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func TestAgree(t *testing.T) {
	mistake := errors.New("no such file")
	code := func(error) int { return 3 }
	together(t, 4, func(c Comm) error {
		if err := Agree(c, nil, code); err != nil {
			return fmt.Errorf("agreed on %w", err)
		}
		var own error
		if c.Rank() >= 2 {
			own = mistake
		}
		err := Agree(c, own, code)
		var e *RankError
		if !errors.As(err, &e) || e.Rank != 2 || e.Code != 3 || err.Error() != "rank 2: no such file" {
			return fmt.Errorf("agreed on %v", err)
		}
		if errors.Is(err, mistake) != (c.Rank() == 2) {
			return fmt.Errorf("the error is known as %v", e.Err)
		}
		return nil
	})
}

// TestAbort: who waits for a rank that has given up is told, also by one of its process.
func TestAbort(t *testing.T) {
	testAbort(t, Local(2))
	testAbort(t, Nest(Local(2)[1], 2))
}

func testAbort(t *testing.T, ranks []Comm) {
	t.Helper()
	told := make(chan error)
	go func() { told <- ranks[0].Barrier() }()
	ranks[1].Abort(1)
	select {
	case err := <-told:
		if !errors.Is(err, ErrAborted) {
			t.Errorf("error %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the other rank still waits")
	}
}
