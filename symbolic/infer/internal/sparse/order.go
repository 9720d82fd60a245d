package sparse

import "math"

// orderer finds a fill-reducing elimination order of a symmetric pattern by
// approximate minimum degree (Amestoy, Davis and Duff, SIAM Journal on Matrix
// Analysis and Applications 17, 1996).
//
// The partly eliminated matrix is kept as a quotient graph: an eliminated row
// becomes an element, which stands for the clique of its neighbours; the
// neighbours of a row are the rows in its own list and in the lists of its
// elements. Rows with the same neighbours are merged and eliminated together,
// and elements inside a new one disappear. So the graph never needs more room
// than the pattern, and degrees are bounds that are cheap to keep.
type orderer struct {
	// work holds the lists: of a row its elements, then its rows; of an element
	// its rows. The list of i starts at start[i] and has count[i] entries, of
	// which the first elems[i] are elements.
	work                []int32
	start, count, elems []int32
	end                 int32 // of the used part of work
	// size is the number of rows merged into a row; negative while the row is
	// in the element being made; 0 for elements and for rows that are merged
	// into others.
	size []int32
	// degree bounds the number of neighbours of a row and is the number of rows
	// of an element.
	degree []int32
	gone   []bool // absorbed elements
	// Rows wait in buckets by degree.
	head, next, prev []int32
	lowest, left     int32
	// seen[e] − stamp is the number of rows of element e outside the new one.
	seen  []int64
	stamp int64
	// Rows of the new element in buckets by a hash of their lists.
	bucket, chain []int32
	hashes        []uint32
	// follow links rows that are eliminated together, tail is the last of them.
	follow, tail []int32
	pivots       []int32
	// fill is the number of entries of L below its diagonal and flops the sum of
	// the squares of its columns' lengths, without the rows that were deferred.
	fill, flops float64
	// most bounds both. An order beyond it is not finished.
	most Limits
	// stage tells which rows come before others, nil that all may come at any time; rows
	// up to stage now are in the buckets.
	stage []int32
	now   int32
	late  func() bool // whether to stop, asked now and then; nil is never
}

// askEvery is after how many pivots an order asks whether to stop.
const askEvery = 1024

// run appends the order of n rows to perm. The pattern off the diagonal is given by pairs,
// each pair once. stage may be nil, or numbers from 0 on: rows with smaller numbers then come
// first. run stops, with a useless order, when the order's cost exceeds o.most.
func (o *orderer) run(n int, pairs [][2]int32, stage, perm []int32) []int32 {
	o.init(n, pairs)
	o.stage, o.now = stage, 0
	deferred := o.deferDense()
	for ; o.left > 0; o.now++ {
		for i := n - 1; i >= 0; i-- {
			if o.size[i] > 0 && (stage == nil || stage[i] == o.now) {
				o.enter(int32(i))
			}
		}
		for {
			for int(o.lowest) < n && o.head[o.lowest] < 0 {
				o.lowest++
			}
			if int(o.lowest) == n {
				break
			}
			o.eliminate(o.head[o.lowest])
			if !o.need().Within(o.most) || o.late != nil && len(o.pivots)%askEvery == 0 && o.late() {
				return perm
			}
		}
	}
	if deferred >= 0 {
		o.pivots = append(o.pivots, deferred)
	}
	for _, p := range o.pivots {
		for i := p; i >= 0; i = o.follow[i] {
			perm = append(perm, i)
		}
	}
	return perm
}

// need returns the size and work of the rows eliminated so far.
func (o *orderer) need() Limits { return Limits{o.fill, o.flops} }

func (o *orderer) init(n int, pairs [][2]int32) {
	resizeAll(n, &o.start, &o.count, &o.elems, &o.size, &o.degree, &o.next, &o.prev, &o.bucket, &o.chain, &o.follow, &o.tail)
	o.head = resize(o.head, n+1)
	o.gone, o.seen, o.hashes = resize(o.gone, n), resize(o.seen, n), resize(o.hashes, n)
	clear(o.count)
	for _, e := range pairs {
		o.count[e[0]]++
		o.count[e[1]]++
	}
	o.end = 0
	for i := range n {
		o.start[i] = o.end
		o.end += o.count[i]
		o.count[i] = 0
	}
	// A new element is written behind all others; the slack makes it rare that
	// room must be won back.
	o.work = resize(o.work, int(o.end)+int(o.end)/4+n)
	for _, e := range pairs {
		i, j := e[0], e[1]
		o.work[o.start[i]+o.count[i]] = j
		o.work[o.start[j]+o.count[j]] = i
		o.count[i]++
		o.count[j]++
	}
	for d := range o.head {
		o.head[d] = -1
	}
	o.stamp, o.lowest, o.left = 1, 0, int32(n)
	o.fill, o.flops = 0, 0
	o.pivots = o.pivots[:0]
	for i := range n {
		o.elems[i], o.size[i], o.degree[i] = 0, 1, o.count[i]
		o.gone[i], o.seen[i] = false, 0
		o.bucket[i], o.follow[i], o.tail[i] = -1, -1, int32(i)
	}
}

