package kernel

import (
	"os"
	"sync/atomic"
)

// maxNR is the widest packed panel of any path, in columns.
const maxNR = 32

// path is one implementation of the float32 kernels.
type path struct {
	name string
	nr   int // columns of a packed panel
	half int // columns of the assembly's strips for half a panel; 0 without assembly
}

var portable = path{name: "portable", nr: 16}

// current is the path of float32; float64 always takes portable.
var current atomic.Pointer[path]

// EnvPath names the environment variable that, when set to one of Paths, fixes
// the float32 path of the process at start-up. An unknown name is ignored.
const EnvPath = "HINGE_KERNEL"

func init() {
	best := available()[0]
	for _, p := range available() {
		if p.name == os.Getenv(EnvPath) {
			best = p
		}
	}
	current.Store(best)
}

// available lists the paths this machine can run, fastest first.
func available() []*path { return append(asmPaths(), &portable) }

// Paths returns the names of the float32 paths this machine can run, fastest
// first; "portable" is always the last.
func Paths() []string {
	var names []string
	for _, p := range available() {
		names = append(names, p.name)
	}
	return names
}

// Path returns the name of the float32 path in use.
func Path() string { return current.Load().name }

// pathOf is the current path for T.
func pathOf[T Float]() *path {
	if is32[T]() {
		return current.Load()
	}
	return &portable
}

// panelWidth is the panel width of the current path for T.
func panelWidth[T Float]() int { return pathOf[T]().nr }
