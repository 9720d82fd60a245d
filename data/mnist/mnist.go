package mnist

import (
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"weak"

	"golang.org/x/sync/errgroup"
)

const (
	// Side is the width and the height of an image in pixels.
	Side = 28
	// Pixels is the number of pixels of an image, stored row by row.
	Pixels = Side * Side
	// Classes is the number of digits.
	Classes = 10
	// TrainSize and TestSize are the numbers of images of MNIST's two parts.
	TrainSize, TestSize = 60000, 10000
)

// IsShape reports whether inputs of a shape are grey images of MNIST's size, {Side, Side}.
func IsShape(shape []int) bool { return slices.Equal(shape, []int{Side, Side}) }

// fileNames are the four files of a data folder.
var fileNames = [4]string{
	"train-images-idx3-ubyte.gz",
	"train-labels-idx1-ubyte.gz",
	"t10k-images-idx3-ubyte.gz",
	"t10k-labels-idx1-ubyte.gz",
}

// intensity maps a stored byte to the network's input: v/255 rounded to four
// decimals, as the reference experiments store their images.
var intensity = func() (table [256]float32) {
	for v := range table {
		table[v] = float32(math.Round(float64(v)/255*1e4) / 1e4)
	}
	return table
}()

// Set is MNIST as published.
type Set struct {
	// Train has the 60,000 images of MNIST's training part, Test the 10,000
	// of its test part.
	Train, Test *Part
	// Source is the folder the files were read from.
	Source string

	all *Part // both parts, of which Train and Test are slices; nil unless they were read from files
}

// All returns the images of both parts, Train's first.
func (s *Set) All() *Part {
	if s.all != nil {
		return s.all
	}
	return &Part{
		pixels: slices.Concat(s.Train.pixels, s.Test.pixels),
		labels: slices.Concat(s.Train.labels, s.Test.labels),
	}
}

// Part is a list of images with their digits.
type Part struct {
	pixels []uint8
	labels []uint8
}

// NewPart makes a Part of pixel intensities (Pixels bytes an image, row by
// row, 0 background, 255 ink) and their digits. It keeps both slices; they must
// not be changed afterwards.
func NewPart(pixels, labels []uint8) (*Part, error) {
	if len(pixels) != Pixels*len(labels) {
		return nil, fmt.Errorf("mnist: %d bytes of pixels for %d labels, want %d", len(pixels), len(labels), Pixels*len(labels))
	}
	for i, l := range labels {
		if l >= Classes {
			return nil, fmt.Errorf("mnist: label %d is %d, want 0 to %d", i, l, Classes-1)
		}
	}
	return &Part{pixels: pixels, labels: labels}, nil
}

// Len returns the number of images.
func (p *Part) Len() int { return len(p.labels) }

// Label returns the digit of image i, 0 to 9.
func (p *Part) Label(i int) int { return int(p.labels[i]) }

// Raw returns the stored bytes of image i, row by row. They must not be
// changed.
func (p *Part) Raw(i int) []uint8 { return p.pixels[i*Pixels : (i+1)*Pixels : (i+1)*Pixels] }

// Picture returns image i as people see it, ink black on white paper.
func (p *Part) Picture(i int) image.Image {
	picture := image.NewGray(image.Rect(0, 0, Side, Side))
	for k, v := range p.Raw(i) {
		picture.Pix[k] = 255 - v
	}
	return picture
}

// Image writes the pixels of image i to dst[:Pixels], each in [0, 1] and
// rounded to four decimals.
func (p *Part) Image(dst []float32, i int) {
	raw := p.Raw(i)
	dst = dst[:len(raw)]
	for k, v := range raw {
		dst[k] = intensity[v]
	}
}

// Load finds and reads the four MNIST files; see the package comment for where
// it looks. The files of a non-empty root come first: they may lie in root
// itself or in its subfolder mnist, MNIST/raw, data or GoMNIST/data. A root
// that does not exist, or that holds only some of the files, is an error; one
// that holds none of them (a root for other data) is passed over. Sets of one folder share
// their images while they are in use; any goroutine may load.
func Load(root string) (*Set, error) {
	dir, err := newLocator().find(root)
	if err != nil {
		return nil, err
	}
	loaded.Lock()
	defer loaded.Unlock()
	m := loaded.memory[dir].Value()
	if m == nil {
		m = new(memory)
		if err := loadDir(dir, m.pixels[:], m.labels[:], TrainSize); err != nil {
			return nil, err
		}
		loaded.memory[dir] = weak.Make(m)
	}
	all := &Part{pixels: m.pixels[:], labels: m.labels[:]}
	return &Set{Train: all.slice(0, TrainSize), Test: all.slice(TrainSize, TrainSize+TestSize), Source: dir, all: all}, nil
}

// memory holds MNIST's training part and its test part.
type memory struct {
	pixels [(TrainSize + TestSize) * Pixels]uint8
	labels [TrainSize + TestSize]uint8
}

// loaded has the memory of the folders that were read, as long as somebody uses it: to load a
// folder again takes no time and no more memory then.
var loaded = struct {
	sync.Mutex
	memory map[string]weak.Pointer[memory]
}{memory: map[string]weak.Pointer[memory]{}}

// slice is the images from lo to hi.
func (p *Part) slice(lo, hi int) *Part {
	return &Part{pixels: p.pixels[lo*Pixels : hi*Pixels], labels: p.labels[lo:hi]}
}

// loadDir reads the files of dir, which must hold as many images as there are labels. The
// first train images are the training part.
func loadDir(dir string, pixels, labels []uint8, train int) error {
	err := loadPart(dir, fileNames[0], fileNames[1], pixels[:train*Pixels], labels[:train])
	if err != nil {
		return err
	}
	return loadPart(dir, fileNames[2], fileNames[3], pixels[train*Pixels:], labels[train:])
}

// loadPart reads the files of images and labels into pixels and digits.
func loadPart(dir, images, labels string, pixels, digits []uint8) error {
	if err := loadFile(filepath.Join(dir, images), pixels, len(digits), Side, Side); err != nil {
		return err
	}
	if err := loadFile(filepath.Join(dir, labels), digits, len(digits)); err != nil {
		return err
	}
	if _, err := NewPart(pixels, digits); err != nil {
		return fmt.Errorf("%w (in %s; delete the file and fetch it again)", err, filepath.Join(dir, labels))
	}
	return nil
}

func loadFile(name string, data []uint8, dims ...int) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("mnist: %w", err)
	}
	defer f.Close()
	if _, err := readGzipIDX(f, data, dims...); err != nil {
		return fmt.Errorf("mnist: %s: %w (delete the file and fetch it again)", name, err)
	}
	return nil
}

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
