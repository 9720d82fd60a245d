package patches

import (
	"hinge/symbolic/infer/internal/problem"
)

// subdomains are disjoint sets of neighbouring targets, each with its overlap: the
// other targets of the rows that touch it.
type subdomains struct {
	of    []int32 // subdomain of each target, −1 for none
	queue []int32
	size  []int32 // by subdomain while they grow

	ptr, list               []int32 // targets of each subdomain
	overlapPtr, overlapList []int32
	mark                    []int32 // by target, for sets
	stamp                   int32
	batchOf                 []int32
	order                   []int32
	result                  [][]int32
}

func (c *subdomains) len() int               { return len(c.ptr) - 1 }
func (c *subdomains) inside(k int32) []int32 { return c.list[c.ptr[k]:c.ptr[k+1]] }
func (c *subdomains) overlap(k int32) []int32 {
	return c.overlapList[c.overlapPtr[k]:c.overlapPtr[k+1]]
}

// next returns a stamp that no entry of mark holds.
func (c *subdomains) next() int32 {
	c.stamp++
	return c.stamp
}

func (c *subdomains) reset(g *Decomposition) {
	n := g.in.Targets
	c.of = problem.Resize(c.of, n)
	if len(c.mark) < n {
		c.mark, c.stamp = make([]int32, n), 0
	}
	for _, i := range g.comp.Targets {
		c.of[i] = -1
	}
	c.queue, c.size = c.queue[:0], c.size[:0]
}

// partition makes subdomains of all free targets. It returns false when the subdomains
// have too much overlap.
func (c *subdomains) partition(g *Decomposition) bool {
	c.reset(g)
	targets := g.comp.Targets
	for n := 0; n < len(targets); n += subdomainTargets {
		c.seed(g, targets[n])
	}
	c.spread(g, 0)
	for _, i := range targets {
		if at := len(c.queue); c.seed(g, i) {
			c.spread(g, at)
		}
	}
	return c.finish(g, int(mostOverlap*float64(len(targets))))
}

// grow makes subdomains around the dirty targets. Seeds are dirty targets, a third
// of a subdomain apart or more; all grow at the same pace.
func (c *subdomains) grow(g *Decomposition) {
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
		for n := 0; n < len(ball) && len(ball) < subdomainTargets/3; n++ {
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

// seed starts a subdomain at target i unless it is taken or fixed.
func (c *subdomains) seed(g *Decomposition, i int32) bool {
	if c.of[i] >= 0 || g.fixed(i) {
		return false
	}
	c.of[i] = int32(len(c.size))
	c.size = append(c.size, 1)
	c.queue = append(c.queue, i)
	return true
}

// neighbours calls f with the free targets that share a row with target i.
func (c *subdomains) neighbours(g *Decomposition, i int32, f func(t int32)) {
	in := g.in
	for _, row := range in.RowsOf(i) {
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			if t := in.Col[j]; t != i && in.Lower[t] < in.Upper[t] {
				f(t)
			}
		}
	}
}

// spread lets the subdomains grow from the queue's entries from at on.
func (c *subdomains) spread(g *Decomposition, at int) {
	for ; at < len(c.queue); at++ {
		i := c.queue[at]
		k := c.of[i]
		if c.size[k] >= subdomainTargets {
			continue
		}
		c.neighbours(g, i, func(t int32) {
			if c.of[t] < 0 && c.size[k] < subdomainTargets {
				c.of[t] = k
				c.size[k]++
				c.queue = append(c.queue, t)
			}
		})
	}
}

// finish lists the targets of the subdomains and their overlaps. It returns false when
// limit is positive and all of them are more than limit.
func (c *subdomains) finish(g *Decomposition, limit int) bool {
	n := len(c.size)
	c.ptr = problem.Resize(c.ptr, n+1)
	c.ptr[0] = 0
	for k, size := range c.size {
		c.ptr[k+1] = c.ptr[k] + size
	}
	c.list = problem.Resize(c.list, int(c.ptr[n]))
	at := append(c.size[:0], c.ptr[:n]...)
	for _, i := range c.queue {
		k := c.of[i]
		c.list[at[k]] = i
		at[k]++
	}
	c.size = at
	c.overlapPtr, c.overlapList = append(c.overlapPtr[:0], 0), c.overlapList[:0]
	for k := range int32(n) {
		stamp := c.next()
		for _, i := range c.inside(k) {
			c.neighbours(g, i, func(t int32) {
				if c.of[t] != k && c.mark[t] != stamp {
					c.mark[t] = stamp
					c.overlapList = append(c.overlapList, t)
				}
			})
		}
		c.overlapPtr = append(c.overlapPtr, int32(len(c.overlapList)))
		if limit > 0 && len(c.list)+len(c.overlapList) > limit {
			return false
		}
	}
	return true
}

// batches distributes the subdomains such that no two of a batch share a target,
// overlaps included.
func (c *subdomains) batches(g *Decomposition) [][]int32 {
	n := c.len()
	c.batchOf = problem.Resize(c.batchOf, n)
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

// free marks the targets of subdomain k if none of them is marked.
func (c *subdomains) free(k, stamp int32) bool {
	for _, list := range [...][]int32{c.inside(k), c.overlap(k)} {
		for _, i := range list {
			if c.mark[i] == stamp {
				return false
			}
		}
	}
	for _, list := range [...][]int32{c.inside(k), c.overlap(k)} {
		for _, i := range list {
			c.mark[i] = stamp
		}
	}
	return true
}
