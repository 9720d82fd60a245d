package onnxnet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/x448/float16"
	tensors "gorgonia.org/tensor"
)

// The kinds of numbers.
const (
	kindFloat, kindUint8, kindInt8, kindUint16, kindInt16, kindInt32, kindInt64 = 1, 2, 3, 4, 5, 6, 7
	kindText, kindBool, kindHalf, kindDouble, kindUint32, kindUint64, kindBrain = 8, 9, 10, 11, 12, 13, 16
)

// widths are their bytes.
var widths = map[int]int{kindFloat: 4, kindUint8: 1, kindInt8: 1, kindUint16: 2, kindInt16: 2, kindInt32: 4, kindInt64: 8,
	kindBool: 1, kindHalf: 2, kindDouble: 8, kindUint32: 4, kindUint64: 8, kindBrain: 2}

// fractional reports whether numbers of a kind have fractions.
func fractional(kind int) bool {
	return kind == kindFloat || kind == kindHalf || kind == kindDouble || kind == kindBrain
}

// tensor is an array of a file: its numbers are floats where 32 bits hold them, else doubles,
// integers among them.
type tensor struct {
	name    string
	shape   []int
	kind    int
	floats  []float32
	doubles []float64
	learned bool
	fixed   bool // no parameter, by the file
}

func (t *tensor) size() int { return product(t.shape) }

// at is one of its numbers.
func (t *tensor) at(i int) float64 {
	if t.floats != nil {
		return float64(t.floats[i])
	}
	return t.doubles[i]
}

// numbers are all of them.
func (t *tensor) numbers() []float64 {
	if t.floats == nil {
		return t.doubles
	}
	return doublesOf(t.floats)
}

// readTensor reads TensorProto; data of its own file lies in the folder.
func readTensor(p *onnx.TensorProto, folder string) (*tensor, error) {
	t := &tensor{name: p.GetName(), kind: int(p.GetDataType())}
	width := widths[t.kind]
	if width == 0 {
		return nil, fmt.Errorf("tensor %q has numbers of the kind %d, want floats of 16, 32 or 64 bits, or integers of 8 to 64", t.name, t.kind)
	}
	n := 1
	for _, d := range p.GetDims() {
		if d < 0 || d > 0 && int64(n) > math.MaxInt32/d {
			return nil, fmt.Errorf("tensor %q has the shape %v", t.name, p.GetDims())
		}
		n *= int(d)
		t.shape = append(t.shape, int(d))
	}
	raw := p.GetRawData()
	if p.GetDataLocation() == onnx.TensorProto_EXTERNAL {
		var err error
		if raw, err = external(p, folder, n*width); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.name, err)
		}
	}
	if raw != nil && len(raw) != n*width {
		return nil, fmt.Errorf("tensor %q has %d bytes for the shape %v", t.name, len(raw), t.shape)
	}
	if raw != nil {
		t.decode(raw, n, width)
	} else {
		t.typed(p)
	}
	if have := len(t.floats) + len(t.doubles); have != n {
		return nil, fmt.Errorf("tensor %q has %d numbers for the shape %v", t.name, have, t.shape)
	}
	return t, nil
}

