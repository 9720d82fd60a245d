package integer_test

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
)

// board is a sudoku by cell: digits 0 to 8, −1 where empty.
type board [81]int

// solutions counts the ways to fill a board, up to most; first is one of them.
func (b *board) solutions(most int) (n int, first board) {
	var rows, cols, boxes [9]uint
	for c, d := range b {
		if d >= 0 {
			rows[c/9] |= 1 << d
			cols[c%9] |= 1 << d
			boxes[c/27*3+c%9/3] |= 1 << d
		}
	}
	work := *b
	var fill func()
	fill = func() {
		best, at, free := 10, -1, uint(0)
		for c, d := range work {
			if d >= 0 {
				continue
			}
			f := 511 &^ (rows[c/9] | cols[c%9] | boxes[c/27*3+c%9/3])
			if k := bits.OnesCount(f); k < best {
				best, at, free = k, c, f
			}
		}
		if at < 0 {
			if n++; n == 1 {
				first = work
			}
			return
		}
		for ; free != 0 && n < most; free &= free - 1 {
			d, bit := bits.TrailingZeros(free), free&-free
			work[at] = d
			rows[at/9] ^= bit
			cols[at%9] ^= bit
			boxes[at/27*3+at%9/3] ^= bit
			fill()
			work[at] = -1
			rows[at/9] ^= bit
			cols[at%9] ^= bit
			boxes[at/27*3+at%9/3] ^= bit
		}
	}
	fill()
	return n, first
}

// puzzle returns a board with the given number of clues and its only solution.
func puzzle(rng *rand.Rand, clues int) (shown, full board) {
	for {
		for c := range full {
			full[c] = -1
		}
		for c, d := range rng.Perm(9) {
			full[c] = d
		}
		for range 3 { // a few more digits, so that boards differ
			b := full
			if b[9+rng.IntN(72)] = rng.IntN(9); b.legal() {
				if n, _ := b.solutions(1); n > 0 {
					full = b
				}
			}
		}
		_, full = full.solutions(1)
		shown = full
		left := 81
		for _, c := range rng.Perm(81) {
			if left == clues {
				return shown, full
			}
			kept := shown[c]
			shown[c] = -1
			left--
			if n, _ := shown.solutions(2); n > 1 {
				shown[c] = kept
				left++
			}
		}
		if left == clues {
			return shown, full
		}
	}
}

// legal reports whether no digit is twice in a row, column or box.
func (b *board) legal() bool {
	var seen [27]uint
	for c, d := range b {
		if d < 0 {
			continue
		}
		for _, u := range [...]int{c / 9, 9 + c%9, 18 + c/27*3 + c%9/3} {
			if seen[u]&(1<<d) != 0 {
				return false
			}
			seen[u] |= 1 << d
		}
	}
	return true
}

// reader simulates a network that reads digits: logits are normal with variance m, and
// mean m at the digit shown. Its softmax is then calibrated; with m = 18 the most
// likely of nine digits is right 99 times of 100.
func reader(rng *rand.Rand, digit int) (g [9]float64) {
	const m = 18
	sum := 0.0
	for d := range g {
		z := math.Sqrt(m) * rng.NormFloat64()
		if d == digit {
			z += m
		}
		g[d] = math.Exp(z)
		sum += g[d]
	}
	for d := range g {
		g[d] /= sum
	}
	return g
}

// sudoku is the program: y_{cd} = 1 where cell c has digit d; −log of what the network
// says of a clue is the price of y_{cd}.
func sudoku(clues map[int][9]float64) *lcqp.Instance {
	s := &lcqp.Sparse{Targets: 729}
	ones := slices.Repeat([]float64{1}, 9)
	sum := func(y func(n int) int) {
		var col []int32
		for n := range 9 {
			col = append(col, int32(y(n)))
		}
		s.Append(lcqp.HardEQ, col, ones, -1)
	}
	for a := range 9 {
		for b := range 9 {
			sum(func(n int) int { return 9*(9*a+b) + n })                        // cell a, b
			sum(func(n int) int { return 9*(9*a+n) + b })                        // row a, digit b
			sum(func(n int) int { return 9*(9*n+a) + b })                        // column a, digit b
			sum(func(n int) int { return 9*(27*(a/3)+3*(a%3)+9*(n/3)+n%3) + b }) // box a, digit b
		}
	}
	for c := range 81 {
		g, ok := clues[c]
		for d := 0; ok && d < 9; d++ {
			s.Append(lcqp.Linear, []int32{int32(9*c + d)}, []float64{1}, 0)
			s.Weights = append(s.Weights, min(-math.Log(g[d]), 50))
		}
	}
	return instance(s, 1e-6)
}

// photo returns what a reader says of the clues of a board, by cell, its solution, and the number of clues read right.
func photo(seed uint64, clues int) (outputs map[int][9]float64, full board, good int) {
	rng := rand.New(rand.NewPCG(seed, 9))
	shown, full := puzzle(rng, clues)
	outputs = map[int][9]float64{}
	for c, d := range shown {
		if d < 0 {
			continue
		}
		g := reader(rng, d)
		outputs[c] = g
		if slices.Index(g[:], slices.Max(g[:])) == d {
			good++
		}
	}
	return outputs, full, good
}

// The relaxation of a board is a linear program, on which Newton steps on the dual go on for thousands of sweeps
// (on these boards): the interior point method takes over after a few.
func TestRelaxationsEndSoon(t *testing.T) {
	for _, seed := range []uint64{12, 16, 30, 46, 49} {
		outputs, _, _ := photo(seed, 30)
		var res infer.Result
		require.NoError(t, infer.Solve(sudoku(outputs), nil, infer.Settings{}, &res))
		require.Equal(t, infer.Solved, res.Status)
		if res.Stats.Iterations > 50 || res.Stats.Newton > 50 {
			t.Errorf("board %d: %+v", seed, res.Stats)
		}
	}
}

// sudokus solves boards with read clues. It counts the boards that come out right, those
// on which every clue was read right, and digits read right; most is the largest number
// of relaxations.
func sudokus(t *testing.T, boards, clues int) (right, read, digits, most int) {
	for seed := range uint64(boards) {
		outputs, full, good := photo(seed, clues)
		digits += good
		if good == clues {
			read++
		}
		var res integer.Result
		in := sudoku(outputs)
		require.NoError(t, integer.Solve(context.Background(), in, all(in), integer.Settings{}, &res))
		most = max(most, res.Nodes)
		if res.Search != integer.Optimal {
			t.Errorf("board %d: %v", seed, res.Search)
			continue
		}
		same := true
		for c, d := range full {
			same = same && res.Y[9*c+d] == 1
		}
		if same {
			right++
		}
	}
	return right, read, digits, most
}

// A few boards; the long test has more.
func TestSudoku(t *testing.T) {
	if right, _, _, _ := sudokus(t, 3, 30); right < 3 {
		t.Errorf("%d of 3 boards right", right)
	}
}
