package citation

import (
	"bytes"
	"fmt"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
)

// pickleGlobal is a class or function that a pickle names.
type pickleGlobal string

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

// Call notes the call of a global: nothing is ever executed.
func (g pickleGlobal) Call(args ...any) (any, error) {
	return &pickleObject{class: g, args: args}, nil
}

// PyNew notes the construction of an object.
func (g pickleGlobal) PyNew(args ...any) (any, error) { return g.Call(args...) }

// pickleObject is a recorded call of a global, which is not executed. State is the state that
// the pickle attached to it; dictionary holds the entries that the pickle set.
type pickleObject struct {
	class pickleGlobal
	args  types.Tuple
	state any
	types.Dict
}

// PySetState attaches a state.
func (o *pickleObject) PySetState(state any) error {
	o.state = state
	return nil
}

// readPickle returns the value that a pickle describes. Its bytes are those that
// were published: the caller has compared their sha256. A global that Planetoid's
// files do not use is an error all the same, so that nothing else can be built.
func readPickle(data []byte) (any, error) {
	in := bytes.NewReader(data)
	u := pickle.NewUnpickler(in)
	u.FindClass = func(module, name string) (any, error) {
		g := pickleGlobal(module + " " + name)
		if !allowedGlobals[g] {
			return nil, fmt.Errorf("global %.80q is not one that these files use", string(g))
		}
		return g, nil
	}
	v, err := u.Load()
	if at := int(in.Size()) - in.Len(); err != nil {
		return nil, fmt.Errorf("before byte %d: %w", at, err)
	} else if in.Len() > 0 {
		return nil, fmt.Errorf("byte %d: %d bytes are left behind the pickle", at, in.Len())
	}
	return v, nil
}
