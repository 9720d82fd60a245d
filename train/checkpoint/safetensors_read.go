package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

const (
	// maxHeader is the format's own limit on the header, in bytes; maxTensors
	// and maxRank are ours.
	maxHeader  = 100_000_000
	maxTensors = 1 << 16
	maxRank    = 64
)

// Tensors is a parsed safetensors file. It refers to the file's bytes.
type Tensors struct {
	entries map[string]entry
	names   []string
}

// entry is one tensor of a parsed file.
type entry struct {
	dtype dtype
	shape []int
	data  []byte
	begin int
}

// ParseSafetensors reads a safetensors file from memory; it keeps data, which
// must not be changed afterwards. The file must be exactly as the format asks:
// no duplicate names, and data that the tensors cover without holes and
// overlaps. Nothing is allocated on the strength of a length that data does not
// bear out.
func ParseSafetensors(data []byte) (*Tensors, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("safetensors: %d bytes are too few: the file is cut off", len(data))
	}
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) || data[0] == 0x80 && data[1] <= 5 && data[7] != 0 {
		return nil, errors.New("safetensors: the file is one of torch.save, which holds a program; save the weights by save_file(net.state_dict(), \"net.safetensors\") of safetensors.torch")
	}
	size := binary.LittleEndian.Uint64(data)
	if size > maxHeader || size > uint64(len(data)-8) {
		if size > maxHeader && data[0] == 8 && data[1] < 32 { // the version of the format, which all writers of ONNX begin with
			return nil, errors.New("safetensors: the file looks like an ONNX model, whose network a model file takes whole (\"network\": {\"onnx\": PATH, …}); to take its weights alone, save them by save_file of safetensors.torch")
		}
		return nil, fmt.Errorf("safetensors: header of %d bytes in a file of %d (at most %d are allowed): the file is of another format, or cut off", size, len(data), maxHeader)
	}
	header, body := data[8:8+size], data[8+size:]
	if len(header) == 0 || header[0] != '{' {
		return nil, errors.New("safetensors: the header does not start with '{'")
	}
	if !utf8.Valid(header) {
		return nil, errors.New("safetensors: the header is not valid UTF-8")
	}
	t := &Tensors{entries: map[string]entry{}}
	if err := t.parseHeader(header); err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	if err := t.place(body); err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return t, nil
}

// parseHeader reads the JSON object of all tensors. It works on tokens because
// encoding/json lets the last of several equal keys win.
func (t *Tensors) parseHeader(header []byte) error {
	dec := json.NewDecoder(bytes.NewReader(header))
	dec.UseNumber()
	err := object(dec, func(key string) error {
		if key == metadataKey {
			if rest := bytes.TrimLeft(header[dec.InputOffset():], ": \t\r\n"); bytes.HasPrefix(rest, []byte("null")) {
				_, err := token(dec)
				return err
			}
			return object(dec, func(string) error {
				_, err := text(dec)
				return err
			})
		}
		if len(t.names) == maxTensors {
			return fmt.Errorf("more than %d tensors", maxTensors)
		}
		e, err := parseEntry(dec)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", key, err)
		}
		t.entries[key] = e
		t.names = append(t.names, key)
		return nil
	})
	if err != nil {
		return err
	}
	if rest := bytes.TrimRight(header[dec.InputOffset():], " "); len(rest) > 0 {
		return errors.New("text after the header's object")
	}
	slices.Sort(t.names)
	return nil
}

