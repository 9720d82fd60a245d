package mnist

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Pixels returns the pixels of images of the part, one image after the other, as a network's
// input. Unless aug is nil, the k-th image is distorted as image k of the given step.
func (p *Part) Pixels(images []int32, aug *Augmenter, step uint64) []float32 {
	dst := make([]float32, len(images)*Pixels)
	var g errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		g.Go(func() error {
			for k := worker; k < len(images); k += workers {
				pixels := dst[k*Pixels : (k+1)*Pixels]
				if aug == nil {
					p.Image(pixels, int(images[k]))
				} else {
					aug.Apply(pixels, p.Raw(int(images[k])), step, uint64(k))
				}
			}
			return nil
		})
	}
	_ = g.Wait() // the workers return no errors
	return dst
}
