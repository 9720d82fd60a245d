package pipe

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"hinge/train/exit"
)

// Version is the version of the protocol. MaxBody is the largest length of a frame's body.
const (
	Version = 1
	MaxBody = 1 << 32
)

// kind is the kind of a frame.
type kind uint32

const (
	hello     kind = 1
	load      kind = 2
	value     kind = 3
	pull      kind = 4
	free      kind = 5
	errorKind kind = 9
)

// headBytes is the length of a frame without its body.
const headBytes = 16

// lostError reports that it is not known where the next frame begins.
type lostError struct{ text string }

func (e *lostError) Error() string { return e.text }

// readFrame reads a frame into body, which grows as bytes arrive, not by the claimed length.
func readFrame(r *bufio.Reader, body []byte) (kind, []byte, error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = &lostError{"the input ends within the head of a frame"}
		}
		return 0, body, err
	}
	k, n := kind(binary.LittleEndian.Uint32(head[:])), binary.LittleEndian.Uint64(head[8:])
	switch {
	case k != hello && k != load && k != value && k != pull && k != free:
		return 0, body, &lostError{fmt.Sprintf("a frame of the unknown kind %d", k)}
	case binary.LittleEndian.Uint32(head[4:]) != 0:
		return 0, body, &lostError{"the second number of a frame is not 0"}
	case n > MaxBody:
		return 0, body, &lostError{fmt.Sprintf("a frame with a body of %d bytes, at most %d are allowed", n, int64(MaxBody))}
	}
	body = body[:0]
	const piece = 1 << 20
	for left := int(n); left > 0; {
		at, m := len(body), min(left, max(piece, cap(body)-len(body)))
		if cap(body) < at+m {
			body = append(make([]byte, 0, max(at+m, min(2*cap(body), at+left))), body...)
		}
		body = body[:at+m]
		if _, err := io.ReadFull(r, body[at:]); err != nil {
			return 0, body, &lostError{fmt.Sprintf("the input ends within a frame: %v", err)}
		}
		left -= m
	}
	return k, body, nil
}

// writeFrame writes a frame and sends it.
func writeFrame(w *bufio.Writer, k kind, body []byte) error {
	var head [headBytes]byte
	binary.LittleEndian.PutUint32(head[:], uint32(k))
	binary.LittleEndian.PutUint64(head[8:], uint64(len(body)))
	_, _ = w.Write(head[:]) // Flush has the error
	_, _ = w.Write(body)
	return w.Flush()
}

// appendFloats appends numbers to a body.
func appendFloats(body []byte, x []float64) []byte {
	for _, v := range x {
		body = binary.LittleEndian.AppendUint64(body, math.Float64bits(v))
	}
	return body
}

// cursor reads a body whose length is known to be enough.
type cursor struct{ rest []byte }

func (c *cursor) uint32() uint32 {
	v := binary.LittleEndian.Uint32(c.rest)
	c.rest = c.rest[4:]
	return v
}

func (c *cursor) int64() int64 {
	v := binary.LittleEndian.Uint64(c.rest)
	c.rest = c.rest[8:]
	return int64(v)
}

// floats reads n numbers into x, reusing its storage.
func (c *cursor) floats(x []float64, n int) []float64 {
	x = slices.Grow(x[:0], n)[:n]
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(c.rest[8*i:]))
	}
	c.rest = c.rest[8*n:]
	return x
}

// Serve answers requests from r on w until r ends, and returns the exit code.
func Serve(r io.Reader, w io.Writer) int {
	in, out := bufio.NewReaderSize(r, 1<<16), bufio.NewWriterSize(w, 1<<16)
	s := &session{programs: map[uint32]*program{}}
	var body []byte
	greeted := false
	for {
		k, next, err := readFrame(in, body)
		body = next
		switch {
		case errors.Is(err, io.EOF):
			return exit.OK
		case err == nil && !greeted && k != hello:
			err = &lostError{"the first frame is no hello"}
		}
		var reply []byte
		if err == nil {
			reply, err = s.answer(k, body)
			greeted = greeted || err == nil
		}
		if err != nil {
			k, reply = errorKind, append(binary.LittleEndian.AppendUint32(nil, uint32(exitCode(err))), err.Error()...)
		}
		if writeFrame(out, k, reply) != nil {
			return exit.OK // nobody reads
		}
		if _, ok := errors.AsType[*lostError](err); ok {
			return exit.Usage
		}
	}
}
