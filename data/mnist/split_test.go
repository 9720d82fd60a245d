package mnist

import (
	"fmt"
	"hash/fnv"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// labelled is a Part of n images without pixels, whose digits repeat 0 to 9.
func labelled(n int) *Part {
	p := &Part{labels: make([]uint8, n)}
	for i := range p.labels {
		p.labels[i] = uint8(i % Classes)
	}
	return p
}

// slowSum adds two numbers, most significant digit first, with big integers.
func slowSum(first, second []int) string {
	read := func(digits []int) *big.Int {
		n := new(big.Int)
		for _, x := range digits {
			n.Add(n.Mul(n, big.NewInt(10)), big.NewInt(int64(x)))
		}
		return n
	}
	a := read(first)
	return a.Add(a, read(second)).String()
}

func TestSplitStructure(t *testing.T) {
	part := labelled(TrainSize)
	for _, c := range []struct{ digits, additions, held int }{
		{1, 300, 500}, {1, 3000, 500}, {1, 25000, 500}, {1, 29000, 500},
		{2, 150, 250}, {2, 1500, 250}, {2, 12500, 250},
		{3, 100, 166}, {4, 1, 125}, {9, 3222, 55}, {15, 100, 33}, {18, 10, 27}, {100, 30, 5}, {500, 2, 1},
	} {
		s, err := NewSplit(part, c.digits, c.additions, 2)
		require.NoError(t, err)
		used := make([]bool, TrainSize)
		more := min(5000, TrainSize-2000-c.additions*2*c.digits) / (2 * c.digits)
		for i, a := range []*Additions{&s.Train, &s.Valid, &s.Test, &s.More} {
			if want := []int{c.additions, c.held, c.held, more}[i]; a.Len() != want || len(a.Images) != want*2*c.digits {
				t.Errorf("%+v: part %d has %d additions of %d images, want %d", c, i, a.Len(), len(a.Images), want)
			}
			for r := range a.Len() {
				row := a.Row(r)
				if r > 0 && a.Row(r - 1)[0] >= row[0] {
					t.Fatalf("%+v: part %d, rows %d and %d are not in order", c, i, r-1, r)
				}
				var first, second []int
				for k, image := range row {
					if used[image] {
						t.Fatalf("%+v: image %d is used twice", c, image)
					}
					used[image] = true
					if digit := int(image) % Classes; k < c.digits {
						first = append(first, digit)
					} else {
						second = append(second, digit)
					}
				}
				if want := slowSum(first, second); a.Sums[r].String() != want {
					t.Fatalf("%+v: part %d, row %d: %d + %d is given as %v, want %s", c, i, r, first, second, a.Sums[r], want)
				}
			}
		}
	}
}

// TestFresh: the images behind the first 60,000 make the fresh test, all of them
// and each once, and change nothing else: every other part is that of the training
// images alone, bit for bit.
func TestFresh(t *testing.T) {
	train, all := labelled(TrainSize), labelled(TrainSize+TestSize)
	for _, c := range []struct{ digits, additions, index int }{{1, 300, 0}, {1, 29000, 5}, {2, 150, 9}, {2, 1500, 4}, {15, 10, 1}} {
		old, err := NewSplit(train, c.digits, c.additions, c.index)
		require.NoError(t, err)
		s, err := NewSplit(all, c.digits, c.additions, c.index)
		require.NoError(t, err)
		if old.Fresh.Len() != 0 || s.Fresh.Len() != 5000/c.digits {
			t.Errorf("%+v: %d and %d fresh additions", c, old.Fresh.Len(), s.Fresh.Len())
		}
		for i, pair := range [][2]*Additions{{&old.Train, &s.Train}, {&old.Valid, &s.Valid}, {&old.Test, &s.Test}, {&old.More, &s.More}} {
			if !slices.Equal(pair[0].Images, pair[1].Images) || !slices.EqualFunc(pair[0].Sums, pair[1].Sums, slices.Equal) {
				t.Errorf("%+v: part %d depends on the images behind the training part", c, i)
			}
		}
		used := make(map[int32]bool)
		for r := range s.Fresh.Len() {
			for _, image := range s.Fresh.Row(r) {
				if used[image] || image < TrainSize || image >= TrainSize+TestSize {
					t.Fatalf("%+v: image %d is used twice or is no test image", c, image)
				}
				used[image] = true
			}
		}
	}
	// Every split has a pairing of its own.
	a, _ := NewSplit(all, 1, 300, 5)
	b, _ := NewSplit(all, 1, 300, 6)
	if slices.Equal(a.Fresh.Images, b.Fresh.Images) {
		t.Error("two splits pair the fresh images alike")
	}
}

func TestSplitsDifferByEveryParameter(t *testing.T) {
	part := labelled(TrainSize)
	seen := map[string]string{}
	for digits := 1; digits <= 2; digits++ {
		for _, images := range []int{600, 604, 6000} {
			for index := range 10 {
				s, err := NewSplit(part, digits, images/(2*digits), index)
				require.NoError(t, err)
				name := fmt.Sprint(digits, images, index)
				key := fmt.Sprint(s.Test.Images[:20])
				if other, ok := seen[key]; ok {
					t.Errorf("%s has the test images of %s", name, other)
				}
				seen[key] = name
			}
		}
	}
}

// The full task trains on one file and tests on the other.
func TestFullSplit(t *testing.T) {
	all := labelled(TrainSize + TestSize)
	for _, digits := range []int{1, 2, 4, 15, 100, 200, 500} {
		s, err := NewFullSplit(all, digits, 0)
		require.NoError(t, err)
		if s.Train.Len() != FullSize(digits) || s.Test.Len() != TestSize/(2*digits) || s.More.Len() != 0 {
			t.Errorf("%d digits: %d, %d and %d additions", digits, s.Train.Len(), s.Test.Len(), s.More.Len())
		}
		assert.Equalf(t, 0, s.Fresh.Len(), "%d digits: the test images make a second test", digits)
		for _, a := range []*Additions{&s.Train, &s.Valid, &s.Test} {
			used := make(map[int32]bool)
			for _, i := range a.Images {
				if used[i] || (i >= TrainSize) != (a == &s.Test) {
					t.Fatalf("%d digits: image %d is used twice or in the wrong part", digits, i)
				}
				used[i] = true
			}
		}
	}
	for _, err := range []error{
		func() error { _, err := NewFullSplit(all, 0, 0); return err }(),
		func() error { _, err := NewFullSplit(all, 1, MaxSplit+1); return err }(),
		func() error { _, err := NewFullSplit(labelled(100), 1, 0); return err }(),
	} {
		if err == nil {
			t.Error("a wrong argument gave no error")
		}
	}
}

// These draws must never change: results on disk depend on them.
func TestSplitIsFrozen(t *testing.T) {
	all := labelled(TrainSize + TestSize)
	for _, c := range []struct {
		digits, additions, index int
		want, more, fresh        string
	}{
		{1, 300, 0, "7beeb6841e761695", "eeab2eb4a4493c50", "22c5bade8b8a0835"},
		{2, 1500, 4, "3451b0bfd250ad6b", "c4456707da6f5d97", "68c8bb985183c585"},
	} {
		s, err := NewSplit(all, c.digits, c.additions, c.index)
		require.NoError(t, err)
		digest := func(parts ...Additions) string {
			h := fnv.New64a()
			for _, a := range parts {
				fmt.Fprintln(h, a.Images)
			}
			return fmt.Sprintf("%016x", h.Sum64())
		}
		got, more, fresh := digest(s.Train, s.Valid, s.Test), digest(s.More), digest(s.Fresh)
		if got != c.want || more != c.more || fresh != c.fresh {
			t.Errorf("%+v: %s, %s, %s", c, got, more, fresh)
		}
	}
}

func TestSplitLimits(t *testing.T) {
	full := labelled(TrainSize)
	for _, c := range []struct {
		part                     *Part
		digits, additions, index int
		want                     string
	}{
		{full, 0, 300, 0, "digits"}, {full, MaxDigits + 1, 1, 0, "digits"},
		{full, 1, 300, -1, "split -1"}, {full, 1, 300, MaxSplit + 1, fmt.Sprint("split ", MaxSplit+1)},
		{full, 1, 0, 0, "1 to 29000"}, {full, 1, 29001, 0, "1 to 29000"},
		{full, 2, 14501, 0, "1 to 14500"}, {labelled(100), 1, 1, 0, "mnist: 100 images are too few: a training addition takes 2 and 2000 are held out"},
	} {
		if _, err := NewSplit(c.part, c.digits, c.additions, c.index); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d digits, %d additions, split %d: error %v, want one with %q", c.digits, c.additions, c.index, err, c.want)
		}
	}
}
