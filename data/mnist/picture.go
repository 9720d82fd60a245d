package mnist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // the decoders of DecodePicture
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hinge/symbolic/facts"
)

// Picture is an image of one digit from a file, laid out as MNIST's are.
type Picture struct {
	// Name is the file's, with "#k" for image k of an IDX file, from 0.
	Name string
	// Layout describes the original image.
	Layout Layout
}

// ReadPictures reads images from outside MNIST and lays each out with Normalise. Every path is
// a PNG, JPEG or GIF file, an IDX file of unsigned bytes in three dimensions (MNIST's form,
// gzip-compressed or not), or a folder; in a folder it reads the files that IsPicture accepts,
// sorted by name. The result keeps the order of the paths; the labels of the Part have no
// meaning. Errors name the file and what to do about it.
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
		if IsPicture(e.Name()) {
			found = true
			if err := r.file(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("%s: the folder holds no %s file; name one that does, or the files themselves", path, strings.Join(PictureEndings, ", "))
	}
	return nil
}

// file chooses the format by the first bytes of the file.
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
		return fmt.Errorf("%s: the file has %d bytes: %w", path, len(head), noEOF(err))
	case bytes.Equal(head, []byte{0x1f, 0x8b}):
		z, err := facts.Unzip(in)
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
	img, err := DecodePicture(f, maxPixels)
	if errors.Is(err, image.ErrFormat) {
		err = errors.New("neither PNG, JPEG, GIF nor IDX; save it as one of these")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return r.add(path, img)
}

// ReadPicture reads one PNG, JPEG or GIF image of at most limit pixels and lays it out
// with Normalise in dst[:Pixels].
func ReadPicture(dst []uint8, in io.ReadSeeker, limit int) (Layout, error) {
	img, err := DecodePicture(in, limit)
	if err != nil {
		return Layout{}, err
	}
	return Normalise(dst, img)
}

// PictureEndings are the file name endings of pictures in a folder.
var PictureEndings = []string{".png", ".jpg", ".jpeg", ".gif"}

// IsPicture reports whether a name has one of PictureEndings, in letters of either case.
func IsPicture(name string) bool {
	return slices.Contains(PictureEndings, strings.ToLower(filepath.Ext(name)))
}

// DecodePicture reads a PNG or JPEG image, or the first frame of a GIF, transparent where the frame
// does not cover the picture. It checks the size before it reads the pixels. Any other format is
// an image.ErrFormat that names the three, even if the program has registered decoders for it.
func DecodePicture(in io.ReadSeeker, limit int) (image.Image, error) {
	c, format, err := image.DecodeConfig(in)
	switch {
	case errors.Is(err, image.ErrFormat) || err == nil && !slices.Contains([]string{"png", "jpeg", "gif"}, format):
		return nil, fmt.Errorf("neither PNG, JPEG nor GIF; save it as one of these (%w)", image.ErrFormat)
	case err == nil && c.Width*c.Height > limit:
		err = fmt.Errorf("%d×%d pixels are too many; cut out what matters", c.Width, c.Height)
	case err == nil:
		_, err = in.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	img, _, err := image.Decode(in)
	if err != nil {
		return nil, fmt.Errorf("damaged: %w; save it anew", err)
	}
	if whole := image.Rect(0, 0, c.Width, c.Height); img.Bounds() != whole {
		picture := image.NewNRGBA(whole)
		draw.Draw(picture, img.Bounds(), img, img.Bounds().Min, draw.Src)
		return picture, nil
	}
	return img, nil
}

// AppendPixels adds the channels of an image, one after the other: one is grey, three are colours. Transparent
// pixels are laid over white.
func AppendPixels(to []uint8, img image.Image, channels int) []uint8 {
	b := img.Bounds()
	to = slices.Grow(to, max(0, channels*b.Dx()*b.Dy()))
	opaque := false // by its kind
	switch img.(type) {
	case *image.Gray, *image.YCbCr, *image.CMYK:
		opaque = true
	}
	for c := range channels {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				p := img.At(x, y)
				if !opaque {
					p = overWhite(p)
				}
				if channels == 1 {
					to = append(to, color.GrayModel.Convert(p).(color.Gray).Y)
					continue
				}
				r, g, b, _ := p.RGBA()
				to = append(to, uint8([3]uint32{r, g, b}[c]>>8))
			}
		}
	}
	return to
}

// overWhite lays a colour over white, as which transparent pictures are seen.
func overWhite(c color.Color) color.RGBA64 {
	r, g, b, a := c.RGBA()
	white := 0xffff - a
	return color.RGBA64{uint16(r + white), uint16(g + white), uint16(b + white), 0xffff}
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
