package nn

import (
	"runtime"

	"gorgonia.org/gorgonia"
)

// NewMachine returns a tape machine for the graph that the garbage collector can
// free. gorgonia sets a finalizer on its machines, to release devices that a
// build without cgo does not have; where an operation leads back to the machine
// that runs it, as the operations of a training graph do, the finalizer keeps the whole
// graph in memory for good.
func NewMachine(graph *gorgonia.ExprGraph) gorgonia.VM {
	vm := gorgonia.NewTapeMachine(graph)
	runtime.SetFinalizer(vm, nil)
	return vm
}

// Execute runs the machine and makes it ready for the next run.
//
// A tape machine locks its thread and hands over to a goroutine of its own and back. On
// one processor a loop of runs would leave all other goroutines waiting for good: who takes
// turns so is never seen to have used up its time. So they have their turn after each run.
func Execute(vm gorgonia.VM) error {
	err := vm.RunAll()
	vm.Reset()
	runtime.Gosched()
	return err
}
