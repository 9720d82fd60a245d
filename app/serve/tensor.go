package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	tensors "gorgonia.org/tensor"

	"hinge/symbolic/psl"
)

// floats hands the numbers of a tensor FP32 to a function.
func (in *inputTensor) floats(add func(v float64) error) (err error) {
	if in.binary {
		err = floatsOf(in.raw, volume(in.Shape), add)
	} else {
		err = readTensor(in.Data, in.Shape, add)
	}
	if err != nil {
		return fmt.Errorf("input %q, data: %w", in.Name, err)
	}
	return nil
}

// pixels reads the numbers of a tensor, each in [0, 1], as bytes 0 to 255.
func (in *inputTensor) pixels() ([]uint8, error) {
	out := make([]uint8, 0, volume(in.Shape))
	err := in.floats(func(v float64) error {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("%v is outside [0, 1]", v)
		}
		out = append(out, uint8(math.Round(255*v)))
		return nil
	})
	return out, err
}

// texts are those of a tensor BYTES [n, fields], or [n] where there is one field.
func (in *inputTensor) texts(n, fields int) (list []string, err error) {
	flat := slices.Equal(in.Shape, []int{n}) && fields == 1
	if in.Datatype != "BYTES" || !flat && !slices.Equal(in.Shape, []int{n, fields}) {
		return nil, fmt.Errorf("input %q has datatype %.40q and shape %.80s; want BYTES and [%d %d]", in.Name, in.Datatype, fmt.Sprint(in.Shape), n, fields)
	}
	if in.binary {
		list, err = textsOf(in.raw)
	} else {
		list, err = in.textsOfJSON(fields)
	}
	if err != nil {
		return nil, fmt.Errorf("input %q, data: %w", in.Name, err)
	}
	if len(list) != n*fields {
		return nil, fmt.Errorf("input %q has %s, the shape says %d", in.Name, psl.Count(len(list), "text"), n*fields)
	}
	return list, nil
}

// textsOfJSON reads texts, or arrays of fields texts each.
func (in *inputTensor) textsOfJSON(fields int) (list []string, err error) {
	var all []*string // nil for null, which as a string would be empty
	if err := json.Unmarshal(in.Data, &all); err != nil {
		var rows [][]*string
		if json.Unmarshal(in.Data, &rows) != nil {
			return nil, fmt.Errorf("want an array of texts: %w", err)
		}
		if k := slices.IndexFunc(rows, func(row []*string) bool { return len(row) != fields }); k >= 0 {
			return nil, fmt.Errorf("array %d has %s, the shape says %d", k, psl.Count(len(rows[k]), "text"), fields)
		}
		all = slices.Concat(rows...)
	}
	for i, text := range all {
		if text == nil {
			return nil, fmt.Errorf("text %d is null", i)
		}
		list = append(list, *text)
	}
	return list, nil
}

// volume is the product of a shape.
func volume(shape []int) int { return tensors.ProdInts(shape) }

// readTensor hands the numbers of a tensor, flat or nested as its shape, to a function. The
// text is known to be JSON.
func readTensor(text json.RawMessage, shape []int, add func(v float64) error) error {
	r := &tensorReader{text: text, add: add}
	if !r.token('[') {
		return fmt.Errorf("want an array of %d numbers", volume(shape))
	}
	nested := r.peek() == '['
	if r.at = 0; !nested {
		shape = []int{volume(shape)}
	}
	return r.array(shape)
}

// tensorReader reads nested arrays of numbers.
type tensorReader struct {
	text []byte
	at   int
	read int // numbers
	add  func(v float64) error
}

// peek is the next byte that is no space, 0 at the end.
func (r *tensorReader) peek() byte {
	for r.at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n"), r.text[r.at]) >= 0 {
		r.at++
	}
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// token takes the next byte if it is c.
func (r *tensorReader) token(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

func (r *tensorReader) array(shape []int) error {
	if !r.token('[') {
		return fmt.Errorf("number %d: want an array of %d", r.read, shape[0])
	}
	for i := range shape[0] {
		if i > 0 && !r.token(',') {
			return fmt.Errorf("number %d: an array has %s, the shape says %d", r.read, psl.Count(i, "element"), shape[0])
		}
		var err error
		if len(shape) > 1 {
			err = r.array(shape[1:])
		} else {
			err = r.number()
		}
		if err != nil {
			return err
		}
	}
	if !r.token(']') {
		return fmt.Errorf("number %d: an array has more than the %d elements that the shape says", r.read, shape[0])
	}
	return nil
}

func (r *tensorReader) number() error {
	r.peek()
	end := bytes.IndexAny(r.text[r.at:], ",] \t\r\n")
	text := r.text[r.at : r.at+max(end, 0)]
	v, err := strconv.ParseFloat(string(text), 64)
	switch {
	case len(text) == 0:
		return fmt.Errorf("number %d: an array is shorter than the shape says", r.read)
	case err != nil:
		return fmt.Errorf("number %d: %.20q is not a number", r.read, text)
	}
	if err := r.add(v); err != nil {
		return fmt.Errorf("number %d: %w", r.read, err)
	}
	r.at += end
	r.read++
	return nil
}
