package collective

import (
	"errors"
	"fmt"
)

// Comm is a group of processes, each with a rank. All methods but Rank, Size and Abort
// are collective: every rank calls them in one order, and none returns before the ranks
// whose data it needs have called. Slices are sent as they are; the functions of this
// package do that for numbers.
type Comm interface {
	// Rank is this process, 0 to Size-1.
	Rank() int
	Size() int
	// Barrier returns when all ranks have called it.
	Barrier() error
	// Broadcast fills buf with the root rank's buf; it has one length on all ranks.
	Broadcast(buf []byte, root int) error
	// AllGather fills recv with the send of all ranks, in their order. counts holds
	// their lengths and is the same on all ranks; len(recv) is its sum.
	AllGather(send, recv []byte, counts []int) error
	// AllToAll sends consecutive parts of send to the ranks in order; sends holds the lengths
	// of the parts. It fills recv with the parts that the ranks sent here; recvs holds their
	// lengths. Neither send nor recv is longer than MaxMessage bytes.
	AllToAll(send []byte, sends []int, recv []byte, recvs []int) error
	// Abort ends all ranks with an exit code, of any that calls it. For a local group
	// it ends the collectives instead.
	Abort(code int)
	// Close leaves the group. It is the last call; a rank that ends without it ends all.
	Close() error
}

// MaxMessage is the largest number of bytes of an AllToAll: MPI counts them in 32 bits.
const MaxMessage = 1<<31 - 1

// ErrAborted is returned by the collectives of a local group after Abort.
var ErrAborted = errors.New("collective: the job was aborted")

// A StartError tells why a process cannot be a rank of its job: no MPI library, a wrong
// one, none in this program. It is the user's to mend (exit code 2).
type StartError struct{ Problem string }

func (e *StartError) Error() string { return e.Problem }

// Failed makes a StartError.
func Failed(format string, args ...any) error {
	return &StartError{fmt.Sprintf(format, args...)}
}
