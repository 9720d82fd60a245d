package checkpoint

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
)

// storages are the element types of torch's storages.
var storages = map[string]string{
	"FloatStorage": "F32", "DoubleStorage": "F64", "HalfStorage": "F16", "BFloat16Storage": "BF16", "BoolStorage": "BOOL",
	"ByteStorage": "U8", "CharStorage": "I8", "ShortStorage": "I16", "IntStorage": "I32", "LongStorage": "I64",
}

// ParseWeights reads a file of weights from memory, one in the safetensors format or one that
// torch.save wrote of a state_dict.
func ParseWeights(data []byte) (*Tensors, error) {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		t, err := parseTorch(data)
		if err != nil {
			return nil, fmt.Errorf("torch.save: %w; save the weights by torch.save(net.state_dict(), FILE), or by save_file of safetensors.torch", err)
		}
		return t, nil
	}
	return ParseSafetensors(data)
}

// parseTorch reads an archive of torch.save: data.pkl, a pickled dictionary, refers to the
// files data/0, data/1 and so on, whose bytes are the tensors'. A pickle is a program; of its
// calls only those are known that make a dictionary or a tensor, any other one is an error.
func parseTorch(data []byte) (t *Tensors, err error) {
	defer func() { // the unpickler takes some damage for granted
		if r := recover(); r != nil {
			err = fmt.Errorf("data.pkl is damaged: %v", r)
		}
	}()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := map[string]*zip.File{}
	for _, f := range archive.File {
		if _, inside, ok := strings.Cut(f.Name, "/"); ok {
			files[inside] = f
		}
	}
	read := func(name string) ([]byte, error) {
		f := files[name]
		if f == nil || f.UncompressedSize64 > uint64(len(data)) { // torch.save stores without compression
			return nil, fmt.Errorf("%s is missing or compressed", name)
		}
		r, err := f.Open() // the reader checks the sum of the bytes
		if err != nil {
			return nil, err
		}
		defer r.Close()
		b, err := io.ReadAll(io.LimitReader(r, int64(len(data))+1))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return b, nil
	}
	if order, err := read("byteorder"); files["byteorder"] != nil && (err != nil || string(order) != "little") {
		return nil, errors.Join(errors.New("its numbers do not begin with the low byte"), err)
	}
	if files["constants.pkl"] != nil {
		return nil, errors.New("the file is a TorchScript program")
	}
	program, err := read("data.pkl")
	if err != nil {
		return nil, err
	}
	u := pickle.NewUnpickler(bytes.NewReader(program))
	u.FindClass = findTorch
	seen := map[string]entry{}
	u.PersistentLoad = func(id any) (any, error) {
		p, ok := id.(*types.Tuple)
		if !ok || p.Len() < 3 {
			return nil, errors.New("data.pkl refers to something that is no storage")
		}
		kind, ok := p.Get(1).(storage)
		key, named := p.Get(2).(string)
		if !ok || !named {
			return nil, errors.New("data.pkl refers to something that is no storage")
		}
		if _, ok := seen[key]; !ok {
			b, err := read(path.Join("data", key))
			if err != nil {
				return nil, err
			}
			seen[key] = entry{data: b}
		}
		return entry{dtype: dtype(kind), data: seen[key].data}, nil
	}
	root, err := u.Load()
	if err != nil {
		return nil, err
	}
	return stateOf(root)
}

// storage is a class of torch's storages.
type storage dtype

// call is a function of torch that a pickle may call.
type call func(args []any) (any, error)

func (c call) Call(args ...any) (any, error) { return c(args) }

// findTorch finds the classes and functions that a state_dict needs.
func findTorch(module, name string) (any, error) {
	switch kind, ok := storages[name]; {
	case ok && module == "torch":
		return storage(dtypes[slices.IndexFunc(dtypes, func(d dtype) bool { return d.name == kind })]), nil
	case module == "torch._utils" && name == "_rebuild_tensor_v2":
		return call(rebuild), nil
	case module == "torch._utils" && name == "_rebuild_parameter":
		return call(func(args []any) (any, error) { return args[0], nil }), nil
	}
	return nil, fmt.Errorf("the file holds objects of %s.%s besides tensors", module, name)
}

