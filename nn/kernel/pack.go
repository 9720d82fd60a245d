package kernel

// Packed panels are what a strip takes as B: the columns of a matrix cut into
// groups of nr, each group stored as rows×nr without gaps, missing columns of
// the last group zero.

// packRows copies columns [j0, j0+n) of the rows×* matrix src into one panel.
func packRows[T Float](dst []T, nr int, src []T, ld, rows, j0, n int) {
	if n == nr {
		done := 0
		if is32[T]() {
			done = packRows32(f32(dst), nr, f32(src[j0:]), ld, rows)
		}
		for r := done; r < rows; r++ {
			copy(dst[r*nr:][:nr], src[r*ld+j0:][:nr])
		}
		return
	}
	for r := range rows {
		d := dst[r*nr:][:nr]
		copy(d, src[r*ld+j0:][:n])
		clear(d[n:])
	}
}

// packCols copies rows [j0, j0+n) of the matrix src, transposed, into one panel
// of k rows: dst[p·nr + j] = src[(j0+j)·ld + p]. What is packed next lies ahead
// elements further on in src, or beyond its end.
func packCols[T Float](dst []T, nr int, src []T, ld, ahead, k, j0, n int) {
	done := 0
	if n == nr && is32[T]() {
		done = packCols32(f32(dst), nr, f32(src[j0*ld:]), ld, ahead, k)
	}
	for j := range n {
		s := src[(j0+j)*ld:][:k]
		for p := done; p < k; p++ {
			dst[p*nr+j] = s[p]
		}
	}
	if n < nr {
		for p := range k {
			clear(dst[p*nr+n : p*nr+nr])
		}
	}
}
