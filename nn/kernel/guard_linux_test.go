package kernel

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"
)

// guardedPages returns whole pages of memory with one page on either side that
// faults on access.
func guardedPages(pages int) []byte {
	page := os.Getpagesize()
	room, err := syscall.Mmap(-1, 0, (pages+2)*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	for _, at := range []int{0, (pages + 1) * page} {
		if err := syscall.Mprotect(room[at:at+page], syscall.PROT_NONE); err != nil {
			panic(err)
		}
	}
	return room[page : (pages+1)*page]
}

// The pages around a guarded buffer do fault.
func TestGuardPagesFault(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	g := guard[float32](os.Getpagesize() / 4)
	first := unsafe.Pointer(unsafe.SliceData(g.buf))
	for _, at := range []int{-4, os.Getpagesize()} {
		mustPanic(t, label("reading at byte %d", at), func() { sink = *(*float32)(unsafe.Add(first, at)) })
	}
	g.intact(t, "untouched")
}

var sink float32
