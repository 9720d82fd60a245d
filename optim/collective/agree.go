package collective

import (
	"fmt"
	"strings"
)

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
