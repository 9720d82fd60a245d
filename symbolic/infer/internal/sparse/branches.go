package sparse

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Branches of the elimination tree are subtrees with little work each; the supernodes above them,
// the stem, follow one by one, each by blocks of rows and by panels of columns. What branches
// contribute to the stem is kept separately and added in the order of the branches, so that the
// bits are the same for any number of goroutines.

const (
	// branchShare is the part of the work that a branch has at most.
	branchShare = 1.0 / 32
	// A supernode of the stem has blocks of leastRows rows, of panelWidth columns of its
	// contribution and of leastColumns columns that its parent takes, if their work exceeds sharedWork.
	leastRows, leastColumns = 96, 64
	// helperPatience is how often a helper looks for work before it sleeps between two looks.
	helperPatience, helperSleep = 5000, 50 * time.Microsecond
)

// branchedWork is the work of a factor from which on it has branches. Tests change both.
var branchedWork, sharedWork = 2e7, 5e5

// branches are the branches of a factor, and its stem.
type branches struct {
	from, to []int32   // supernodes of each branch
	outside  [][]int32 // rows of the stem that each branch changes
	stem     []int32   // supernodes
	taken    [][]float64
}

func (b *branches) len() int { return len(b.from) }

// worker is the scratch of one goroutine.
type worker struct {
	*LDL
	stacks [2][]float64 // of contributions
	packs  []float64    // of the triangle of the supernode worked on, by panel
	packed []float64    // a panel, or a column of a solution
	sums   []float64    // of a product
	left   []float64    // of what is eliminated
	carry  []float64    // what a branch subtracts from rows outside; else 0
}

// worker returns the worker of one of the goroutines.
func (s *LDL) worker(k int) *worker {
	for len(s.workers) <= k {
		s.workers = append(s.workers, &worker{LDL: s, sums: make([]float64, panelWidth*panelRows), left: make([]float64, panelWidth*panelRows)})
	}
	return s.workers[k]
}

// crew are the goroutines that help with one factor or solution. They look for work without
// sleeping at first, as waking one takes as long as a block. Nobody waits for a helper that
// has not begun.
type crew struct {
	*LDL
	present atomic.Pointer[job]
	over    atomic.Bool
}

// job is f(w, i) for 0 ≤ i < n.
type job struct {
	n          int64
	f          func(w *worker, i int)
	next, done atomic.Int64
}

// gather starts the helpers.
func (s *LDL) gather() *crew {
	c := &crew{LDL: s}
	for k := 1; k < s.Workers; k++ {
		w := s.worker(k)
		go c.help(w)
	}
	return c
}

// help works until the crew is dismissed.
func (c *crew) help(w *worker) {
	for idle := 0; !c.over.Load(); {
		switch j := c.present.Load(); {
		case j != nil && j.run(w):
			idle = 0
		case idle < helperPatience:
			idle++
			runtime.Gosched()
		default:
			time.Sleep(helperSleep)
		}
	}
}

// run does the remaining work of the job; it returns false if none was left.
func (j *job) run(w *worker) (any bool) {
	for {
		i := j.next.Add(1) - 1
		if i >= j.n {
			return any
		}
		any = true
		j.f(w, int(i))
		j.done.Add(1)
	}
}

// each calls f for 0 ≤ i < n and returns when all calls have.
func (c *crew) each(n int, f func(w *worker, i int)) {
	j := &job{n: int64(n), f: f}
	c.present.Store(j)
	j.run(c.worker(0))
	for j.done.Load() < j.n {
		runtime.Gosched()
	}
}

