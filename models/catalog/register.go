package catalog

import (
	"fmt"
	"slices"
	"sync"

	"hinge/nn"
)

// Kind makes the definition of a kind of networks, to c.Out logits, for features of a
// shape, and the shape of its input, which has as many numbers. It is called anew for
// every network; what does not fit is an error.
type Kind[T nn.Float] func(c Config, shape []int) (define nn.Definition[T], input []int, err error)

// fromFile is the kind that Config.File describes.
const fromFile = "onnx"

// builtIn are the kinds of this package.
var builtIn = []string{"mlp", "resnet18", "lenet", "sequential"}

var (
	mu    sync.Mutex
	kinds = map[string][]any{} // Kind[float32] and Kind[float64] by name
	names []string
)

// Register gives a kind of networks a name, for one type of numbers: float32 to learn
// with, and float64 too where derivatives are checked. A name that is taken panics.
func Register[T nn.Float](name string, kind Kind[T]) {
	mu.Lock()
	defer mu.Unlock()
	if _, taken := find[T](name); taken || name == "" || name == fromFile || slices.Contains(builtIn, name) {
		panic(fmt.Sprintf("catalog: the name %q of a kind of networks is taken", name))
	}
	if kinds[name] == nil {
		names = append(names, name)
	}
	kinds[name] = append(kinds[name], kind)
}

// Models lists the kinds of networks.
func Models() []string {
	mu.Lock()
	defer mu.Unlock()
	return slices.Concat(builtIn, names)
}

func registered[T nn.Float](name string) (Kind[T], bool) {
	mu.Lock()
	defer mu.Unlock()
	return find[T](name)
}

func find[T nn.Float](name string) (Kind[T], bool) {
	for _, k := range kinds[name] {
		if kind, ok := k.(Kind[T]); ok {
			return kind, true
		}
	}
	return nil, false
}
