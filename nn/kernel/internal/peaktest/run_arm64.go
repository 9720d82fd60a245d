package peaktest

// run does n rounds and returns the number of operations in them.
func run(n int) int {
	fmaNEON(n)
	return n * 20 * 4 * 2
}
