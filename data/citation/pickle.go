package citation

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The values of a pickle beside int64, bool, []byte and nil.
type (
	pickleMark   struct{}
	pickleTuple  []any
	pickleGlobal string
	pickleList   struct{ items []any }
	pickleDict   struct{ keys, values []any }
	// pickleObject is a call of a global: nothing is ever executed. State is
	// what BUILD attached, dict what SETITEMS put in.
	pickleObject struct {
		class pickleGlobal
		args  pickleTuple
		state any
		dict  pickleDict
	}
)

// The globals that may occur. They are names to this reader, not code.
const (
	globalCSR         pickleGlobal = "scipy.sparse.csr csr_matrix"
	globalReconstruct pickleGlobal = "numpy.core.multiarray _reconstruct"
	globalArray       pickleGlobal = "numpy ndarray"
	globalDtype       pickleGlobal = "numpy dtype"
	globalDefaultDict pickleGlobal = "collections defaultdict"
	globalList        pickleGlobal = "__builtin__ list"
)

var allowedGlobals = map[pickleGlobal]bool{
	globalCSR: true, globalReconstruct: true, globalArray: true,
	globalDtype: true, globalDefaultDict: true, globalList: true,
}

const (
	// maxPickle bounds the bytes of a pickle; every value costs at least one, so
	// it bounds memory too.
	maxPickle = 8 << 20
	// maxMemo bounds the numbers under which values are remembered.
	maxMemo = 1 << 16
)

// pickleReader is the stack machine of a pickle of protocol 2, cut down to the
// opcodes that Planetoid's files use.
type pickleReader struct {
	data  []byte
	at    int
	stack []any
	memo  map[int]any
}

// readPickle returns the value a pickle describes. Any opcode or global that
// Planetoid's files do not use is an error with its place; strings are slices of
// data, and no length is believed beyond the bytes that are there.
func readPickle(data []byte) (any, error) {
	if len(data) > maxPickle {
		return nil, fmt.Errorf("%d bytes, more than the %d a pickle may have", len(data), maxPickle)
	}
	r := &pickleReader{data: data, memo: make(map[int]any)}
	for {
		start := r.at
		done, err := r.step()
		if err != nil {
			return nil, fmt.Errorf("byte %d: %w", start, err)
		}
		if !done {
			continue
		}
		if len(r.stack) != 1 || r.at != len(data) {
			return nil, fmt.Errorf("byte %d: the pickle ends with %d values and %d bytes left", start, len(r.stack), len(data)-r.at)
		}
		return r.stack[0], nil
	}
}

// take returns the next n bytes.
func (r *pickleReader) take(n int) ([]byte, error) {
	if n < 0 || n > len(r.data)-r.at {
		return nil, fmt.Errorf("%d bytes announced, %d are there", n, len(r.data)-r.at)
	}
	b := r.data[r.at : r.at+n : r.at+n]
	r.at += n
	return b, nil
}

// number reads an unsigned little-endian number of 1, 2 or 4 bytes.
func (r *pickleReader) number(width int) (int, error) {
	b, err := r.take(width)
	if err != nil {
		return 0, err
	}
	var wide [8]byte
	copy(wide[:], b)
	return int(binary.LittleEndian.Uint64(wide[:])), nil
}

func (r *pickleReader) push(v any) { r.stack = append(r.stack, v) }

// pop takes the top value, which must not be a mark.
func (r *pickleReader) pop() (any, error) {
	if len(r.stack) == 0 {
		return nil, fmt.Errorf("the stack is empty")
	}
	v := r.stack[len(r.stack)-1]
	if _, mark := v.(pickleMark); mark {
		return nil, fmt.Errorf("a mark where a value is wanted")
	}
	r.stack = r.stack[:len(r.stack)-1]
	return v, nil
}

// popMark takes everything above the topmost mark, and the mark.
func (r *pickleReader) popMark() ([]any, error) {
	for i := len(r.stack) - 1; i >= 0; i-- {
		if _, mark := r.stack[i].(pickleMark); mark {
			items := append([]any(nil), r.stack[i+1:]...)
			r.stack = r.stack[:i]
			return items, nil
		}
	}
	return nil, fmt.Errorf("no mark on the stack")
}

// popTuple makes a tuple of the top n values.
func (r *pickleReader) popTuple(n int) error {
	t := make(pickleTuple, n)
	for i := n - 1; i >= 0; i-- {
		v, err := r.pop()
		if err != nil {
			return err
		}
		t[i] = v
	}
	r.push(t)
	return nil
}

