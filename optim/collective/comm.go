package collective

import (
	"errors"
	"fmt"
	"strings"
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

// RankError is an error that all ranks know of.
type RankError struct {
	// Rank is the lowest that has an error, Code the exit code it gives it.
	Rank, Code int
	Text       string
	// Err is the error itself, on that rank alone.
	Err error
}

func (e *RankError) Error() string {
	if e.Rank == 0 {
		return e.Text
	}
	return fmt.Sprintf("rank %d: %s", e.Rank, e.Text)
}

func (e *RankError) Unwrap() error { return e.Err }

// Agree turns an error of one rank into an error of all ranks, a *RankError. It returns nil if
// no rank has an error; in a group of one it returns err unchanged. code returns the exit code
// for an error. All ranks call Agree after an operation that may fail on some of them alone,
// such as reading files, and before the next collective.
func Agree(c Comm, err error, code func(error) int) error {
	if c.Size() == 1 {
		return err
	}
	own := []int64{0, 0}
	var text []byte
	if err != nil {
		own[0], own[1], text = 1, int64(code(err)), []byte(err.Error())
	}
	all, failed := GatherEqual(c, own)
	if failed != nil {
		return failed
	}
	for r := range c.Size() {
		if all[2*r] == 0 {
			continue
		}
		text, failed := BroadcastText(c, text, r)
		if failed != nil {
			return failed
		}
		e := &RankError{Rank: r, Code: int(all[2*r+1]), Text: string(text)}
		if r == c.Rank() {
			e.Err = err
		}
		return e
	}
	return nil
}

// Unlike names the ranks whose checksum is not that of rank 0, such as "rank 1, rank 3"; "" for
// none. All ranks call it and get the same.
func Unlike(c Comm, sum uint32) (ranks string, err error) {
	all, err := GatherEqual(c, []uint64{uint64(sum)})
	if err != nil {
		return "", err
	}
	var unlike []string
	for r, other := range all {
		if other != all[0] {
			unlike = append(unlike, fmt.Sprintf("rank %d", r))
		}
	}
	return strings.Join(unlike, ", "), nil
}
