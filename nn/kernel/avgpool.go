package kernel

// GlobalAvgPool writes the mean over all pixels of x, [pixels][n·c], to y of
// length n·c.
func GlobalAvgPool[T Float](x, y []T, pixels int) {
	need("GlobalAvgPool", "x", len(x), pixels*len(y))
	ColumnSums(x, y, pixels, len(y))
	Scale(1/T(pixels), y)
}

// GlobalAvgPoolBackward overwrites dx, [pixels][n·c], with the gradient of
// GlobalAvgPool: dy/pixels at every pixel.
func GlobalAvgPoolBackward[T Float](dy, dx []T, pixels int) {
	need("GlobalAvgPoolBackward", "dx", len(dx), pixels*len(dy))
	inv := 1 / T(pixels)
	for p := range pixels {
		d := dx[p*len(dy):][:len(dy)]
		for i, v := range dy {
			d[i] = v * inv
		}
	}
}
