package kernel

import (
	"syscall"
	"unsafe"
)

// advise asks for large memory pages for s. The range is widened to whole pages; it only
// advises how to map memory and does not affect neighbouring data. An error only means that
// the advice is not taken.
func advise[T any](s []T) {
	const hugepage = 14 // MADV_HUGEPAGE
	size := uintptr(len(s)) * unsafe.Sizeof(*new(T))
	if size < hugeFrom {
		return
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	lo, hi := from&^(hugePage-1), (from+size+hugePage-1)&^(hugePage-1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, lo, hi-lo, hugepage)
}