// external reads the data of a tensor from a file in the folder of the model, and from no other
// place.
func external(p *onnx.TensorProto, folder string, size int) ([]byte, error) {
	place, offset, length := "", int64(0), int64(size)
	for _, e := range p.GetExternalData() {
		var err error
		switch e.GetKey() {
		case "location":
			place = e.GetValue()
		case "offset":
			offset, err = strconv.ParseInt(e.GetValue(), 10, 64)
		case "length":
			length, err = strconv.ParseInt(e.GetValue(), 10, 64)
		}
		if err != nil {
			return nil, fmt.Errorf("the %s of its data is %q", e.GetKey(), e.GetValue())
		}
	}
	switch {
	case folder == "":
		return nil, fmt.Errorf("its data lies in the file %q, which Load finds beside the model", place)
	case !filepath.IsLocal(filepath.FromSlash(place)):
		return nil, fmt.Errorf("its data lies in %q, which is no file below the model's folder", place)
	case length != int64(size) || offset < 0:
		return nil, fmt.Errorf("%d bytes from %d on of %q for %d", length, offset, place, size)
	}
	root, err := os.OpenRoot(folder) // no link leads out of it
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // it is read
	file, err := root.Open(filepath.FromSlash(place))
	if err != nil {
		return nil, fmt.Errorf("its data lies in the file %q, which belongs beside the model: copy it there, or export without external data (%w)", place, err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() < offset+length {
		return nil, fmt.Errorf("%q ends before byte %d", place, offset+length)
	}
	raw := make([]byte, size)
	_, err = io.ReadFull(io.NewSectionReader(file, offset, length), raw)
	return raw, err
}

// decode reads numbers as they lie in memory.
func (t *tensor) decode(raw []byte, n, width int) {
	little := binary.LittleEndian
	if t.kind == kindFloat || t.kind == kindHalf || t.kind == kindBrain {
		t.floats = make([]float32, n)
	} else {
		t.doubles = make([]float64, n)
	}
	for i := range n {
		b := raw[i*width:]
		switch t.kind {
		case kindFloat:
			t.floats[i] = math.Float32frombits(little.Uint32(b))
		case kindHalf:
			t.floats[i] = float16.Frombits(little.Uint16(b)).Float32()
		case kindBrain:
			t.floats[i] = math.Float32frombits(uint32(little.Uint16(b)) << 16)
		case kindDouble:
			t.doubles[i] = math.Float64frombits(little.Uint64(b))
		case kindInt8:
			t.doubles[i] = float64(int8(b[0]))
		case kindUint8, kindBool:
			t.doubles[i] = float64(b[0])
		case kindInt16:
			t.doubles[i] = float64(int16(little.Uint16(b)))
		case kindUint16:
			t.doubles[i] = float64(little.Uint16(b))
		case kindInt32:
			t.doubles[i] = float64(int32(little.Uint32(b)))
		case kindUint32:
			t.doubles[i] = float64(little.Uint32(b))
		case kindInt64:
			t.doubles[i] = float64(int64(little.Uint64(b)))
		case kindUint64:
			t.doubles[i] = float64(little.Uint64(b))
		}
	}
}

// typed takes numbers from the fields of their kinds.
func (t *tensor) typed(p *onnx.TensorProto) {
	switch t.kind {
	case kindFloat:
		t.floats = p.GetFloatData()
	case kindHalf, kindBrain: // their bits
		var raw []byte
		for _, v := range p.GetInt32Data() {
			raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
		}
		t.decode(raw, len(raw)/2, 2)
	case kindDouble:
		t.doubles = p.GetDoubleData()
	case kindInt64:
		t.doubles = doublesOf(p.GetInt64Data())
	case kindUint32, kindUint64:
		t.doubles = doublesOf(p.GetUint64Data())
	default:
		t.doubles = doublesOf(p.GetInt32Data())
	}
}

// converted are numbers as those of another type.
func converted[To, From int | int32 | int64 | uint64 | float32 | float64](list []From) []To {
	out := make([]To, len(list))
	for i, v := range list {
		out[i] = To(v)
	}
	return out
}

func doublesOf[V int | int32 | int64 | uint64 | float32](list []V) []float64 {
	return converted[float64](list)
}

// rounded is a number as one of fewer digits: of half or brain floats, or of integers, which
// lose their fraction and what their bits do not hold.
func rounded(v float64, kind int) float64 {
	switch {
	case kind == kindBool:
		if v != 0 {
			return 1
		}
		return 0
	case kind == kindFloat || kind == kindDouble || !fractional(kind) && (math.IsNaN(v) || math.IsInf(v, 0)):
		return v
	case kind == kindHalf || kind == kindBrain:
		digits, least, most := 11, -24, 65504.0
		if kind == kindBrain {
			digits, least, most = 8, -133, math.MaxFloat32
		}
		_, e := math.Frexp(v)
		unit := math.Ldexp(1, max(e-digits, least))
		if v = math.RoundToEven(v/unit) * unit; math.Abs(v) > most {
			return math.Inf(int(math.Copysign(1, v)))
		}
		return v
	}
	v = math.Trunc(v)
	if kind == kindInt64 || kind == kindUint64 {
		return v
	}
	span := math.Ldexp(1, 8*widths[kind])
	v -= math.Floor(v/span) * span
	if signed := kind == kindInt8 || kind == kindInt16 || kind == kindInt32; signed && v >= span/2 {
		v -= span
	}
	return v
}

// product is the number of elements of a shape.
func product(shape []int) int { return tensors.ProdInts(shape) }