// deferDense takes out the rows with very many neighbours, which come last
// anyway and whose lists would be walked again and again. It returns the first
// of them, which the others follow, or −1.
func (o *orderer) deferDense() int32 {
	limit := int32(max(16, 10*math.Sqrt(float64(len(o.size)))))
	first := int32(-1)
	for i, n := range o.count {
		if n <= limit {
			continue
		}
		o.size[i] = 0
		o.left--
		if first < 0 {
			first = int32(i)
		} else {
			o.append(first, int32(i))
		}
	}
	if first < 0 {
		return first
	}
	for i := range o.size {
		from, n := o.start[i], int32(0)
		for _, j := range o.work[from : from+o.count[i]] {
			if o.size[j] > 0 {
				o.work[from+n] = j
				n++
			}
		}
		o.count[i], o.degree[i] = n, n
	}
	return first
}

// append lets the rows behind j follow those behind i.
func (o *orderer) append(i, j int32) {
	o.follow[o.tail[i]] = j
	o.tail[i] = o.tail[j]
}

// later reports whether the stage of row i has not come yet.
func (o *orderer) later(i int32) bool { return o.stage != nil && o.stage[i] > o.now }

// enter puts a row in front of its bucket, leave takes it out; neither does anything to a
// row of a later stage.
func (o *orderer) enter(i int32) {
	if o.later(i) {
		return
	}
	d := o.degree[i]
	o.prev[i], o.next[i] = -1, o.head[d]
	if o.head[d] >= 0 {
		o.prev[o.head[d]] = i
	}
	o.head[d] = i
	o.lowest = min(o.lowest, d)
}

func (o *orderer) leave(i int32) {
	if o.later(i) {
		return
	}
	if o.prev[i] >= 0 {
		o.next[o.prev[i]] = o.next[i]
	} else {
		o.head[o.degree[i]] = o.next[i]
	}
	if o.next[i] >= 0 {
		o.prev[o.next[i]] = o.prev[i]
	}
}

// eliminate makes row p, with all rows merged into it, an element.
func (o *orderer) eliminate(p int32) {
	o.leave(p)
	weight := o.size[p]
	o.left -= weight
	o.makeElement(p)
	list := o.work[o.start[p] : o.start[p]+o.count[p]]
	o.measure(list)
	for _, i := range list {
		if o.update(p, i) {
			// No neighbours outside the element: i goes with p.
			weight -= o.size[i]
			o.left += o.size[i]
			o.degree[p] += o.size[i]
			o.size[i], o.gone[i] = 0, true
			o.append(p, i)
		}
	}
	o.merge(list)
	n := int32(0)
	for _, i := range list {
		if o.size[i] == 0 {
			continue
		}
		o.size[i] = -o.size[i]
		o.degree[i] = min(o.degree[i]+o.degree[p]-o.size[i], o.left-o.size[i])
		o.enter(i)
		list[n] = i
		n++
	}
	o.count[p], o.gone[p] = n, n == 0
	o.pivots = append(o.pivots, p)
	// Columns of d, d + 1, …, d + w − 1 entries.
	w, d := float64(weight), float64(o.degree[p])
	o.fill += w * (d + (w-1)/2)
	o.flops += w * (d*d + d*(w-1) + (w-1)*(2*w-1)/6)
}

