package collective

import (
	"fmt"
	"sync"
)

// Local returns the ranks of a group in this process; each is for a goroutine of its own. A
// program that was started alone has a group of one.
func Local(size int) []Comm {
	if size < 1 {
		panic(fmt.Sprintf("collective: a group of %d ranks", size))
	}
	g := &group{send: make([][]byte, size), counts: make([][]int, size)}
	g.changed.L = &g.mu
	ranks := make([]Comm, size)
	for r := range ranks {
		ranks[r] = &local{g, r}
	}
	return ranks
}

// group is the state that the ranks of Local share. A collective has two halves, and all ranks
// begin each half together: first every rank shows what it sends, then every rank copies what
// it receives.
type group struct {
	mu      sync.Mutex
	changed sync.Cond
	arrived int  // at the barrier
	turn    uint // barriers that all have passed
	aborted bool

	send   [][]byte
	counts [][]int
}

type local struct {
	*group
	rank int
}

func (c *local) Rank() int { return c.rank }
func (c *local) Size() int { return len(c.send) }

func (c *local) Barrier() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	turn := c.turn
	if c.arrived++; c.arrived == c.Size() {
		c.arrived = 0
		c.turn++
		c.changed.Broadcast()
	}
	for turn == c.turn && !c.aborted {
		c.changed.Wait()
	}
	if c.aborted {
		return ErrAborted
	}
	return nil
}

// meet shows what this rank sends, and calls take when all have.
func (c *local) meet(send []byte, counts []int, take func()) error {
	c.send[c.rank], c.counts[c.rank] = send, counts
	if err := c.Barrier(); err != nil {
		return err
	}
	take()
	return c.Barrier()
}

func (c *local) Broadcast(buf []byte, root int) error {
	return c.meet(buf, nil, func() {
		if c.rank != root {
			copy(buf, c.send[root])
		}
	})
}

func (c *local) AllGather(send, recv []byte, counts []int) error {
	// The ranks may send from where they receive: copied once, and then spread.
	own := append([]byte(nil), send...)
	return c.meet(own, nil, func() {
		for r, n := range counts {
			copy(recv[:n], c.send[r])
			recv = recv[n:]
		}
	})
}

func (c *local) AllToAll(send []byte, sends []int, recv []byte, recvs []int) error {
	return c.meet(send, sends, func() {
		for r, n := range recvs {
			from := 0
			for _, other := range c.counts[r][:c.rank] {
				from += other
			}
			copy(recv[:n], c.send[r][from:])
			recv = recv[n:]
		}
	})
}

func (c *local) Abort(int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aborted = true
	c.changed.Broadcast()
}

func (c *local) Close() error { return nil }
