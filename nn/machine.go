package nn

import (
	"runtime"

	"gorgonia.org/gorgonia"
)

// NewMachine returns a tape machine for the graph that the garbage collector can
// free. gorgonia sets a finalizer on its machines, to release devices that a
// build without cgo does not have; where an operation leads back to the machine
// that runs it, as those of a training graph do, the finalizer keeps the whole
// graph in memory for good.
func NewMachine(graph *gorgonia.ExprGraph) gorgonia.VM {
	vm := gorgonia.NewTapeMachine(graph)
	runtime.SetFinalizer(vm, nil)
	return vm
}