// makeElement collects the neighbours of row p, marks them by negative sizes,
// takes them out of their buckets, and absorbs the elements of p.
func (o *orderer) makeElement(p int32) {
	from, elems, count := o.start[p], o.elems[p], o.count[p]
	at := from
	if elems > 0 {
		most := count - elems
		for _, e := range o.work[from : from+elems] {
			most += o.count[e]
		}
		if int(o.end)+int(most) > len(o.work) {
			o.compact()
			from = o.start[p]
		}
		at = o.end
	}
	begin, weight := at, int32(0)
	o.size[p] = 0
	take := func(list []int32) {
		for _, j := range list {
			size := o.size[j]
			if size <= 0 {
				continue
			}
			o.leave(j)
			o.size[j] = -size
			weight += size
			o.work[at] = j
			at++
		}
	}
	for n := from; n < from+elems; n++ {
		if e := o.work[n]; !o.gone[e] {
			take(o.work[o.start[e] : o.start[e]+o.count[e]])
			o.gone[e] = true
		}
	}
	take(o.work[from+elems : from+count])
	o.start[p], o.count[p], o.elems[p], o.degree[p] = begin, at-begin, 0, weight
	o.end = max(o.end, at)
}

// compact moves the lists that are still in use together.
func (o *orderer) compact() {
	for i, n := range o.count {
		if n > 0 && !o.gone[i] {
			// The first entry gives way to the number of its list.
			first := &o.work[o.start[i]]
			o.start[i], *first = *first, int32(-1-i)
		}
	}
	to := int32(0)
	for from := int32(0); from < o.end; {
		i := -1 - o.work[from]
		if i < 0 {
			from++
			continue
		}
		n := o.count[i]
		o.work[to] = o.start[i]
		copy(o.work[to+1:to+n], o.work[from+1:from+n])
		o.start[i] = to
		to += n
		from += n
	}
	o.end = to
}

// measure counts, for the elements of the rows in list, the rows outside list.
func (o *orderer) measure(list []int32) {
	o.stamp += int64(len(o.size)) + 1
	for _, i := range list {
		from := o.start[i]
		for _, e := range o.work[from : from+o.elems[i]] {
			switch {
			case o.gone[e]:
			case o.seen[e] >= o.stamp:
				o.seen[e] += int64(o.size[i])
			default:
				o.seen[e] = o.stamp + int64(o.degree[e]+o.size[i])
			}
		}
	}
}

// update puts the new element p into the list of row i, drops the entries that p replaces, and
// sets degree[i] to a bound on the neighbours outside p. It returns true when there are none.
func (o *orderer) update(p, i int32) bool {
	from := o.start[i]
	at, outside, hash := from, int32(0), uint32(0)
	for _, e := range o.work[from : from+o.elems[i]] {
		if o.gone[e] {
			continue
		}
		if n := int32(o.seen[e] - o.stamp); n > 0 {
			outside += n
			hash += uint32(e)
			o.work[at] = e
			at++
		} else {
			o.gone[e] = true // its rows are all in p
		}
	}
	rows := at
	for _, j := range o.work[from+o.elems[i] : from+o.count[i]] {
		if size := o.size[j]; size > 0 {
			outside += size
			hash += uint32(j)
			o.work[at] = j
			at++
		}
	}
	if at == from {
		return true
	}
	// At least one entry has gone, p itself or an element in p, so there is
	// room for p behind the elements.
	o.work[at] = o.work[rows]
	o.work[rows] = p
	o.elems[i], o.count[i] = rows-from+1, at-from+1
	o.degree[i] = min(o.degree[i], outside)
	h := hash % uint32(len(o.size))
	o.hashes[i] = h
	o.chain[i] = o.bucket[h]
	o.bucket[h] = i
	return false
}

// merge joins rows of the new element that have the same neighbours.
func (o *orderer) merge(list []int32) {
	for _, i := range list {
		if o.size[i] == 0 {
			continue
		}
		first := o.bucket[o.hashes[i]]
		o.bucket[o.hashes[i]] = -1
		for ; first >= 0 && o.chain[first] >= 0; first = o.chain[first] {
			o.stamp++
			from := o.start[first]
			for _, x := range o.work[from : from+o.count[first]] {
				o.seen[x] = o.stamp
			}
			before := first
			for j := o.chain[first]; j >= 0; j = o.chain[j] {
				if !o.alike(first, j) {
					before = j
					continue
				}
				o.size[first] += o.size[j]
				o.size[j], o.gone[j] = 0, true
				o.append(first, j)
				o.chain[before] = o.chain[j]
			}
		}
	}
}

// alike reports whether row j has the neighbours of row i, which are stamped.
func (o *orderer) alike(i, j int32) bool {
	if o.count[i] != o.count[j] || o.elems[i] != o.elems[j] || o.stage != nil && o.stage[i] != o.stage[j] {
		return false
	}
	from := o.start[j]
	for _, x := range o.work[from : from+o.count[j]] {
		if o.seen[x] != o.stamp {
			return false
		}
	}
	return true
}
