package kernel

// The vector code takes rows whose length is a multiple of lanes. Of a matrix with another
// number of channels it takes several rows as one, over which the channels repeat: four rows
// of 6 channels are one of 24. maxWide bounds the length of such a row, so that its
// parameters stay in the first cache.
const (
	lanes   = 8
	maxWide = 1 << 9
)

// wideOf is the length of the rows that n elements with c channels are taken in, or 0 where
// they are taken as they are.
func wideOf[T Float](n, c int) int {
	if !vectors[T]() || c%lanes == 0 {
		return 0
	}
	if w := c * lanes / (c & -c); w <= maxWide && n >= 4*w {
		return w
	}
	return 0
}

// repeated returns a buffer with room for n rows of w elements, which begins with rows, each
// as often as it fits.
func repeated[T Float](n, w int, rows ...[]T) *workspace[T] {
	ws := getWorkspace[T](n * w)
	for i, row := range rows {
		for to := ws.buf[i*w:][:w]; len(to) > 0; {
			to = to[copy(to, row):]
		}
	}
	return ws
}

// fold adds to the sum of each channel those of wide that belong to it.
func fold[T Float](wide, to []T) {
	for c := len(to); len(wide) > 0; wide = wide[c:] {
		for j, v := range wide[:c] {
			to[j] += v
		}
	}
}
