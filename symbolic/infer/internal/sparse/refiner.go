package sparse

// A side may have mostOneSided of all weight. Vertices are moved in passes passes at most;
// patience is the number of moves in a row that may make nothing better.
const (
	mostOneSided     = 0.6
	passes, patience = 8, 60
)

// refiner makes a separator lighter (after Fiduccia and Mattheyses, Design Automation
// Conference 1982): a vertex that goes from the separator to one side takes its
// neighbours on the other side into the separator. In a pass each vertex goes once at
// most, the one that gains most first, and the best state passed is kept.
type refiner struct {
	*graph
	side  []int8
	on    [3]int32 // weight by side
	most  int32    // that a side may weigh
	gain  [2][]int32
	done  []bool // went in this pass
	queue [2]moves
	// The moves of a pass: vertices that left the separator and those that they took into
	// it, up to end for each.
	moved, taken []int32
	end          []int
}

func newRefiner(g *graph, side []int8) *refiner {
	r := &refiner{graph: g, side: side, done: make([]bool, g.len()),
		gain: [2][]int32{make([]int32, g.len()), make([]int32, g.len())}}
	heaviest := int32(0)
	for v, s := range side {
		r.on[s] += g.weight[v]
		heaviest = max(heaviest, g.weight[v])
	}
	r.most = max(int32(mostOneSided*float64(g.total)), g.total/2+heaviest)
	return r
}

// cost returns the separator's weight divided by the weight of either side, added up.
func (r *refiner) cost() float64 {
	return float64(r.on[inSeparator]) * (1/(1+float64(r.on[0])) + 1/(1+float64(r.on[1])))
}

func (r *refiner) run() {
	for n := 0; n < passes && r.pass(); n++ {
	}
}

// pass returns whether the separator got better.
func (r *refiner) pass() bool {
	clear(r.done)
	r.moved, r.taken, r.end = r.moved[:0], r.taken[:0], r.end[:0]
	r.queue[0], r.queue[1] = r.queue[0][:0], r.queue[1][:0]
	for v, s := range r.side {
		if s == inSeparator {
			r.enter(int32(v))
		}
	}
	best, kept := r.on, 0
	for len(r.moved)-kept < patience {
		v, s := r.choose()
		if v < 0 {
			break
		}
		r.move(v, s)
		if r.better(best) {
			best, kept = r.on, len(r.moved)
		}
	}
	for len(r.moved) > kept {
		r.undo()
	}
	return kept > 0
}

// better reports whether the sides are better than with the weights than: not too heavy
// first of all, then a light separator between them, then alike.
func (r *refiner) better(than [3]int32) bool {
	a, b := max(r.on[0], r.on[1]), max(than[0], than[1])
	if a > r.most || b > r.most {
		return a < b
	}
	return r.on[inSeparator] < than[inSeparator] || r.on[inSeparator] == than[inSeparator] && a < b
}

// enter finds what moving v of the separator gains, and queues it.
func (r *refiner) enter(v int32) {
	r.gain[0][v], r.gain[1][v] = r.weight[v], r.weight[v]
	for _, u := range r.neighbours(v) {
		if s := r.side[u]; s != inSeparator {
			r.gain[1-s][v] -= r.weight[u]
		}
	}
	r.change(v, 0, 0)
	r.change(v, 1, 0)
}

// change adds to the gain of moving v to side s.
func (r *refiner) change(v int32, s int8, by int32) {
	r.gain[s][v] += by
	if !r.done[v] {
		r.queue[s].push(candidate{r.gain[s][v], v})
	}
}

// choose returns the vertex that gains most and the side where it goes, −1 for none.
func (r *refiner) choose() (int32, int8) {
	top := [2]int32{-1, -1}
	for s := range int8(2) {
		for q := &r.queue[s]; len(*q) > 0; q.pop() {
			c := (*q)[0]
			v := c.vertex
			if r.side[v] == inSeparator && !r.done[v] && c.gain == r.gain[s][v] && r.on[s]+r.weight[v] <= max(r.most, r.on[1-s]) {
				top[s] = v
				break
			}
		}
	}
	if top[0] < 0 {
		return top[1], 1
	}
	if top[1] >= 0 {
		a, b := r.gain[0][top[0]], r.gain[1][top[1]]
		if b > a || b == a && r.on[1] < r.on[0] {
			return top[1], 1
		}
	}
	return top[0], 0
}

// place puts a vertex on another side.
func (r *refiner) place(v int32, s int8) {
	r.on[r.side[v]] -= r.weight[v]
	r.on[s] += r.weight[v]
	r.side[v] = s
}

// move takes v from the separator to side s.
func (r *refiner) move(v int32, s int8) {
	r.place(v, s)
	r.done[v] = true
	for _, u := range r.neighbours(v) {
		switch r.side[u] {
		case inSeparator:
			r.change(u, 1-s, -r.weight[v])
		case 1 - s:
			r.place(u, inSeparator)
			r.taken = append(r.taken, u)
			for _, x := range r.neighbours(u) {
				if r.side[x] == inSeparator {
					r.change(x, s, r.weight[u])
				}
			}
			r.enter(u)
		}
	}
	r.moved, r.end = append(r.moved, v), append(r.end, len(r.taken))
}

// undo takes the last move back.
func (r *refiner) undo() {
	last, from := len(r.moved)-1, 0
	if last > 0 {
		from = r.end[last-1]
	}
	v := r.moved[last]
	for _, u := range r.taken[from:] {
		r.place(u, 1-r.side[v])
	}
	r.place(v, inSeparator)
	r.moved, r.taken, r.end = r.moved[:last], r.taken[:from], r.end[:last]
}

// moves is a heap of candidates: the greatest gain first, among equal gains the vertex with
// the smallest number. A candidate whose gain has changed stays until it is on top.
type moves []candidate

type candidate struct{ gain, vertex int32 }

func (c candidate) before(d candidate) bool {
	return c.gain > d.gain || c.gain == d.gain && c.vertex < d.vertex
}

func (q *moves) push(c candidate) {
	h := append(*q, c)
	for i := len(h) - 1; i > 0 && h[i].before(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	*q = h
}

func (q *moves) pop() {
	h := *q
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	for i := 0; 2*i+1 < n; {
		c := 2*i + 1
		if c+1 < n && h[c+1].before(h[c]) {
			c++
		}
		if !h[c].before(h[i]) {
			break
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
	*q = h
}
