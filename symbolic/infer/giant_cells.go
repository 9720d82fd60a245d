package infer

// cells are disjoint sets of neighbouring targets, each with its border: the
// other targets of the rows that touch it.
type cells struct {
	of    []int32 // cell of each target, −1 for none
	queue []int32
	size  []int32 // by cell while they grow

	ptr, list             []int32 // targets of each cell
	borderPtr, borderList []int32
	mark                  []int32 // by target, for sets
	stamp                 int32
	batchOf               []int32
	order                 []int32
	result                [][]int32
}

const (
	// cellTargets is the usual size of a cell.
	cellTargets = 500
	// mostBorder is the size of all cells with their borders, relative to the
	// number of targets, up to which a component is taken for local.
	mostBorder = 1.75
)

func (c *cells) len() int               { return len(c.ptr) - 1 }
func (c *cells) inside(k int32) []int32 { return c.list[c.ptr[k]:c.ptr[k+1]] }
func (c *cells) border(k int32) []int32 { return c.borderList[c.borderPtr[k]:c.borderPtr[k+1]] }

// next returns a stamp that no entry of mark holds.
func (c *cells) next() int32 {
	c.stamp++
	return c.stamp
}

func (c *cells) reset(g *giant) {
	n := g.in.Targets
	c.of = resize(c.of, n)
	if len(c.mark) < n {
		c.mark, c.stamp = make([]int32, n), 0
	}
	for _, i := range g.comp.Targets {
		c.of[i] = -1
	}
	c.queue, c.size = c.queue[:0], c.size[:0]
}

// partition makes cells of all free targets. It returns false when the cells
// have too much border.
func (c *cells) partition(g *giant) bool {
	c.reset(g)
	targets := g.comp.Targets
	for n := 0; n < len(targets); n += cellTargets {
		c.seed(g, targets[n])
	}
	c.spread(g, 0)
	for _, i := range targets {
		if at := len(c.queue); c.seed(g, i) {
			c.spread(g, at)
		}
	}
	return c.finish(g, int(mostBorder*float64(len(targets))))
}

// grow makes cells around the dirty targets. Seeds are dirty targets, a third
// of a cell apart or more; all grow at the same pace.
func (c *cells) grow(g *giant) {
	c.reset(g)
	covered := c.next()
	for _, i := range g.dirty {
		if c.mark[i] == covered {
			continue
		}
		at := len(c.queue)
		if !c.seed(g, i) {
			continue
		}
		// Mark what lies around the seed, using the queue beyond it as storage.
		c.mark[i] = covered
		ball := append(c.queue[at+1:], i)
		for n := 0; n < len(ball) && len(ball) < cellTargets/3; n++ {
			c.neighbours(g, ball[n], func(t int32) {
				if c.mark[t] != covered {
					c.mark[t] = covered
					ball = append(ball, t)
				}
			})
		}
	}
	c.spread(g, 0)
	for _, i := range g.dirty {
		if at := len(c.queue); c.seed(g, i) {
			c.spread(g, at)
		}
	}
	c.finish(g, 0)
}

// seed starts a cell at target i unless it is taken or fixed.
func (c *cells) seed(g *giant, i int32) bool {
	if c.of[i] >= 0 || g.fixed(i) {
		return false
	}
	c.of[i] = int32(len(c.size))
	c.size = append(c.size, 1)
	c.queue = append(c.queue, i)
	return true
}

// neighbours calls f with the free targets that share a row with target i.
func (c *cells) neighbours(g *giant, i int32, f func(t int32)) {
	in := g.in
	for r := in.ColPtr[i]; r < in.ColPtr[i+1]; r++ {
		row := in.ColRow[r]
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			if t := in.Col[j]; t != i && in.Lower[t] < in.Upper[t] {
				f(t)
			}
		}
	}
}

// spread lets the cells grow from the queue's entries from at on.
func (c *cells) spread(g *giant, at int) {
	for ; at < len(c.queue); at++ {
		i := c.queue[at]
		k := c.of[i]
		if c.size[k] >= cellTargets {
			continue
		}
		c.neighbours(g, i, func(t int32) {
			if c.of[t] < 0 && c.size[k] < cellTargets {
				c.of[t] = k
				c.size[k]++
				c.queue = append(c.queue, t)
			}
		})
	}
}

// finish lists the targets of the cells and their borders. It returns false when
// limit is positive and all of them are more than limit.
func (c *cells) finish(g *giant, limit int) bool {
	n := len(c.size)
	c.ptr = resize(c.ptr, n+1)
	c.ptr[0] = 0
	for k, size := range c.size {
		c.ptr[k+1] = c.ptr[k] + size
	}
	c.list = resize(c.list, int(c.ptr[n]))
	at := append(c.size[:0], c.ptr[:n]...)
	for _, i := range c.queue {
		k := c.of[i]
		c.list[at[k]] = i
		at[k]++
	}
	c.size = at
	c.borderPtr, c.borderList = append(c.borderPtr[:0], 0), c.borderList[:0]
	for k := range int32(n) {
		stamp := c.next()
		for _, i := range c.inside(k) {
			c.neighbours(g, i, func(t int32) {
				if c.of[t] != k && c.mark[t] != stamp {
					c.mark[t] = stamp
					c.borderList = append(c.borderList, t)
				}
			})
		}
		c.borderPtr = append(c.borderPtr, int32(len(c.borderList)))
		if limit > 0 && len(c.list)+len(c.borderList) > limit {
			return false
		}
	}
	return true
}

// batches distributes the cells such that no two of a batch share a target,
// borders included.
func (c *cells) batches(g *giant) [][]int32 {
	n := c.len()
	c.batchOf = resize(c.batchOf, n)
	for k := range c.batchOf {
		c.batchOf[k] = -1
	}
	c.result = c.result[:0]
	c.order = c.order[:0]
	for left := n; left > 0; {
		stamp, begin := c.next(), len(c.order)
		for k := range int32(n) {
			if c.batchOf[k] >= 0 || !c.free(k, stamp) {
				continue
			}
			c.batchOf[k] = stamp
			c.order = append(c.order, k)
			left--
		}
		c.result = append(c.result, c.order[begin:len(c.order):len(c.order)])
	}
	return c.result
}

// free marks the targets of cell k if none of them is marked.
func (c *cells) free(k, stamp int32) bool {
	for _, list := range [...][]int32{c.inside(k), c.border(k)} {
		for _, i := range list {
			if c.mark[i] == stamp {
				return false
			}
		}
	}
	for _, list := range [...][]int32{c.inside(k), c.border(k)} {
		for _, i := range list {
			c.mark[i] = stamp
		}
	}
	return true
}
