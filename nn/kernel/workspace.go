package kernel

import "sync"

// workspace is a pooled scratch buffer.
type workspace[T Float] struct{ buf []T }

var (
	workspaces32 = sync.Pool{New: func() any { return new(workspace[float32]) }}
	workspaces64 = sync.Pool{New: func() any { return new(workspace[float64]) }}
)

// getWorkspace returns a buffer of n elements with unspecified contents.
func getWorkspace[T Float](n int) *workspace[T] {
	w := workspacePool[T]().Get().(*workspace[T])
	w.buf = grow(w.buf, n)
	return w
}

func putWorkspace[T Float](w *workspace[T]) { workspacePool[T]().Put(w) }

func workspacePool[T Float]() *sync.Pool {
	if is32[T]() {
		return &workspaces32
	}
	return &workspaces64
}