// branch finds the branches.
func (s *LDL) branch() {
	n, b := &s.nodes, &s.branches
	*b = branches{}
	if s.need.Work < branchedWork {
		return
	}
	work, total := make([]float64, n.len()), 0.0
	for k := range work {
		w, rows := float64(n.width(int32(k))), float64(len(n.below(int32(k))))
		work[k] = w * (w + rows) * (w + rows)
		total += work[k]
	}
	// Supernodes are in postorder: a subtree is the range of supernodes that ends in its root.
	for k := range int32(len(work)) {
		if below := n.below(k); len(below) > 0 {
			work[n.of[below[0]]] += work[k]
		}
	}
	open, size := false, 0.0
	for k := int32(0); int(k) < len(work); {
		root := s.subtree(k, work, total*branchShare)
		if root < 0 {
			b.stem = append(b.stem, k)
			open = false
			k++
			continue
		}
		if size += work[root]; !open || size > total*branchShare {
			b.from, b.to = append(b.from, k), append(b.to, k)
			open, size = true, work[root]
		}
		b.to[len(b.to)-1] = root + 1
		k = root + 1
	}
	mark := s.mark[:s.n]
	for i := range mark {
		mark[i] = -1
	}
	b.outside, b.taken = make([][]int32, b.len()), make([][]float64, b.len())
	for j := range b.from {
		for k := b.from[j]; k < b.to[j]; k++ {
			for _, i := range n.below(k) {
				if i >= n.first[b.to[j]] && mark[i] != int32(j) {
					mark[i] = int32(j)
					b.outside[j] = append(b.outside[j], i)
				}
			}
		}
		b.taken[j] = make([]float64, len(b.outside[j]))
	}
}

// subtree returns the root of the largest subtree with at most this work that begins with
// supernode k; −1 if k has more itself.
func (s *LDL) subtree(k int32, work []float64, most float64) int32 {
	n, root := &s.nodes, int32(-1)
	for work[k] <= most {
		root = k
		below := n.below(k)
		if len(below) == 0 {
			break
		}
		k = n.of[below[0]]
	}
	return root
}

// factorBranches is Factor where there are branches.
func (s *LDL) factorBranches() {
	n, b, f := &s.nodes, &s.branches, &s.fronts
	crew := s.gather()
	defer crew.over.Store(true)
	clear(f.handed)
	crew.each(b.len(), func(w *worker, j int) {
		w.stacked(f.branchRoom)
		w.factor(f.order[b.from[j]:b.to[j]])
	})
	w := s.worker(0)
	w.stacked(f.stemRoom)
	for _, k := range f.stem {
		if s.late() {
			return
		}
		width, rows, out := n.width(k), len(n.below(k)), w.contribution(k)
		if f.child[k] < 0 {
			clear(out)
		}
		w.receive(k, out)
		w.triangle(k)
		crew.blocks(rows, leastRows, float64(width*width*rows), func(other *worker, from, to int) { other.rest(k, from, to, w.packs) })
		crew.blocks(rows, panelWidth, float64(width*rows*rows/2), func(other *worker, from, to int) {
			for j := from; j < to; j += panelWidth {
				other.contribute(k, j, out)
			}
		})
		w.hand(k, out, crew)
	}
}

// blocks calls f for all of n rows or columns: at once or, where that much work pays, by blocks
// of size.
func (c *crew) blocks(n, size int, work float64, f func(w *worker, from, to int)) {
	if work < sharedWork {
		f(c.worker(0), 0, n)
		return
	}
	c.each((n+size-1)/size, func(w *worker, i int) { f(w, i*size, min((i+1)*size, n)) })
}

// solveBranches is Solve, in the order of the factor, where there are branches.
func (s *LDL) solveBranches() {
	b, crew := &s.branches, s.gather()
	defer crew.over.Store(true)
	crew.each(b.len(), func(w *worker, j int) {
		w.carry = resize(w.carry, s.n)
		w.forward(b.from[j], b.to[j], w.carry)
		for k, i := range b.outside[j] {
			b.taken[j][k], w.carry[i] = w.carry[i], 0
		}
	})
	for j, taken := range b.taken {
		for k, i := range b.outside[j] {
			s.y[i] += taken[k]
		}
	}
	w := s.worker(0)
	for _, k := range b.stem {
		w.forward(k, k+1, nil)
	}
	for k := len(b.stem) - 1; k >= 0; k-- {
		w.backward(b.stem[k], b.stem[k]+1)
	}
	crew.each(b.len(), func(w *worker, j int) { w.backward(b.from[j], b.to[j]) })
}
