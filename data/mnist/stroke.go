package mnist

// stroke blends the image with its dilation (share > 0) or its erosion (share <
// 0) by the 3×3 cross, by |share|.
func (p *paddedImage) stroke(share float32) {
	src := *p
	for y := 1; y <= Side; y++ {
		// The rows above and below, and the row with its two neighbours.
		up, mid, down := src[(y-1)*stride+1:][:Side], src[y*stride:][:Side+2], src[(y+1)*stride+1:][:Side]
		out := p[y*stride+1:][:Side]
		if share > 0 {
			for x, v := range mid[1 : Side+1] {
				out[x] = v + share*(max(v, up[x], down[x], mid[x], mid[x+2])-v)
			}
		} else {
			for x, v := range mid[1 : Side+1] {
				out[x] = v + share*(v-min(v, up[x], down[x], mid[x], mid[x+2]))
			}
		}
	}
}