// parseEntry reads {"dtype": …, "shape": …, "data_offsets": …}.
func parseEntry(dec *json.Decoder) (entry, error) {
	var e entry
	var dtypeName string
	var offsets []int
	fields := 0
	err := object(dec, func(key string) (err error) {
		fields++
		switch key {
		case "dtype":
			dtypeName, err = text(dec)
		case "shape":
			e.shape, err = integers(dec, maxRank)
		case "data_offsets":
			offsets, err = integers(dec, 2)
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		return err
	})
	if err != nil {
		return e, err
	}
	if fields != 3 || len(offsets) != 2 {
		return e, errors.New("want dtype, shape and two data_offsets")
	}
	known := slices.IndexFunc(dtypes, func(d dtype) bool { return d.name == dtypeName })
	if known < 0 {
		return e, fmt.Errorf("element type %q is not supported; save the tensor as F32, F16 or BF16", dtypeName)
	}
	e.dtype = dtypes[known]
	n, ok := elements(e.shape)
	if !ok || n > math.MaxInt/e.dtype.size || offsets[1]-offsets[0] != n*e.dtype.size {
		return e, fmt.Errorf("shape %v of %s does not fill data_offsets %v", e.shape, e.dtype.name, offsets)
	}
	e.begin = offsets[0]
	return e, nil
}

// place gives every tensor its bytes and checks that together they are body.
func (t *Tensors) place(body []byte) error {
	order := slices.Clone(t.names)
	bytesOf := func(name string) int {
		e := t.entries[name]
		n, _ := elements(e.shape)
		return n * e.dtype.size
	}
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.entries[a].begin, t.entries[b].begin), cmp.Compare(bytesOf(a), bytesOf(b)))
	})
	offset := 0
	for _, name := range order {
		e, n := t.entries[name], bytesOf(name)
		if e.begin != offset {
			return fmt.Errorf("tensor %q begins at %d, want %d: the data has a hole or an overlap", name, e.begin, offset)
		}
		if n > len(body)-offset {
			return fmt.Errorf("tensor %q ends at %d, behind the %d bytes of data", name, e.begin+n, len(body))
		}
		e.data = body[offset : offset+n]
		t.entries[name] = e
		offset += n
	}
	if offset != len(body) {
		return fmt.Errorf("the tensors fill %d of %d bytes of data", offset, len(body))
	}
	return nil
}

// Names returns the names of all tensors, sorted.
func (t *Tensors) Names() []string { return slices.Clone(t.names) }

// Tensor returns a copy of the named tensor.
func (t *Tensors) Tensor(name string) (Tensor, error) {
	e, ok := t.entries[name]
	if !ok {
		return Tensor{}, fmt.Errorf("checkpoint: there is no tensor %q", name)
	}
	n, _ := elements(e.shape)
	out := Tensor{Name: name, Shape: slices.Clone(e.shape), Data: reflect.MakeSlice(e.dtype.slice, n, n).Interface()}
	if e.dtype.widen == nil {
		decode(out.Data, e.data)
		return out, nil
	}
	if err := e.dtype.widen(out.Data, e.data); err != nil {
		return Tensor{}, fmt.Errorf("checkpoint: tensor %q: %w", name, err)
	}
	return out, nil
}

// object calls field for each key of a JSON object, positioned at its value. A
// key that occurs twice is an error.
func object(dec *json.Decoder, field func(key string) error) error {
	if err := delim(dec, '{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for dec.More() {
		key, err := text(dec)
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("key %q occurs twice", key)
		}
		seen[key] = true
		if err := field(key); err != nil {
			return err
		}
	}
	return delim(dec, '}')
}

// integers reads a JSON array of at most limit non-negative integers.
func integers(dec *json.Decoder, limit int) ([]int, error) {
	if err := delim(dec, '['); err != nil {
		return nil, err
	}
	list := []int{}
	for dec.More() {
		number, err := value[json.Number](dec, "a number")
		if err != nil {
			return nil, err
		}
		v, err := strconv.ParseUint(number.String(), 10, strconv.IntSize-1)
		if err != nil {
			return nil, fmt.Errorf("%s is not an index", number)
		}
		if len(list) == limit {
			return nil, fmt.Errorf("a list of more than %d numbers", limit)
		}
		list = append(list, int(v))
	}
	return list, delim(dec, ']')
}

func text(dec *json.Decoder) (string, error) { return value[string](dec, "a string") }

// value reads a JSON string or number, as what says.
func value[T any](dec *json.Decoder, what string) (T, error) {
	tok, err := token(dec)
	v, ok := tok.(T)
	if err == nil && !ok {
		err = fmt.Errorf("found %v, want %s", tok, what)
	}
	return v, err
}

func delim(dec *json.Decoder, want json.Delim) error {
	tok, err := token(dec)
	if err == nil && tok != want {
		err = fmt.Errorf("found %v, want %v", tok, want)
	}
	return err
}

// token reads the next token; the end of the header is an error.
func token(dec *json.Decoder) (json.Token, error) {
	tok, err := dec.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return tok, err
}
