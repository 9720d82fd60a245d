package sudoku

import (
	"fmt"
	"math/rand/v2"

	"hinge/data/mnist"
)

// MaxSplit is the number of the last split: those published are 0 to 9, for figures, and
// 10, to choose settings by.
const MaxSplit = 10

// splitStream is the second half of the seed of every split.
const splitStream = 0x7375646f6b75 // "sudoku"

// mostChanges bounds the changes that spoil a board; swaps are also at most n²/2.
const mostChanges = 10

// Boards are the boards of a part of the data: valid boards at even indexes, each followed by
// its invalid twin.
type Boards struct {
	// Side is n; Images has n² image indices a board, row by row.
	Side   int
	Images []int32
}

// Len returns the number of boards.
func (b *Boards) Len() int { return len(b.Images) / (b.Side * b.Side) }

// Valid reports whether a board is valid.
func (b *Boards) Valid(board int) bool { return board%2 == 0 }

// Row returns the images of a board. They must not be changed.
func (b *Boards) Row(board int) []int32 {
	k := b.Side * b.Side
	return b.Images[board*k : (board+1)*k : (board+1)*k]
}

// Split is one draw of boards.
type Split struct {
	Train, Valid, Test Boards
}

// heldOut is the number of valid boards for validation, and again for testing.
const heldOut = 100

// NewSplit draws split number index, 0 to MaxSplit, of boards of side 4 or 9, with valid valid
// boards for training and 100 each for validation and test.
func NewSplit(part *mnist.Part, side, valid, index int) (*Split, error) {
	if side != 4 && side != 9 {
		return nil, fmt.Errorf("sudoku: boards of side %d, want 4 or 9", side)
	}
	if index < 0 || index > MaxSplit {
		return nil, fmt.Errorf("sudoku: split %d, want 0 to %d", index, MaxSplit)
	}
	d := drawer{
		side: side, part: part, groups: make([][]int, side*side), pools: make([][]int32, side),
		rng: rand.New(rand.NewPCG(uint64(100*valid+index), splitStream+uint64(side))),
	}
	for g, group := range Groups(side) {
		for _, cell := range group {
			d.groups[cell] = append(d.groups[cell], g)
		}
	}
	for _, i := range d.rng.Perm(part.Len()) {
		if digit := part.Label(i); digit < side {
			d.pools[digit] = append(d.pools[digit], int32(i))
		}
	}
	least := len(d.pools[0])
	for _, pool := range d.pools {
		least = min(least, len(pool))
	}
	most := least/side - 2*heldOut
	if most < 1 {
		return nil, fmt.Errorf("sudoku: %d images of a digit are too few: each board takes %d and %d boards are held out", least, side, 2*heldOut)
	}
	if valid < 1 || valid > most {
		return nil, fmt.Errorf("sudoku: %d valid boards for training, want 1 to %d: each takes %d of %d images of a digit and %d boards are held out",
			valid, most, side, least, 2*heldOut)
	}
	return &Split{Train: d.boards(valid), Test: d.boards(heldOut), Valid: d.boards(heldOut)}, nil
}

// drawer draws boards from the images that are left.
type drawer struct {
	side   int
	part   *mnist.Part
	groups [][]int   // that a cell is in
	pools  [][]int32 // images by digit that no part has yet
	rng    *rand.Rand
}

// boards draws a part of so many valid boards and their twins.
func (d *drawer) boards(valid int) Boards {
	own := make([][]int32, d.side)
	for digit := range own {
		own[digit], d.pools[digit] = d.pools[digit][:valid*d.side], d.pools[digit][valid*d.side:]
	}
	b := Boards{Side: d.side}
	for board := range valid {
		digits := d.digits()
		images, next := make([]int32, len(digits)), make([]int, d.side)
		for cell, digit := range digits {
			images[cell] = own[digit][board*d.side+next[digit]]
			next[digit]++
		}
		b.Images = append(append(b.Images, images...), d.spoil(images, own)...)
	}
	return b
}

// digits fills a board cell by cell with digits that are still free there, from the
// start again where there are none.
func (d *drawer) digits() []int {
	digits := make([]int, d.side*d.side)
	for {
		used := make([]uint, 3*d.side) // digits of each group
		if d.fill(digits, used) {
			return digits
		}
	}
}

func (d *drawer) fill(digits []int, used []uint) bool {
	free := make([]int, 0, d.side)
	for cell, groups := range d.groups {
		taken := used[groups[0]] | used[groups[1]] | used[groups[2]]
		free = free[:0]
		for digit := range d.side {
			if taken&(1<<digit) == 0 {
				free = append(free, digit)
			}
		}
		if len(free) == 0 {
			return false
		}
		digits[cell] = free[d.rng.IntN(len(free))]
		for _, g := range groups {
			used[g] |= 1 << digits[cell]
		}
	}
	return true
}

// spoil returns the images of a board's twin: by a fair coin cells are swapped, or
// replaced by images of another digit, until one change in two ends it; all of that
// anew while the board is still valid. No cell is changed twice.
func (d *drawer) spoil(images []int32, own [][]int32) []int32 {
	swap := d.rng.IntN(2) == 0
	for {
		twin := d.change(images, own, swap)
		digits := make([]int, len(twin))
		for cell, i := range twin {
			digits[cell] = d.part.Label(int(i))
		}
		if !Valid(d.side, digits) {
			return twin
		}
	}
}

func (d *drawer) change(images []int32, own [][]int32, swap bool) []int32 {
	twin := append([]int32(nil), images...)
	cells, most := d.rng.Perm(len(twin)), mostChanges
	if swap {
		most = min(most, len(twin)/2)
	}
	for n := 0; n < most && (n == 0 || d.rng.IntN(2) == 0); n++ {
		if swap {
			a, b := cells[2*n], cells[2*n+1]
			twin[a], twin[b] = twin[b], twin[a]
			continue
		}
		old := d.part.Label(int(twin[cells[n]]))
		digit := (old + 1 + d.rng.IntN(d.side-1)) % d.side
		twin[cells[n]] = own[digit][d.rng.IntN(len(own[digit]))]
	}
	return twin
}
