//go:build long

package integer_test

import "testing"

// The same on more programs, a third of them without a feasible point.
func TestAgainstEnumerationLong(t *testing.T) { against(t, 12000) }

// Sudokus of 30 clues whose digits a simulated network reads, 99 % of them right: at
// least 95 % of the boards come out right.
func TestSudokuLong(t *testing.T) {
	const boards, clues = 200, 30
	right, read, digits, most := sudokus(t, boards, clues)
	t.Logf("%d of %d boards right; all clues read right on %d, digits read right %.2f %%; at most %d relaxations a board",
		right, boards, read, 100*float64(digits)/(boards*clues), most)
	if right < boards*95/100 {
		t.Errorf("%d of %d boards right", right, boards)
	}
}
