package kernel

import "math"

// LogSoftmax writes x − log Σ exp x of each of the rows of x to y, which may be x.
func LogSoftmax[T Float](x, y []T, rows, c int) {
	need("LogSoftmax", "x", len(x), rows*c)
	need("LogSoftmax", "y", len(y), rows*c)
	Parallel(rows, grainFor(workElems/4, c), func(lo, hi int) {
		for i := lo * c; i < hi*c; i += c {
			logSoftmaxRow(x[i:][:c], y[i:][:c])
		}
	})
}

func logSoftmaxRow[T Float](x, y []T) {
	top := maxOf(x)
	var sum float64
	for _, v := range x {
		sum += math.Exp(float64(v - top))
	}
	norm := T(math.Log(sum))
	for j, v := range x {
		y[j] = v - top - norm
	}
}

// LogSoftmaxBackward overwrites dx with the gradient of LogSoftmax from its
// output y: dx = dy − exp(y)·Σ dy, row by row. dx may be dy.
func LogSoftmaxBackward[T Float](dy, y, dx []T, rows, c int) {
	need("LogSoftmaxBackward", "dy", len(dy), rows*c)
	need("LogSoftmaxBackward", "y", len(y), rows*c)
	need("LogSoftmaxBackward", "dx", len(dx), rows*c)
	for i := 0; i < rows*c; i += c {
		dyr, yr, dxr := dy[i:][:c], y[i:][:c], dx[i:][:c]
		var sum float64
		for _, d := range dyr {
			sum += float64(d)
		}
		for j, d := range dyr {
			dxr[j] = T(float64(d) - math.Exp(float64(yr[j]))*sum)
		}
	}
}

func maxOf[T Float](x []T) T {
	top := x[0]
	for _, v := range x[1:] {
		top = max(top, v)
	}
	return top
}