// rebuild makes a tensor of the elements of a storage from an offset on, with the steps
// (strides) from an element to the next one along each axis.
func rebuild(args []any) (any, error) {
	e, ok := args[0].(entry)
	offset, numbered := args[1].(int)
	shape, err := ints(args[2])
	steps, err2 := ints(args[3])
	if !ok || !numbered || err != nil || err2 != nil || len(shape) != len(steps) || len(shape) > maxRank {
		return nil, errors.New("a tensor of data.pkl is not described as torch does it")
	}
	if len(args) > 6 { // what else there is about the view: the negative or the conjugate of what is stored
		if d, ok := args[6].(*types.Dict); args[6] != nil && (!ok || d.Len() > 0) {
			return nil, fmt.Errorf("a tensor of shape %v is a negative or conjugate view: save its .resolve_neg().resolve_conj()", shape)
		}
	}
	n, ok := elements(shape)
	if !ok {
		return nil, fmt.Errorf("a tensor has the shape %v", shape)
	}
	have := len(e.data) / e.dtype.size
	last := offset // the last element that the tensor has
	for i, d := range shape {
		ok = ok && steps[i] >= 0 && (d < 2 || steps[i] <= have/(d-1))
		last += max(d-1, 0) * steps[i]
	}
	if n > have { // else a few bytes of a file could ask for any memory
		return nil, fmt.Errorf("a tensor of shape %v has elements that share memory: save its .contiguous()", shape)
	}
	if n > 0 && (!ok || offset < 0 || last >= have) {
		return nil, fmt.Errorf("a tensor of shape %v does not lie within its storage of %d elements", shape, have)
	}
	out := make([]byte, 0, n*e.dtype.size)
	at := make([]int, len(shape))
	for range n {
		from := offset
		for i, k := range at {
			from += k * steps[i]
		}
		out = append(out, e.data[from*e.dtype.size:][:e.dtype.size]...)
		for i := len(at) - 1; i >= 0; i-- {
			if at[i]++; at[i] < shape[i] {
				break
			}
			at[i] = 0
		}
	}
	return entry{dtype: e.dtype, shape: shape, data: out}, nil
}

func ints(x any) ([]int, error) {
	t, ok := x.(*types.Tuple)
	if !ok {
		return nil, fmt.Errorf("%T is no tuple", x)
	}
	list := make([]int, t.Len())
	for i := range list {
		if list[i], ok = t.Get(i).(int); !ok {
			return nil, fmt.Errorf("%T is no integer", t.Get(i))
		}
	}
	return list, nil
}

// stateOf returns the tensors of a dictionary, or those of the one dictionary of tensors in
// it, as in a training checkpoint beside the optimizer's state, a loss and the state of a generator.
func stateOf(root any) (*Tensors, error) {
	t, inside := &Tensors{entries: map[string]entry{}}, map[string]*Tensors{}
	add := func(key, value any) error {
		name, ok := key.(string)
		switch v := value.(type) {
		case entry:
			if _, twice := t.entries[name]; !ok || twice || len(t.names) == maxTensors {
				return fmt.Errorf("the tensor %v: want at most %d names, each once", key, maxTensors)
			}
			t.entries[name], t.names = v, append(t.names, name)
		case *types.OrderedDict, *types.Dict:
			if in, err := stateOf(v); err == nil && ok {
				inside[name] = in
			}
		}
		return nil
	}
	switch d := root.(type) {
	case *types.OrderedDict:
		for x := d.List.Front(); x != nil; x = x.Next() {
			if e := x.Value.(*types.OrderedDictEntry); e != nil {
				if err := add(e.Key, e.Value); err != nil {
					return nil, err
				}
			}
		}
	case *types.Dict:
		for _, e := range *d {
			if err := add(e.Key, e.Value); err != nil {
				return nil, err
			}
		}
	}
	weights := slices.ContainsFunc(t.names, func(n string) bool { return strings.Contains(n, ".") || len(t.entries[n].shape) > 1 })
	if len(t.names) > 0 && (weights || len(inside) == 0) {
		slices.Sort(t.names)
		return t, nil
	}
	if len(inside) == 1 {
		for _, only := range inside {
			return only, nil
		}
	}
	if len(inside) > 1 {
		return nil, fmt.Errorf("the file has several dictionaries of tensors (%s)", strings.Join(slices.Sorted(maps.Keys(inside)), ", "))
	}
	return nil, errors.New("the file has no dictionary of tensors")
}
