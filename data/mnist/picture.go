package mnist

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // decoders of ReadPictures
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Picture is an image of one digit from a file, laid out as MNIST's are.
type Picture struct {
	// Name is the file's, with "#k" for image k of an IDX file, from 0.
	Name string
	// Layout says what the file's image was like.
	Layout Layout
}

// ReadPictures reads images of one's own and lays each out with Normalise. Every
// path is a PNG or JPEG file, an IDX file of unsigned bytes in three dimensions
// (MNIST's form, gzip-compressed or not), or a folder, of which the files named
// .png, .jpg and .jpeg are read in the order of their names as text. The result
// keeps the order of the paths; the labels of the Part mean nothing. Errors name
// the file and what to do.
func ReadPictures(paths ...string) ([]Picture, *Part, error) {
	r := new(pictures)
	for _, path := range paths {
		if err := r.path(path); err != nil {
			return nil, nil, fmt.Errorf("mnist: %w", err)
		}
	}
	part, err := NewPart(r.pixels, make([]uint8, len(r.list)))
	return r.list, part, err
}

// pictures collects.
type pictures struct {
	list   []Picture
	pixels []uint8
}

func (r *pictures) path(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return r.file(path)
	}
	entries, err := os.ReadDir(path) // sorted by name
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(e.Name()))) {
			found = true
			if err := r.file(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("%s: the folder holds no .png, .jpg or .jpeg file; name one that does, or the files themselves", path)
	}
	return nil
}

// file tells the formats apart by their first bytes.
func (r *pictures) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	head, err := in.Peek(2)
	switch {
	case len(head) < 2:
		return fmt.Errorf("%s: %w; the file has %d bytes", path, noEOF(err), len(head))
	case bytes.Equal(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return r.idx(path, bufio.NewReader(z))
	case bytes.Equal(head, []byte{0, 0}):
		return r.idx(path, in)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	img, err := decode(f, maxPixels)
	if errors.Is(err, image.ErrFormat) {
		return fmt.Errorf("%s: neither PNG, JPEG nor IDX; save it as one of these", path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return r.add(path, img)
}

// ReadPicture reads one PNG or JPEG image of at most limit pixels and lays it out with
// Normalise in dst[:Pixels].
func ReadPicture(dst []uint8, in io.ReadSeeker, limit int) (Layout, error) {
	img, err := decode(in, limit)
	if errors.Is(err, image.ErrFormat) {
		err = errors.New("neither PNG nor JPEG; save it as one of these")
	}
	if err != nil {
		return Layout{}, err
	}
	return Normalise(dst, img)
}

// decode reads a PNG or JPEG image, whose size is judged before its pixels are read;
// image.ErrFormat tells that it is none.
func decode(in io.ReadSeeker, limit int) (image.Image, error) {
	c, _, err := image.DecodeConfig(in)
	if err == nil && c.Width*c.Height > limit {
		err = fmt.Errorf("%d×%d pixels are too many; cut the digit out", c.Width, c.Height)
	}
	if err == nil {
		_, err = in.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	img, _, err := image.Decode(in)
	if err != nil {
		return nil, fmt.Errorf("damaged: %w; save it anew", err)
	}
	return img, nil
}

// idx reads every image of an IDX file.
func (r *pictures) idx(path string, in *bufio.Reader) error {
	data, n, height, width, err := ReadIDX(in)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for k := range n {
		img := image.NewGray(image.Rect(0, 0, width, height))
		copy(img.Pix, data[k*height*width:])
		if err := r.add(fmt.Sprintf("%s#%d", path, k), img); err != nil {
			return err
		}
	}
	return nil
}

// add lays an image out.
func (r *pictures) add(name string, img image.Image) error {
	var pixels [Pixels]uint8
	layout, err := Normalise(pixels[:], img)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.list = append(r.list, Picture{name, layout})
	r.pixels = append(r.pixels, pixels[:]...)
	return nil
}
