package nn

import "fmt"

// Window is the window that a convolution or a pool slides over a map. Its fields have a value
// for each direction: first downwards, then to the right.
type Window struct {
	// Kernel are its sides, Stride its steps and Dilation the distance of its taps; 0
	// means 1 for both.
	Kernel, Stride, Dilation [2]int
	// Pad are pixels around the map: above, left, below, right.
	Pad [4]int
	// Ceil lets the last window, which may be the only one, begin on the map, or on the padding
	// before it, and reach beyond the padding after it by less than a step.
	Ceil bool
}

// pair is a pixel of the output, one of the input under its window, and the tap of that.
type pair struct{ out, in, tap int }

// pairs returns the pairs of window and tap on a map, and the size of the output. inside
// counts the taps of a window that are on the map or its padding.
func (w Window) pairs(height, width int) (outH, outW int, list []pair, inside []int, err error) {
	for i := range 2 {
		w.Stride[i], w.Dilation[i] = max(w.Stride[i], 1), max(w.Dilation[i], 1)
	}
	side := func(n, axis int) (int, error) {
		before, after, reach := w.Pad[axis], w.Pad[axis+2], w.Dilation[axis]*(w.Kernel[axis]-1)+1
		room := n + before + after - reach
		if w.Kernel[axis] < 1 || before < 0 || after < 0 || room < 0 && (!w.Ceil || room <= -w.Stride[axis]) {
			return 0, fmt.Errorf("the window %+v does not fit a map of %d×%d", w, height, width)
		}
		out := room/w.Stride[axis] + 1
		if w.Ceil && room%w.Stride[axis] > 0 && out*w.Stride[axis] < n+before {
			out++
		}
		return out, nil
	}
	if outH, err = side(height, 0); err != nil {
		return
	}
	if outW, err = side(width, 1); err != nil {
		return
	}
	inside = make([]int, outH*outW)
	for oy := range outH {
		for ox := range outW {
			for ky := range w.Kernel[0] {
				for kx := range w.Kernel[1] {
					y, x := oy*w.Stride[0]-w.Pad[0]+ky*w.Dilation[0], ox*w.Stride[1]-w.Pad[1]+kx*w.Dilation[1]
					if y < height+w.Pad[2] && x < width+w.Pad[3] {
						inside[oy*outW+ox]++
					}
					if y >= 0 && y < height && x >= 0 && x < width {
						list = append(list, pair{oy*outW + ox, y*width + x, ky*w.Kernel[1] + kx})
					}
				}
			}
		}
	}
	return
}

// grouped are the pairs by a number of each.
func grouped(list []pair, n int, by func(pair) int) [][]pair {
	out := make([][]pair, n)
	for _, p := range list {
		out[by(p)] = append(out[by(p)], p)
	}
	return out
}
