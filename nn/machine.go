package nn

import (
	"errors"
	"regexp"
	"runtime"

	"gorgonia.org/gorgonia"
)

// NewMachine returns a tape machine for the graph that the garbage collector can free.
// gorgonia sets a finalizer on its machines, to release devices that a build without cgo does
// not have. The operations of a training graph lead back to the machine that runs them, and
// then the finalizer would keep the whole graph in memory forever.
func NewMachine(graph *gorgonia.ExprGraph) gorgonia.VM {
	vm := gorgonia.NewTapeMachine(graph)
	runtime.SetFinalizer(vm, nil)
	return vm
}

// machineWords match what gorgonia writes before the error of an operation.
var machineWords = regexp.MustCompile(`^(PC \d+\. |Failed to carry op)`)

// Execute runs the machine and makes it ready for the next run.
//
// A tape machine locks its thread and switches to its own goroutine and back. On one processor
// a loop of runs would therefore starve all other goroutines: the scheduler never sees the
// loop use up its time slice. So Execute yields after each run. Its error is that of the operation,
// without the machine's words around it.
func Execute(vm gorgonia.VM) error {
	err := vm.RunAll()
	if context, ok := err.(gorgonia.Errer); ok {
		err = context.Err()
	}
	for err != nil && machineWords.MatchString(err.Error()) && errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	vm.Reset()
	runtime.Gosched()
	return err
}
