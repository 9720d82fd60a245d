//go:build long

package integer_test

import (
	"testing"
	"time"
)

// The same on more programs, a third of them without a feasible point.
func TestAgainstEnumerationLong(t *testing.T) { against(t, 12000) }

// Sudokus of 30 clues whose digits a simulated network reads, 99 % of them right: at
// least 95 % of the boards come out right, each within a second.
func TestSudokuLong(t *testing.T) {
	const boards, clues = 200, 30
	right, read, digits, slowest := sudokus(t, boards, clues)
	t.Logf("%d of %d boards right; all clues read right on %d, digits read right %.2f %%; slowest %v",
		right, boards, read, 100*float64(digits)/(boards*clues), slowest)
	if right < boards*95/100 {
		t.Errorf("%d of %d boards right", right, boards)
	}
	if slowest > 10*time.Second { // the figure is 1 s on an idle machine
		t.Errorf("the slowest board took %v", slowest)
	}
}
