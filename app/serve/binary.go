package serve

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// The binary tensor data extension of the protocol: the elements of a tensor in row-major order,
// little-endian, a text as its length in 4 bytes and then its bytes.

// floatsOf hands the FP32 numbers in raw, of which there have to be n, to a function.
func floatsOf(raw []byte, n int, add func(v float64) error) error {
	if len(raw) != 4*n {
		return fmt.Errorf("%d bytes for %d numbers of 4 bytes", len(raw), n)
	}
	for i := range n {
		if err := add(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))); err != nil {
			return fmt.Errorf("number %d: %w", i, err)
		}
	}
	return nil
}

// textsOf returns the texts in raw.
func textsOf(raw []byte) ([]string, error) {
	var list []string
	for len(raw) > 0 {
		if len(raw) < 4 || uint64(binary.LittleEndian.Uint32(raw)) > uint64(len(raw)-4) {
			return nil, fmt.Errorf("text %d is longer than the bytes that are left", len(list))
		}
		end := 4 + int(binary.LittleEndian.Uint32(raw))
		if !utf8.Valid(raw[4:end]) {
			return nil, fmt.Errorf("text %d is not UTF-8", len(list))
		}
		list, raw = append(list, string(raw[4:end])), raw[end:]
	}
	return list, nil
}

// raw returns the bytes of an output, NaN for a number that there is not.
func (t *tensor) raw() (b []byte) {
	switch data := t.Data.(type) {
	case []string:
		for _, text := range data {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
		}
		return b
	case []*float64:
		for _, v := range data {
			if v == nil {
				v = new(math.NaN())
			}
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(*v))
		}
		return b
	case []float64:
		if t.Datatype == "FP32" {
			for _, v := range data {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
			}
			return b
		}
	}
	b, _ = binary.Append(nil, binary.LittleEndian, t.Data) // slices of numbers have a size
	return b
}
