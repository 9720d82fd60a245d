package sudoku

// Groups returns the cells of each row, column and block of a board of side n, a square
// number: 3n groups of n cells.
func Groups(n int) [][]int {
	block := 1
	for block*block < n {
		block++
	}
	groups := make([][]int, 3*n)
	for cell := range n * n {
		row, column := cell/n, cell%n
		for kind, i := range []int{row, column, row/block*block + column/block} {
			groups[kind*n+i] = append(groups[kind*n+i], cell)
		}
	}
	return groups
}

// Valid reports whether no digit, 0 to n−1, is twice in a row, a column or a block.
func Valid(n int, digits []int) bool {
	for _, group := range Groups(n) {
		seen := 0
		for _, cell := range group {
			if seen&(1<<digits[cell]) != 0 {
				return false
			}
			seen |= 1 << digits[cell]
		}
	}
	return true
}
