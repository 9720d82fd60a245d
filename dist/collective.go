package dist

import (
	"fmt"
	"unsafe"
)

// Float is what sums are of, Number what slices may be sent of.
type Float interface{ float32 | float64 }

// Number is a type whose slices can be sent.
type Number interface {
	float32 | float64 | int32 | int64 | uint64 | byte
}

// block is the number of entries that are summed at a time, so that what a sum needs
// beside its arrays stays small and in the cache. Short sums, of up to small numbers
// over all ranks, go in one message instead of two.
const (
	block = 1 << 20
	small = 1 << 12
)

// Sum replaces x by its sum over the ranks, entry by entry in the order of the ranks. x
// has one length on all ranks.
func Sum[T Float](c Comm, x []T) error { return SumParts(c, [][]T{x}, x) }

// SumParts writes to out, on every rank, the sum of the parts of all ranks: those of
// rank 0 in order, then those of rank 1 and so on, entry by entry. Ranks that share the
// same parts in another way get the same bits. All ranks have as many parts, at least
// one, each as long as out, which may be one of them if it is the first.
func SumParts[T Float](c Comm, parts [][]T, out []T) error {
	if len(parts) == 0 {
		return fmt.Errorf("dist: rank %d has nothing to add to a sum", c.Rank())
	}
	for _, p := range parts {
		if len(p) != len(out) {
			return fmt.Errorf("dist: a part of %d numbers in a sum of %d", len(p), len(out))
		}
	}
	if c.Size() == 1 {
		add(out, parts)
		return nil
	}
	if len(out)*len(parts)*c.Size() <= small {
		return sumGathered(c, parts, out)
	}
	s := summer[T]{c: c, parts: parts, out: out}
	for lo := 0; lo < len(out); lo += block {
		if err := s.block(lo, min(lo+block, len(out))); err != nil {
			return err
		}
	}
	return nil
}

// add sums parts of one length into out, in order.
func add[T Float](out []T, parts [][]T) {
	copy(out, parts[0])
	for _, p := range parts[1:] {
		for i, v := range p[:len(out)] {
			out[i] += v
		}
	}
}

// sumGathered is SumParts in one message: everything goes to everyone.
func sumGathered[T Float](c Comm, parts [][]T, out []T) error {
	n := len(out)
	send := make([]T, 0, n*len(parts))
	for _, p := range parts {
		send = append(send, p...)
	}
	recv, counts := make([]T, len(send)*c.Size()), make([]int, c.Size())
	for r := range counts {
		counts[r] = len(Bytes(send))
	}
	if err := c.AllGather(Bytes(send), Bytes(recv), counts); err != nil {
		return err
	}
	all := make([][]T, 0, len(parts)*c.Size())
	for lo := 0; lo < len(recv); lo += n {
		all = append(all, recv[lo:lo+n])
	}
	if n > 0 {
		add(out, all)
	}
	return nil
}

// summer sums blocks: each rank receives, adds and hands on its share of the entries.
type summer[T Float] struct {
	c          Comm
	parts      [][]T
	out        []T
	send, recv []T
}

func (s *summer[T]) block(lo, hi int) error {
	ranks, rank, p := s.c.Size(), s.c.Rank(), len(s.parts)
	cut := func(r int) int { return lo + (hi-lo)*r/ranks }
	size := int(unsafe.Sizeof(*new(T)))
	own := cut(rank+1) - cut(rank)
	sends, recvs, shares := make([]int, ranks), make([]int, ranks), make([]int, ranks)
	for r := range ranks {
		shares[r] = (cut(r+1) - cut(r)) * size
		sends[r], recvs[r] = p*shares[r], p*own*size
	}
	send := s.parts[0][lo:hi]
	if p > 1 {
		send = s.send[:0]
		for r := range ranks {
			for _, part := range s.parts {
				send = append(send, part[cut(r):cut(r+1)]...)
			}
		}
		s.send = send
	}
	if need := ranks * p * own; len(s.recv) < need {
		s.recv = make([]T, need)
	}
	recv := s.recv[:ranks*p*own]
	if err := s.c.AllToAll(Bytes(send), sends, Bytes(recv), recvs); err != nil {
		return err
	}
	sum := recv[:own]
	for lo := own; lo < len(recv); lo += own {
		for i, v := range recv[lo : lo+own] {
			sum[i] += v
		}
	}
	return s.c.AllGather(Bytes(sum), Bytes(s.out[lo:hi]), shares)
}

