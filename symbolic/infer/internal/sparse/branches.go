package sparse

import (
	"runtime"
	"sort"
	"sync/atomic"
	"time"
)

// Several goroutines share the work of a large factor. Branches of the elimination tree,
// subtrees with little work each, are independent; the supernodes above them, the stem, follow
// one by one, each by blocks of rows. The contributions of a branch to the stem are kept
// separately and added in the order of the branches, so that the bits are the same for any
// number of goroutines.

const (
	// branchedWork is the work of a factor from which on it has branches, branchShare the
	// part of it that a branch has at most.
	branchedWork, branchShare = 2e7, 1.0 / 32
	// A supernode of the stem has blocks of at least leastRows rows, and at most mostBlocks,
	// if its work exceeds sharedWork: the multiplied rows are packed again for each block.
	leastRows, mostBlocks, sharedWork = 96, 4, 5e5
	// helperPatience is how often a helper looks for work before it sleeps between two looks.
	helperPatience, helperSleep = 5000, 50 * time.Microsecond
)

// branches are the branches of a factor, and its stem.
type branches struct {
	from, to []int32   // supernodes of each branch
	outside  [][]int32 // rows of the stem that each branch changes
	stem     []int32   // supernodes
	taken    [][]float64
	updates  []update // of the supernode of the stem that is worked on
}

// update is the contribution of a supernode to a later one: the rows and columns it changes.
type update struct {
	node     int32
	from, to int
}

func (b *branches) len() int { return len(b.from) }

// worker is the scratch of one goroutine.
type worker struct {
	*LDL
	loc     []int32 // places of rows in the block of the supernode worked on
	own     []int32 // storage for that
	scaled  []float64
	carry   []float64 // what a branch subtracts from rows outside; else 0
	end     int32     // supernodes from here on are outside
	outside int32     // list of the supernodes that wait for those
}

// worker returns the worker of one of the goroutines.
func (s *LDL) worker(k int) *worker {
	for len(s.workers) <= k {
		s.workers = append(s.workers, &worker{LDL: s})
	}
	w := s.workers[k]
	w.own = resize(w.own, s.n)
	w.loc = w.own
	return w
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
func (s *LDL) factorBranches(first *worker) {
	n, b := &s.nodes, &s.branches
	waiting := make([]int32, b.len())
	crew := s.gather()
	defer crew.over.Store(true)
	crew.each(b.len(), func(w *worker, j int) {
		w.factor(b.from[j], b.to[j])
		waiting[j] = w.outside
	})
	if s.Stopped() {
		return
	}
	first.end = int32(n.len())
	places := first.loc // nobody writes to it while helpers look there
	for _, c := range waiting {
		for c >= 0 {
			next := s.next[c]
			first.wait(c)
			c = next
		}
	}
	for _, k := range b.stem {
		if s.late() {
			return
		}
		first.locate(k)
		b.updates = b.updates[:0]
		rows, work := n.width(k)+len(n.below(k)), 0.0
		for c := s.head[k]; c >= 0; {
			next := s.next[c]
			from, to := first.pass(c, k)
			b.updates = append(b.updates, update{c, from, to})
			work += float64(n.width(c) * (to - from) * (len(n.below(c)) - from))
			c = next
		}
		crew.blocks(rows, work, func(w *worker, from, to int) {
			for _, u := range b.updates {
				below := n.below(u.node)[u.from:]
				least, end := span(below, places, from, to)
				w.loc = places
				w.apply(u.node, k, u.from, u.to, least, end)
			}
		})
		first.triangle(k)
		width := n.width(k)
		crew.blocks(len(n.below(k)), float64(width*width*len(n.below(k))), func(w *worker, from, to int) { w.rest(k, from, to) })
		s.at[k] = 0
		first.wait(k)
	}
}

// blocks calls f for all of n rows: at once or, where that much work pays, by blocks.
func (c *crew) blocks(n int, work float64, f func(w *worker, from, to int)) {
	if work < sharedWork {
		f(c.worker(0), 0, n)
		return
	}
	// An even number of rows, as they are worked on in pairs.
	size := (max(leastRows, (n+mostBlocks-1)/mostBlocks) + 1) &^ 1
	c.each((n+size-1)/size, func(w *worker, i int) { f(w, i*size, min((i+1)*size, n)) })
}

// span returns which of the rows of below, which increase, have places from ≤ p < to.
func span(below, places []int32, from, to int) (least, end int) {
	least = sort.Search(len(below), func(r int) bool { return int(places[below[r]]) >= from })
	return least, least + sort.Search(len(below)-least, func(r int) bool { return int(places[below[least+r]]) >= to })
}

// solveBranches is Solve, in the order of the factor, where there are branches.
func (s *LDL) solveBranches() {
	b, crew := &s.branches, s.gather()
	defer crew.over.Store(true)
	crew.each(b.len(), func(w *worker, j int) {
		w.carry = resize(w.carry, s.n)
		s.forward(b.from[j], b.to[j], w.carry)
		for k, i := range b.outside[j] {
			b.taken[j][k], w.carry[i] = w.carry[i], 0
		}
	})
	for j, taken := range b.taken {
		for k, i := range b.outside[j] {
			s.y[i] += taken[k]
		}
	}
	for _, k := range b.stem {
		s.forward(k, k+1, nil)
	}
	for k := len(b.stem) - 1; k >= 0; k-- {
		s.backward(b.stem[k], b.stem[k]+1)
	}
	crew.each(b.len(), func(_ *worker, j int) { s.backward(b.from[j], b.to[j]) })
}
