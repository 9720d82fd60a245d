package lcqp

import (
	"encoding/binary"
	"io"
)

// Digest writes the rows, without names. Templates that differ only in names write equal bytes.
func (t *Template) Digest(w io.Writer) {
	put := func(data any) { _ = binary.Write(w, binary.LittleEndian, data) } // neither buffers nor sums fail
	put([]int32{int32(t.Targets), int32(t.Deep), int32(t.Constraints)})
	for _, x := range [][]int32{t.Ptr, t.Col, t.DeepPtr, t.DeepCol, t.RuleOf} {
		put(int64(len(x)))
		put(x)
	}
	for _, x := range [][]float64{t.Val, t.DeepVal, t.B0} {
		put(int64(len(x)))
		put(x)
	}
	put(t.Kinds)
}
