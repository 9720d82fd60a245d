package kernel

// hugePage is the size of the pages that Alloc asks for.
const hugePage = 2 << 20

// hugeFrom is the size in bytes from which a buffer is worth asking.
const hugeFrom = 256 << 10

// Alloc returns a zeroed buffer of n elements. For a large one it advises the
// operating system, where there is a way to, to back it with large pages: the
// kernels stride through memory in steps that otherwise miss the processor's
// table of pages all the time, and small pages scattered over physical memory
// collide in the caches of some runs and not of others.
func Alloc[T any](n int) []T {
	s := make([]T, n)
	advise(s)
	return s
}

// grow returns s with length n, reallocating only when the capacity is too
// small. The contents are unspecified.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return Alloc[T](n)
	}
	return s[:n]
}
