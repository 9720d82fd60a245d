package sudoku

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
)

// pool makes images of which only the labels matter, so many of each digit.
func pool(t *testing.T, each int) *mnist.Part {
	t.Helper()
	labels := make([]uint8, 10*each)
	for i := range labels {
		labels[i] = uint8(i % 10)
	}
	part, err := mnist.NewPart(make([]uint8, mnist.Pixels*len(labels)), labels)
	require.NoError(t, err)
	return part
}

func digitsOf(part *mnist.Part, row []int32) []int {
	digits := make([]int, len(row))
	for cell, i := range row {
		digits[cell] = part.Label(int(i))
	}
	return digits
}

// TestProtocol: valid boards are valid and take each image of their part once; twins are
// not valid, differ in at most twenty cells, show images of their part alone, and are
// spoilt by swaps about as often as by replacements. Parts share no image.
func TestProtocol(t *testing.T) {
	for _, side := range []int{4, 9} {
		part := pool(t, 240*side)
		s, err := NewSplit(part, side, 40, 3)
		require.NoError(t, err)
		owner := make(map[int32]string)
		for name, b := range map[string]*Boards{"train": &s.Train, "valid": &s.Valid, "test": &s.Test} {
			if want := map[string]int{"train": 80, "valid": 200, "test": 200}[name]; b.Len() != want {
				t.Errorf("side %d, %s: %d boards, want %d", side, name, b.Len(), want)
			}
			swaps := 0
			for n := 0; n < b.Len(); n += 2 {
				row, twin := b.Row(n), b.Row(n+1)
				if !b.Valid(n) || b.Valid(n+1) || !Valid(side, digitsOf(part, row)) || Valid(side, digitsOf(part, twin)) {
					t.Fatalf("side %d, %s, board %d: valid must be the first of each two, and that alone", side, name, n)
				}
				for _, i := range row {
					if owner[i] != "" {
						t.Fatalf("side %d: image %d is used twice", side, i)
					}
					owner[i] = name
				}
				changed := 0
				for cell := range row {
					if row[cell] != twin[cell] {
						changed++
					}
				}
				if most := min(20, side*side); changed < 1 || changed > most {
					t.Errorf("side %d: a twin differs in %d cells", side, changed)
				}
				a, c := slices.Sorted(slices.Values(row)), slices.Sorted(slices.Values(twin))
				if slices.Equal(a, c) {
					swaps++
				}
			}
			if pairs := b.Len() / 2; swaps < pairs/4 || swaps > pairs*3/4 {
				t.Errorf("side %d, %s: %d of %d twins by swaps", side, name, swaps, pairs)
			}
		}
		for name, b := range map[string]*Boards{"train": &s.Train, "valid": &s.Valid, "test": &s.Test} {
			for _, i := range b.Images {
				if owner[i] != name {
					t.Fatalf("side %d: image %d of %s is on a board of %s", side, i, owner[i], name)
				}
			}
		}
	}
}

// TestSplitsDiffer: the same arguments give the same boards, others give others.
func TestSplitsDiffer(t *testing.T) {
	part := pool(t, 1000)
	draw := func(valid, index int) []int32 {
		s, err := NewSplit(part, 4, valid, index)
		require.NoError(t, err)
		return s.Test.Images
	}
	if first := draw(10, 0); !slices.Equal(first, draw(10, 0)) || slices.Equal(first, draw(10, 1)) || slices.Equal(first, draw(11, 0)) {
		t.Error("boards are no function of their arguments, or the same for all")
	}
}

func TestRefused(t *testing.T) {
	part := pool(t, 1000)
	for want, args := range map[string][3]int{
		"side 5": {5, 10, 0}, "split 11": {4, 10, 11}, "split -1": {4, 10, -1},
		"0 valid boards": {4, 0, 0}, "want 1 to 50": {4, 51, 0}, "sudoku: 1000 images of a digit are too few: each board takes 9 and 200 boards are held out": {9, 1, 0},
	} {
		if _, err := NewSplit(part, args[0], args[1], args[2]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestGroups(t *testing.T) {
	groups := Groups(9)
	require.Len(t, groups, 27)
	assert.Equal(t, []int{57, 58, 59, 66, 67, 68, 75, 76, 77}, groups[18+7], "the lower middle block")
	seen := make([]int, 81)
	for _, group := range groups {
		for _, cell := range group {
			seen[cell]++
		}
	}
	if slices.ContainsFunc(seen, func(n int) bool { return n != 3 }) {
		t.Errorf("a cell is in %v groups, want 3", seen)
	}
}
