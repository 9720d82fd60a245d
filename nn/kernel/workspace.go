package kernel

import "sync"

// freeList keeps objects for later calls. Unlike a sync.Pool it is not emptied by
// the garbage collector and not split by processor: it never holds more objects
// than were in use at one time, and a step that has run once allocates nothing
// when it runs again.
type freeList[T any] struct {
	mu   sync.Mutex
	free []*T
	make func() *T
}

func (l *freeList[T]) get() *T {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.free)
	if n == 0 {
		return l.make()
	}
	x := l.free[n-1]
	l.free = l.free[:n-1]
	return x
}

func (l *freeList[T]) put(x *T) {
	l.mu.Lock()
	l.free = append(l.free, x)
	l.mu.Unlock()
}

// workspace is a reusable scratch buffer.
type workspace[T Float] struct{ buf []T }

var (
	workspaces32 = freeList[workspace[float32]]{make: func() *workspace[float32] { return new(workspace[float32]) }}
	workspaces64 = freeList[workspace[float64]]{make: func() *workspace[float64] { return new(workspace[float64]) }}
)

// getWorkspace returns a buffer of n elements with unspecified contents.
func getWorkspace[T Float](n int) *workspace[T] {
	w := workspaceList[T]().get()
	w.buf = grow(w.buf, n)
	return w
}

func putWorkspace[T Float](w *workspace[T]) { workspaceList[T]().put(w) }

func workspaceList[T Float]() *freeList[workspace[T]] {
	return listOf[workspace[T]](&workspaces32, &workspaces64)
}

// listOf is the list of X objects among the two for float32 and float64.
func listOf[X any](list32, list64 any) *freeList[X] {
	if l, ok := list32.(*freeList[X]); ok {
		return l
	}
	return list64.(*freeList[X])
}
