package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 17)) }

func normals[T Float](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

func to64[T Float](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// eachPath runs a subtest on every path of this machine.
func eachPath(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	for _, name := range Paths() {
		restore := use(name)
		t.Run(name, f)
		restore()
	}
}

// use switches all float32 kernels to a path until restore is called.
func use(name string) (restore func()) {
	old := current.Swap(available()[slices.Index(Paths(), name)])
	return func() { current.Store(old) }
}

// guarded is a buffer between pages that cannot be accessed, where the system has
// a way to make such: an access past the end of the buffer faults, reading or
// writing. Every second buffer lies at the start of its pages and faults below;
// the rest of the pages holds canaries.
type guarded[T Float | uint8] struct {
	room []byte
	buf  []T
}

// canary makes huge numbers, so that a sum over one stands out.
const canary = 0x7b

// guards counts the buffers made, and spare holds pages for reuse by size.
var (
	guards int
	spare  = map[int][][]byte{}
)

func guard[T Float | uint8](n int) guarded[T] {
	size := n * int(unsafe.Sizeof(*new(T)))
	pages := ceilDiv(max(size, 1), os.Getpagesize())
	var g guarded[T]
	if list := spare[pages]; len(list) > 0 {
		g.room, spare[pages] = list[len(list)-1], list[:len(list)-1]
	} else {
		g.room = guardedPages(pages)
	}
	for i := range g.room {
		g.room[i] = canary
	}
	at := len(g.room) - size
	if guards++; guards%2 == 0 {
		at = 0
	}
	g.buf = unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(g.room)), at)), n)
	return g
}

func guardCopy[T Float | uint8](x []T) guarded[T] {
	g := guard[T](len(x))
	copy(g.buf, x)
	return g
}

// intact fails the test if a canary was overwritten. It gives the buffer up.
func (g guarded[T]) intact(t *testing.T, name string) {
	t.Helper()
	size := len(g.buf) * int(unsafe.Sizeof(*new(T)))
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(g.buf))) - uintptr(unsafe.Pointer(unsafe.SliceData(g.room))))
	for i, v := range g.room {
		if (i < at || i >= at+size) && v != canary {
			t.Fatalf("%s: byte %d outside a buffer of %d bytes overwritten with %d", name, i-at, size, v)
		}
	}
	pages := len(g.room) / os.Getpagesize()
	spare[pages] = append(spare[pages], g.room)
}

// near fails unless every element is within tol of want, relative to the
// largest magnitude in want (at least one).
func near[T Float](t *testing.T, name string, got []T, want []float64, tol float64) {
	t.Helper()
	require.Equalf(t, len(want), len(got), "%s: length", name)
	top := 1.0
	for _, v := range want {
		top = max(top, math.Abs(v))
	}
	for i, v := range got {
		if d := math.Abs(float64(v) - want[i]); !(d <= tol*top) {
			t.Fatalf("%s[%d] = %v, want %v (off by %.3g, allowed %.3g)", name, i, v, want[i], d, tol*top)
		}
	}
}

// equalBits fails unless the slices hold the same values.
func equalBits[T Float](t *testing.T, name string, got, want []T) {
	t.Helper()
	for i, v := range got {
		if v != want[i] {
			t.Fatalf("%s[%d] = %v, then %v", name, i, want[i], v)
		}
	}
}

// threads runs f at several settings of GOMAXPROCS.
func threads(f func(procs int)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, p := range []int{1, 2, 3, 7} {
		runtime.GOMAXPROCS(p)
		f(p)
	}
}

// sameOnThreads fails unless f returns the same values on any number of threads.
func sameOnThreads(t *testing.T, name string, f func() []float32) {
	t.Helper()
	var first []float32
	threads(func(int) {
		got := f()
		if first == nil {
			first = got
		}
		equalBits(t, name, got, first)
	})
}

func dot(x, y []float64) float64 {
	var s float64
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	f()
}

func label(format string, args ...any) string { return fmt.Sprintf(format, args...) }
