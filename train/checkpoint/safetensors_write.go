package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// metadataKey is the header key that safetensors reserves for free text.
const metadataKey = "__metadata__"

// writeChunk is the number of elements converted at a time.
const writeChunk = 1 << 13

// WriteSafetensors writes the tensors in the safetensors format: the length of
// a JSON header as a little-endian 64-bit number, the header, and the data.
// Wider element types come first, so that every array is aligned to its element
// size; within a width they are sorted by name. Equal input gives equal bytes.
// Tensors with a bad name, shape or data are an error.
func WriteSafetensors(w io.Writer, tensors []Tensor) error {
	type placed struct {
		*Tensor
		dtype dtype
		n     int
	}
	order := make([]placed, len(tensors))
	for i := range tensors {
		t := &tensors[i]
		d, n, err := t.describe()
		if err != nil {
			return err
		}
		if want, ok := elements(t.Shape); !ok || want != n {
			return fmt.Errorf("tensor %q has shape %v but %d elements", t.Name, t.Shape, n)
		}
		if t.Name == "" || t.Name == metadataKey || !utf8.ValidString(t.Name) {
			return fmt.Errorf("%q is not a valid tensor name", t.Name)
		}
		order[i] = placed{t, d, n}
	}
	if len(tensors) > maxTensors {
		return fmt.Errorf("%d tensors, want at most %d", len(tensors), maxTensors)
	}
	slices.SortFunc(order, func(a, b placed) int {
		return cmp.Or(cmp.Compare(b.dtype.size, a.dtype.size), cmp.Compare(a.Name, b.Name))
	})

	var header bytes.Buffer
	names := make(map[string]bool, len(order))
	offset := 0
	for i, t := range order {
		if names[t.Name] {
			return fmt.Errorf("two tensors are named %q", t.Name)
		}
		names[t.Name] = true
		name, err := json.Marshal(t.Name)
		if err != nil {
			return err
		}
		shape, err := json.Marshal(append([]int{}, t.Shape...))
		if err != nil {
			return err
		}
		sep := byte(',')
		if i == 0 {
			sep = '{'
		}
		header.WriteByte(sep)
		end := offset + t.n*t.dtype.size
		fmt.Fprintf(&header, `%s:{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, name, t.dtype.name, shape, offset, end)
		offset = end
	}
	if len(order) == 0 {
		header.WriteByte('{')
	}
	header.WriteByte('}')
	for header.Len()%8 != 0 {
		header.WriteByte(' ')
	}
	if header.Len() > maxHeader {
		return fmt.Errorf("safetensors header has %d bytes, want at most %d", header.Len(), maxHeader)
	}

	buf := binary.LittleEndian.AppendUint64(make([]byte, 0, 8*writeChunk), uint64(header.Len()))
	if _, err := w.Write(append(buf, header.Bytes()...)); err != nil {
		return err
	}
	write := func(data any, n int) error {
		for from := 0; from < n; from += writeChunk {
			buf = appendElements(buf[:0], data, from, min(from+writeChunk, n))
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
		return nil
	}
	for _, t := range order {
		parts, ok := t.Data.([][]float32)
		if !ok {
			if err := write(t.Data, t.n); err != nil {
				return err
			}
		}
		for _, part := range parts {
			if err := write(part, len(part)); err != nil {
				return err
			}
		}
	}
	return nil
}
