package collective

import (
	"fmt"
	"unsafe"
)

// Float is the element type of slices that ranks can add up. Number is the element type of
// slices that ranks can exchange.
type Float interface{ float32 | float64 }

// Number is a type whose slices can be sent.
type Number interface {
	float32 | float64 | int32 | int64 | uint64 | byte
}

// block is the number of entries that are summed at a time, so that what a sum needs
// besides its arrays stays small and in the cache. Short sums, of up to small numbers
// over all ranks, go in one message instead of two.
const (
	block = 1 << 20
	small = 1 << 12
)

// Sum replaces x by its sum over the ranks, entry by entry in the order of the ranks. x
// has one length on all ranks.
func Sum[T Float](c Comm, x []T) error { return SumParts(c, [][]T{x}, x) }

// SumParts writes to out, on every rank, the sum of the parts of all ranks, entry by entry:
// rank 0's parts in order, then rank 1's and so on. Ranks that share the
// same parts in another way get the same bits. All ranks have as many parts, at least
// one, each as long as out, which may be one of them.
func SumParts[T Float](c Comm, parts [][]T, out []T) error {
	pieces := make([][][]T, len(parts))
	for i, p := range parts {
		pieces[i] = [][]T{p}
	}
	return SumPieces(c, pieces, [][]T{out}, 1)
}

// SumPieces is SumParts for arrays that lie in pieces, and multiplies the sum by a factor:
// parts[p][k] is the k-th piece of a part, as long as out[k], and may be out[k] itself.
func SumPieces[T Float](c Comm, parts [][][]T, out [][]T, factor T) error {
	if len(parts) == 0 {
		return fmt.Errorf("collective: rank %d has nothing to add to a sum", c.Rank())
	}
	n := 0
	for k, x := range out {
		n += len(x)
		for _, p := range parts {
			if len(p) != len(out) || len(p[k]) != len(x) {
				return fmt.Errorf("collective: the parts of a sum of %d pieces, piece %d of %d numbers, have others", len(out), k, len(x))
			}
		}
	}
	s := summer[T]{c: c, parts: parts, out: out, factor: factor}
	switch {
	case c.Size() == 1:
		s.alone()
		return nil
	case n*len(parts)*c.Size() <= small:
		return s.gathered(n)
	}
	for lo := 0; lo < n; lo += block {
		if err := s.block(lo, min(lo+block, n)); err != nil {
			return err
		}
	}
	return nil
}

// summer adds up parts in blocks of a long array. Each rank receives its share of every block,
// adds it and passes the sum on.
type summer[T Float] struct {
	c          Comm
	parts      [][][]T
	out        [][]T
	factor     T
	send, recv []T
}

func (s *summer[T]) alone() {
	for k, x := range s.out {
		for i := range x {
			sum := s.parts[0][k][i]
			for _, p := range s.parts[1:] {
				sum += p[k][i]
			}
			x[i] = s.factor * sum
		}
	}
}

// gathered sums n numbers in one message: everything goes to everyone.
func (s *summer[T]) gathered(n int) error {
	var send []T
	for _, p := range s.parts {
		for _, x := range p {
			send = append(send, x...)
		}
	}
	recv, err := GatherEqual(s.c, send)
	if err != nil {
		return err
	}
	s.store(0, s.add(recv, n))
	return nil
}

// block sums the entries from lo to hi.
func (s *summer[T]) block(lo, hi int) error {
	ranks, rank, p := s.c.Size(), s.c.Rank(), len(s.parts)
	cut := func(r int) int { return lo + (hi-lo)*r/ranks }
	size := int(unsafe.Sizeof(*new(T)))
	own := cut(rank+1) - cut(rank)
	sends, recvs, shares := make([]int, ranks), make([]int, ranks), make([]int, ranks)
	send := s.send[:0]
	for r := range ranks {
		shares[r] = (cut(r+1) - cut(r)) * size
		sends[r], recvs[r] = p*shares[r], p*own*size
		for _, part := range s.parts {
			within(part, cut(r), cut(r+1), func(x []T, _ int) { send = append(send, x...) })
		}
	}
	s.send = send
	if need := ranks * p * own; len(s.recv) < need {
		s.recv = make([]T, need)
	}
	recv := s.recv[:ranks*p*own]
	if err := s.c.AllToAll(Bytes(send), sends, Bytes(recv), recvs); err != nil {
		return err
	}
	all := send[:hi-lo] // the send buffer is free again
	if err := s.c.AllGather(Bytes(s.add(recv, own)), Bytes(all), shares); err != nil {
		return err
	}
	s.store(lo, all)
	return nil
}

