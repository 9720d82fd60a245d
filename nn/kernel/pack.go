package kernel

// workPack is the number of elements to pack that justifies another thread.
const workPack = 1 << 14

// Packed panels are the form in which a strip reads B: the columns of a matrix in groups of
// nr, each group stored as rows×nr without gaps, with zeros for the missing columns of the
// last group.

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
	clear(dst[:rows*nr])
	moveRows(dst, nr, src[min(j0, len(src)):], ld, rows, n)
}

// moveRows copies the first n elements of rows. Rows of dst are ldd apart, rows of src lds.
func moveRows[T Float](dst []T, ldd int, src []T, lds, rows, n int) {
	if rows == 0 || is32[T]() && moveRows32(f32(dst), ldd, f32(src), lds, rows, n) {
		return
	}
	for r := range rows {
		copy(dst[r*ldd:][:n], src[r*lds:])
	}
}

// packCols copies rows [j0, j0+n) of the matrix src, transposed, into one panel of k rows:
// dst[p·nr + j] = src[(j0+j)·ld + p]. The next panel's source is ahead elements further on in
// src, or beyond its end.
func packCols[T Float](dst []T, nr int, src []T, ld, ahead, k, j0, n int) {
	done := 0
	if n == nr && is32[T]() {
		done = packCols32(f32(dst), nr, f32(src[j0*ld:]), ld, ahead, k)
		if done > 0 && done < k { // the last eight, some of them once more
			packCols32(f32(dst[(k-8)*nr:]), nr, f32(src[j0*ld+k-8:]), ld, 0, 8)
			done = k
		}
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
