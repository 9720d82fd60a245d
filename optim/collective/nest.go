package collective

import "slices"

// Nest returns n ranks in this process, for a goroutine each, of a group of n·c.Size() ranks.
// The k-th has number n·c.Rank() + k; every process of c must call Nest with the same n. In a
// collective the n goroutines meet first, and then goroutine 0 takes part in the collective of
// c for all of them. Abort ends the collectives of this process and leaves c to its caller;
// Close does nothing.
func Nest(c Comm, n int) []Comm {
	inner := Local(n)
	if c.Size() == 1 {
		return inner
	}
	shared := &nest{outer: c, box: make([]parcel, n)}
	ranks := make([]Comm, n)
	for k := range ranks {
		ranks[k] = &nested{inner[k], shared}
	}
	return ranks
}

// nest is the state that the ranks of Nest share: the buffers that each sends and receives.
type nest struct {
	outer Comm
	box   []parcel
	err   error
}

type parcel struct {
	send, recv   []byte
	sends, recvs []int
}

type nested struct {
	inner Comm
	*nest
}

func (c *nested) Rank() int { return c.outer.Rank()*len(c.box) + c.inner.Rank() }
func (c *nested) Size() int { return c.outer.Size() * len(c.box) }

// lead calls f on the 0-th rank of the process when all have shown their parcels, and
// returns its error on all.
func (c *nested) lead(own parcel, f func() error) error {
	c.box[c.inner.Rank()] = own
	if err := c.inner.Barrier(); err != nil {
		return err
	}
	if c.inner.Rank() == 0 {
		c.err = f()
	}
	if err := c.inner.Barrier(); err != nil {
		return err
	}
	return c.err
}

func (c *nested) Barrier() error { return c.lead(parcel{}, c.outer.Barrier) }

func (c *nested) Broadcast(buf []byte, root int) error {
	n := len(c.box)
	return c.lead(parcel{recv: buf}, func() error {
		from := buf
		if root/n == c.outer.Rank() {
			from = c.box[root%n].recv
		}
		err := c.outer.Broadcast(from, root/n)
		for _, p := range c.box {
			copy(p.recv, from)
		}
		return err
	})
}

func (c *nested) AllGather(send, recv []byte, counts []int) error {
	return c.lead(parcel{send: send, recv: recv}, func() error {
		var all []byte
		for _, p := range c.box {
			all = append(all, p.send...)
		}
		var byProcess []int
		for ranks := range slices.Chunk(counts, len(c.box)) {
			byProcess = append(byProcess, sum(ranks))
		}
		err := c.outer.AllGather(all, recv, byProcess)
		for _, p := range c.box[1:] {
			copy(p.recv, recv)
		}
		return err
	})
}

// AllToAll implements Comm. What goes from one process to another lies by sending rank,
// and for each by receiving one.
func (c *nested) AllToAll(send []byte, sends []int, recv []byte, recvs []int) error {
	return c.lead(parcel{send, recv, sends, recvs}, func() error {
		n := len(c.box)
		var out []byte
		outs, ins, total := make([]int, c.outer.Size()), make([]int, c.outer.Size()), 0
		rest := make([][]byte, n) // of what each rank sends, then of where it receives
		for k, p := range c.box {
			rest[k] = p.send
		}
		for r := range outs {
			for k, p := range c.box {
				bytes := sum(p.sends[r*n : (r+1)*n])
				out, rest[k] = append(out, rest[k][:bytes]...), rest[k][bytes:]
				outs[r] += bytes
				ins[r] += sum(p.recvs[r*n : (r+1)*n])
			}
			total += ins[r]
		}
		in := make([]byte, total)
		if err := c.outer.AllToAll(out, outs, in, ins); err != nil {
			return err
		}
		for k, p := range c.box {
			rest[k] = p.recv
		}
		for from := range c.Size() {
			for k, p := range c.box {
				copy(rest[k], in[:p.recvs[from]])
				in, rest[k] = in[p.recvs[from]:], rest[k][p.recvs[from]:]
			}
		}
		return nil
	})
}

func sum(x []int) (total int) {
	for _, v := range x {
		total += v
	}
	return total
}

func (c *nested) Abort(code int) { c.inner.Abort(code) }

func (c *nested) Close() error { return nil }
