package collective

import "fmt"

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

// Agree makes an error of one rank one of all, a *RankError; it returns nil where no rank
// has one, and err as it is in a group of one. code gives the exit code of an error. All
// ranks call it after what may fail on some of them alone, such as reading files, and
// before the next collective.
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
