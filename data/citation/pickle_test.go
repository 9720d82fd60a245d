package citation

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/gopickle/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pickler writes pickles with the opcodes of Planetoid's files.
type pickler struct{ bytes.Buffer }

func newPickler() *pickler {
	p := &pickler{}
	p.WriteString("\x80\x02")
	return p
}

func (p *pickler) global(g pickleGlobal) *pickler {
	module, name, _ := strings.Cut(string(g), " ")
	fmt.Fprintf(p, "c%s\n%s\n", module, name)
	return p
}

func (p *pickler) int(v int) *pickler {
	p.WriteByte('J')
	binary.Write(p, binary.LittleEndian, int32(v))
	return p
}

func (p *pickler) str(s string) *pickler {
	p.WriteByte('T')
	binary.Write(p, binary.LittleEndian, int32(len(s)))
	p.WriteString(s)
	return p
}

// array writes a numpy vector or matrix of the type code.
func (p *pickler) array(code string, shape []int, values []float64) *pickler {
	p.global(globalReconstruct).global(globalArray)
	p.int(0).WriteString("\x85U\x01b\x87R(K\x01(")
	for _, n := range shape {
		p.int(n)
	}
	p.WriteString("t")
	p.global(globalDtype).str(code).WriteString("K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89")
	var raw bytes.Buffer
	for _, v := range values {
		switch code {
		case "f4":
			binary.Write(&raw, binary.LittleEndian, float32(v))
		case "f8":
			binary.Write(&raw, binary.LittleEndian, v)
		case "i4":
			binary.Write(&raw, binary.LittleEndian, int32(v))
		case "i8":
			binary.Write(&raw, binary.LittleEndian, int64(v))
		}
	}
	p.str(raw.String()).WriteString("tb")
	return p
}

func (p *pickler) csr(rows, cols int, data, indices, ptr []float64) *pickler {
	p.global(globalCSR).WriteString(")\x81}(")
	p.str("_shape").int(rows).int(cols).WriteString("\x86")
	p.str("data").array("f4", []int{len(data)}, data)
	p.str("indices").array("i4", []int{len(indices)}, indices)
	p.str("indptr").array("i4", []int{len(ptr)}, ptr)
	p.WriteString("ub")
	return p
}

func (p *pickler) links(lists [][]int) *pickler {
	p.global(globalDefaultDict).global(globalList).WriteString("\x85R(")
	for i, list := range lists {
		p.int(i).WriteString("](")
		for _, j := range list {
			p.int(j)
		}
		p.WriteString("e")
	}
	p.WriteString("u")
	return p
}

func (p *pickler) done() []byte {
	p.WriteByte('.')
	return p.Bytes()
}

func TestReadPickle(t *testing.T) {
	v, err := readPickle(newPickler().links([][]int{{1, 2}, {0}, {}}).done())
	require.NoError(t, err)
	d := v.(*pickleObject)
	if d.class != globalDefaultDict || d.Len() != 3 || d.Dict[0].Value.(*types.List).Len() != 2 {
		t.Errorf("read %+v", d)
	}
	for code, values := range map[string][]float64{
		"f4": {0.5, -2}, "f8": {math.Pi, 1e300}, "i4": {-7, 1 << 30}, "i8": {3, -1},
	} {
		v, err := readPickle(newPickler().array(code, []int{2, 1}, values).done())
		if err != nil {
			t.Fatal(code, err)
		}
		a, err := toArray(v)
		if err != nil || !slices.Equal(a.values, values) || !slices.Equal(a.shape, []int{2, 1}) {
			t.Errorf("%s: %+v, %v", code, a, err)
		}
	}
	v, err = readPickle(newPickler().csr(2, 3, []float64{1, 1, 1}, []float64{0, 2, 1}, []float64{0, 2, 3}).done())
	require.NoError(t, err)
	m, err := toCSR(v)
	if err != nil || m.rows != 2 || m.cols != 3 || !slices.Equal(m.indices, []int{0, 2, 1}) || !slices.Equal(m.ptr, []int{0, 2, 3}) {
		t.Errorf("%+v, %v", m, err)
	}
	// Memo: a string remembered and recalled.
	v, err = readPickle([]byte("\x80\x02U\x02hiq\x05h\x05\x86."))
	if err != nil || tuple(v)[1] != "hi" {
		t.Errorf("memo: %v, %v", v, err)
	}
}

// TestForeignPickles: what Planetoid's files do not contain is refused, with its place.
func TestForeignPickles(t *testing.T) {
	for name, c := range map[string]struct{ pickle, want string }{
		"a call of system":    {"\x80\x02cposix\nsystem\nU\x02ls\x85R.", `before byte 16: global "posix system" is not one`},
		"a function of numpy": {"\x80\x02cnumpy\nload\nU\x02ls\x85R.", `global "numpy load" is not one`},
		"no stop":             {"\x80\x02N", "before byte 3: EOF"},
		"more behind the end": {"\x80\x02N.N", "byte 4: 1 bytes are left"},
	} {
		v, err := readPickle([]byte(c.pickle))
		assert.ErrorContainsf(t, err, c.want, "%s: %v", name, v)
	}
}

// TestHostileMatrices: shapes and pointers that do not fit the numbers.
func TestHostileMatrices(t *testing.T) {
	csr := func(p *pickler) error {
		v, err := readPickle(p.done())
		require.NoError(t, err)
		_, err = toCSR(v)
		return err
	}
	one := []float64{1}
	for want, err := range map[string]error{
		"is not a sparse matrix": csr(newPickler().int(3)),
		"with 2 row pointers":    csr(newPickler().csr(2, 3, one, one, []float64{0, 1})),
		"row pointer 9 after":    csr(newPickler().csr(2, 3, one, one, []float64{0, 9, 1})),
		"row pointer 0 after 1":  csr(newPickler().csr(2, 3, one, one, []float64{0, 1, 0})),
		"column 3 of 3":          csr(newPickler().csr(1, 3, one, []float64{3}, []float64{0, 1})),
		"shape [2000000000 3]":   csr(newPickler().csr(2000000000, 3, one, one, []float64{0, 1})),
	} {
		assert.ErrorContains(t, err, want)
	}
}
