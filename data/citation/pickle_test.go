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
	"github.com/stretchr/testify/require"
)

// pickler writes pickles with the opcodes of Planetoid's files.
type pickler struct{ bytes.Buffer }

func newPickler() *pickler {
	p := &pickler{}
	p.WriteString("\x80\x02")
	return p
}

func (p *pickler) global(g string) *pickler {
	module, name, _ := strings.Cut(g, " ")
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
	p.global("numpy.core.multiarray _reconstruct").global("numpy ndarray")
	p.int(0).WriteString("\x85U\x01b\x87R(K\x01(")
	for _, n := range shape {
		p.int(n)
	}
	p.WriteString("t")
	p.global("numpy dtype").str(code).WriteString("K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89")
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
	p.global("scipy.sparse.csr csr_matrix").WriteString(")\x81}(")
	p.str("_shape").int(rows).int(cols).WriteString("\x86")
	p.str("data").array("f4", []int{len(data)}, data)
	p.str("indices").array("i4", []int{len(indices)}, indices)
	p.str("indptr").array("i4", []int{len(ptr)}, ptr)
	p.WriteString("ub")
	return p
}

func (p *pickler) links(lists [][]int) *pickler {
	p.global("collections defaultdict").global("__builtin__ list").WriteString("\x85R(")
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
	if d.Len() != 3 || d.Dict[0].Value.(*types.List).Len() != 2 {
		t.Errorf("read %+v", d)
	}
	for code, values := range map[string][]float64{
		"f4": {0.5, -2}, "f8": {math.Pi, 1e300}, "i4": {-7, 1 << 30}, "i8": {3, -1},
	} {
		v, err := readPickle(newPickler().array(code, []int{2, 1}, values).done())
		if err != nil {
			t.Fatal(code, err)
		}
		if a := toArray(v); !slices.Equal(a.values, values) || !slices.Equal(a.shape, []int{2, 1}) {
			t.Errorf("%s: %+v", code, a)
		}
	}
	v, err = readPickle(newPickler().csr(2, 3, []float64{1, 1, 1}, []float64{0, 2, 1}, []float64{0, 2, 3}).done())
	require.NoError(t, err)
	if m := toCSR(v); m.cols != 3 || !slices.Equal(m.indices, []int{0, 2, 1}) || !slices.Equal(m.ptr, []int{0, 2, 3}) {
		t.Errorf("%+v", m)
	}
	// Memo: a string remembered and recalled.
	v, err = readPickle([]byte("\x80\x02U\x02hiq\x05h\x05\x86."))
	if err != nil || (*v.(*types.Tuple))[1] != "hi" {
		t.Errorf("memo: %v, %v", v, err)
	}
	// A call is noted, not made.
	v, err = readPickle([]byte("\x80\x02cposix\nsystem\nU\x02ls\x85R."))
	if err != nil || v.(*pickleObject).args[0] != "ls" {
		t.Errorf("a call: %v, %v", v, err)
	}
}
