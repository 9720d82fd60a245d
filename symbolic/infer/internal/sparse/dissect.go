package sparse

import (
	"slices"
	"sync"
)

// Nested dissection (George, SIAM Journal on Numerical Analysis 10, 1973): a small set of
// vertices, a separator, divides the graph of a pattern into two parts without an edge between
// them, and the parts are divided likewise. Rows of separators are eliminated after the rows
// on both sides, so that the sides do not fill each other. Inside the smallest parts, and
// among the rows of separators of one depth, minimum degree decides the order.

// smallestPart is the number of rows from which on a part is divided.
const smallestPart = 2000

// dissect returns the stage of each of n rows: a row is eliminated after all rows with smaller
// stages; stages begin at 0. The pattern is given by pairs, each pair once. The result is the
// same for any number of workers.
func dissect(n int, pairs [][2]int32, workers int) []int32 {
	d := &dissection{stage: make([]int32, n), idle: make(chan struct{}, max(workers-1, 0))}
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	d.divide(newGraph(n, pairs), rows, 1)
	d.running.Wait()
	// So far separators have the depth at which they divide, and the parts left over 0.
	deepest := slices.Max(d.stage)
	for i, depth := range d.stage {
		if depth > 0 {
			d.stage[i] = deepest + 1 - depth
		}
	}
	return d.stage
}

// dissection is one in progress.
type dissection struct {
	stage   []int32
	idle    chan struct{} // holds one for each goroutine besides the first
	running sync.WaitGroup
}

// divide finds separators of g, whose vertices are the given rows.
func (d *dissection) divide(g *graph, rows []int32, depth int32) {
	for ; g.len() >= smallestPart; depth++ {
		side := g.separate()
		var count [3]int
		for v, s := range side {
			count[s]++
			if s == inSeparator {
				d.stage[rows[v]] = depth
			}
		}
		if count[0] == 0 || count[1] == 0 {
			return
		}
		other, otherRows := g.part(side, 1, rows, count[1])
		g, rows = g.part(side, 0, rows, count[0])
		deeper := depth + 1
		select {
		case d.idle <- struct{}{}:
			d.running.Go(func() {
				d.divide(other, otherRows, deeper)
				<-d.idle
			})
		default:
			d.divide(other, otherRows, deeper)
		}
	}
}