// Max replaces x by its maximum over the ranks, entry by entry; a NaN of any rank stays.
// It is for few numbers: all go to all ranks.
func Max(c Comm, x []float64) error {
	all, err := Gather(c, x)
	if err != nil {
		return err
	}
	for _, other := range all {
		for i := range x {
			x[i] = max(x[i], other[i])
		}
	}
	return nil
}

// Broadcast fills x with that of the rank root; it has one length on all ranks.
func Broadcast[T Number](c Comm, x []T, root int) error { return c.Broadcast(Bytes(x), root) }

// BroadcastText returns the text of the rank root on all ranks.
func BroadcastText(c Comm, text []byte, root int) ([]byte, error) {
	n := []int64{int64(len(text))}
	if err := Broadcast(c, n, root); err != nil {
		return nil, err
	}
	if c.Rank() != root {
		text = make([]byte, n[0])
	}
	return text, Broadcast(c, text, root)
}

// Gather returns the slices of all ranks by rank, which may differ in length.
func Gather[T Number](c Comm, x []T) ([][]T, error) {
	counts, err := lengths(c, []int64{int64(len(x))})
	if err != nil {
		return nil, err
	}
	size, total := int(unsafe.Sizeof(*new(T))), 0
	bytes := make([]int, c.Size())
	for r := range bytes {
		bytes[r] = int(counts[r]) * size
		total += int(counts[r])
	}
	recv := make([]T, total)
	if err := c.AllGather(Bytes(x), Bytes(recv), bytes); err != nil {
		return nil, err
	}
	return cutAt(recv, counts), nil
}

// Exchange sends send[r] to rank r, for every r, and returns what each rank has sent
// here, by rank. Lengths may differ and be zero.
func Exchange[T Number](c Comm, send [][]T) ([][]T, error) {
	if len(send) != c.Size() {
		return nil, fmt.Errorf("dist: %d slices for %d ranks", len(send), c.Size())
	}
	size := int(unsafe.Sizeof(*new(T)))
	mine, sends := make([]int64, len(send)), make([]int, len(send))
	var flat []T
	for r, x := range send {
		mine[r], sends[r] = int64(len(x)), len(x)*size
		flat = append(flat, x...)
	}
	all, err := lengths(c, mine)
	if err != nil {
		return nil, err
	}
	counts, recvs, total := make([]int64, len(send)), make([]int, len(send)), 0
	most := int64(0)
	for r := range send {
		counts[r] = all[r*len(send)+c.Rank()]
		recvs[r] = int(counts[r]) * size
		total += int(counts[r])
	}
	for r := range send {
		in, out := int64(0), int64(0)
		for k := range send {
			in, out = in+all[k*len(send)+r], out+all[r*len(send)+k]
		}
		most = max(most, in, out)
	}
	if most*int64(size) > MaxMessage { // on any rank, so that none waits
		return nil, fmt.Errorf("dist: an exchange of %d bytes at one rank, at most %d fit; send them in several", most*int64(size), MaxMessage)
	}
	recv := make([]T, total)
	if err := c.AllToAll(Bytes(flat), sends, Bytes(recv), recvs); err != nil {
		return nil, err
	}
	return cutAt(recv, counts), nil
}

// lengths gathers as many numbers of every rank.
func lengths(c Comm, mine []int64) ([]int64, error) {
	all, counts := make([]int64, len(mine)*c.Size()), make([]int, c.Size())
	for r := range counts {
		counts[r] = len(Bytes(mine))
	}
	return all, c.AllGather(Bytes(mine), Bytes(all), counts)
}

// cutAt cuts a slice into parts.
func cutAt[T any](x []T, counts []int64) [][]T {
	out := make([][]T, len(counts))
	for i, n := range counts {
		out[i], x = x[:n:n], x[n:]
	}
	return out
}

// Bytes is the memory of a slice.
func Bytes[T Number](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}