// step executes one opcode; done tells that it was the last.
func (r *pickleReader) step() (done bool, err error) {
	op, err := r.take(1)
	if err != nil {
		return false, err
	}
	switch op[0] {
	case 0x80: // PROTO
		v, err := r.number(1)
		if err == nil && v != 2 {
			err = fmt.Errorf("pickle protocol %d, want 2", v)
		}
		return false, err
	case '.': // STOP
		return true, nil
	case '(': // MARK
		r.push(pickleMark{})
	case 'N': // NONE
		r.push(nil)
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		r.push(op[0] == 0x88)
	case ')': // EMPTY_TUPLE
		r.push(pickleTuple{})
	case ']': // EMPTY_LIST
		r.push(&pickleList{})
	case '}': // EMPTY_DICT
		r.push(&pickleDict{})
	case 'K', 'M', 'J': // BININT1, BININT2, BININT
		v, err := r.number(map[byte]int{'K': 1, 'M': 2, 'J': 4}[op[0]])
		if op[0] == 'J' {
			v = int(int32(v))
		}
		r.push(int64(v))
		return false, err
	case 'U', 'T': // SHORT_BINSTRING, BINSTRING
		n, err := r.number(map[byte]int{'U': 1, 'T': 4}[op[0]])
		if err != nil {
			return false, err
		}
		s, err := r.take(n)
		r.push(s)
		return false, err
	case 'q', 'r': // BINPUT, LONG_BINPUT
		return false, r.put(map[byte]int{'q': 1, 'r': 4}[op[0]])
	case 'h': // BINGET
		k, err := r.number(1)
		v, ok := r.memo[k]
		if err == nil && !ok {
			err = fmt.Errorf("nothing is remembered as %d", k)
		}
		r.push(v)
		return false, err
	case 't': // TUPLE
		items, err := r.popMark()
		r.push(pickleTuple(items))
		return false, err
	case 0x85, 0x86, 0x87: // TUPLE1, TUPLE2, TUPLE3
		return false, r.popTuple(int(op[0] - 0x84))
	case 'a', 'e': // APPEND, APPENDS
		return false, r.appendItems(op[0] == 'e')
	case 'u': // SETITEMS
		return false, r.setItems()
	case 'c': // GLOBAL
		return false, r.global()
	case 'R', 0x81: // REDUCE, NEWOBJ
		return false, r.call()
	case 'b': // BUILD
		return false, r.build()
	default:
		return false, fmt.Errorf("opcode 0x%02x is not one that these files use", op[0])
	}
	return false, nil
}

func (r *pickleReader) put(width int) error {
	k, err := r.number(width)
	switch {
	case err != nil:
		return err
	case len(r.stack) == 0:
		return fmt.Errorf("nothing to remember")
	case k >= maxMemo:
		return fmt.Errorf("memo number %d, allowed are numbers below %d", k, maxMemo)
	}
	r.memo[k] = r.stack[len(r.stack)-1]
	return nil
}

func (r *pickleReader) appendItems(many bool) error {
	var items []any
	var err error
	if many {
		items, err = r.popMark()
	} else {
		var v any
		v, err = r.pop()
		items = []any{v}
	}
	if err != nil {
		return err
	}
	if len(r.stack) == 0 {
		return fmt.Errorf("the stack is empty")
	}
	list, ok := r.stack[len(r.stack)-1].(*pickleList)
	if !ok {
		return fmt.Errorf("items for something that is not a list")
	}
	list.items = append(list.items, items...)
	return nil
}

func (r *pickleReader) setItems() error {
	items, err := r.popMark()
	if err != nil {
		return err
	}
	if len(items)%2 != 0 || len(r.stack) == 0 {
		return fmt.Errorf("%d items are not pairs for a dictionary", len(items))
	}
	var d *pickleDict
	switch v := r.stack[len(r.stack)-1].(type) {
	case *pickleDict:
		d = v
	case *pickleObject:
		if v.class == globalDefaultDict {
			d = &v.dict
		}
	}
	if d == nil {
		return fmt.Errorf("items for something that is not a dictionary")
	}
	for i := 0; i < len(items); i += 2 {
		d.keys = append(d.keys, items[i])
		d.values = append(d.values, items[i+1])
	}
	return nil
}

func (r *pickleReader) global() error {
	rest := r.data[r.at:]
	module, rest, ok := bytes.Cut(rest, []byte{'\n'})
	name, _, also := bytes.Cut(rest, []byte{'\n'})
	if !ok || !also {
		return fmt.Errorf("a global without end")
	}
	r.at += len(module) + len(name) + 2
	g := pickleGlobal(string(module) + " " + string(name))
	if !allowedGlobals[g] {
		return fmt.Errorf("global %.80q is not one that these files use", string(g))
	}
	r.push(g)
	return nil
}

// call notes the call of a global.
func (r *pickleReader) call() error {
	args, err := r.pop()
	if err != nil {
		return err
	}
	f, err := r.pop()
	if err != nil {
		return err
	}
	tuple, ok := args.(pickleTuple)
	class, also := f.(pickleGlobal)
	if !ok || !also {
		return fmt.Errorf("a call of %T with %T", f, args)
	}
	r.push(&pickleObject{class: class, args: tuple})
	return nil
}

func (r *pickleReader) build() error {
	state, err := r.pop()
	if err != nil {
		return err
	}
	if len(r.stack) == 0 {
		return fmt.Errorf("the stack is empty")
	}
	o, ok := r.stack[len(r.stack)-1].(*pickleObject)
	if !ok || o.state != nil {
		return fmt.Errorf("a state for something that takes none")
	}
	o.state = state
	return nil
}