// add sums consecutive runs of n numbers into the first, in order, and returns it times
// the factor.
func (s *summer[T]) add(runs []T, n int) []T {
	sum := runs[:n]
	for lo := n; lo < len(runs); lo += n {
		for i, v := range runs[lo : lo+n] {
			sum[i] += v
		}
	}
	if s.factor != 1 {
		for i := range sum {
			sum[i] *= s.factor
		}
	}
	return sum
}

// store puts numbers into the output, from entry lo on.
func (s *summer[T]) store(lo int, x []T) {
	within(s.out, lo, lo+len(x), func(to []T, at int) { copy(to, x[at-lo:]) })
}

// within calls f with what lies from entry lo up to hi of an array in pieces, and the
// entry that it begins at.
func within[T any](pieces [][]T, lo, hi int, f func(x []T, at int)) {
	at := 0
	for _, x := range pieces {
		if from, to := max(lo-at, 0), min(hi-at, len(x)); from < to {
			f(x[from:to], at+from)
		}
		at += len(x)
	}
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

// Broadcast fills x with the root rank's x; it has one length on all ranks.
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
	counts, err := GatherEqual(c, []int64{int64(len(x))})
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

// GatherEqual returns the slices of all ranks in one, in the order of the ranks. They
// have one length.
func GatherEqual[T Number](c Comm, x []T) ([]T, error) {
	all, counts := make([]T, len(x)*c.Size()), make([]int, c.Size())
	for r := range counts {
		counts[r] = len(Bytes(x))
	}
	return all, c.AllGather(Bytes(x), Bytes(all), counts)
}

// Exchange sends send[r] to rank r, for every r, and returns what each rank has sent
// here, by rank. Lengths may differ and be zero.
func Exchange[T Number](c Comm, send [][]T) ([][]T, error) {
	if len(send) != c.Size() {
		return nil, fmt.Errorf("collective: %d slices for %d ranks", len(send), c.Size())
	}
	size := int(unsafe.Sizeof(*new(T)))
	mine, sends := make([]int64, len(send)), make([]int, len(send))
	var flat []T
	for r, x := range send {
		mine[r], sends[r] = int64(len(x)), len(x)*size
		flat = append(flat, x...)
	}
	all, err := GatherEqual(c, mine)
	if err != nil {
		return nil, err
	}
	counts, recvs, total := make([]int64, len(send)), make([]int, len(send)), 0
	for r := range send {
		counts[r] = all[r*len(send)+c.Rank()]
		recvs[r] = int(counts[r]) * size
		total += int(counts[r])
	}
	if err := fits(all, len(send), int64(size)); err != nil {
		return nil, err
	}
	recv := make([]T, total)
	if err := c.AllToAll(Bytes(flat), sends, Bytes(recv), recvs); err != nil {
		return nil, err
	}
	return cutAt(recv, counts), nil
}

// fits is an error where a rank sends or receives more than one exchange takes: the same on
// all ranks, so that none waits. counts are the numbers sent, of size bytes each, by sender
// and receiver.
func fits(counts []int64, ranks int, size int64) error {
	most := int64(0)
	for r := range ranks {
		in, out := int64(0), int64(0)
		for k := range ranks {
			in, out = in+counts[k*ranks+r], out+counts[r*ranks+k]
		}
		most = max(most, in, out)
	}
	if most*size > MaxMessage {
		return fmt.Errorf("collective: an exchange of %d bytes at one rank, at most %d fit; send them in several", most*size, MaxMessage)
	}
	return nil
}

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
