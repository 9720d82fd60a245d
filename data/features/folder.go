package features

import (
	"cmp"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hinge/data/mnist"
	"hinge/symbolic/facts"
)

// maxPixels bounds the size of an image in a folder.
const maxPixels = 1 << 28

// readFolder reads the images of a folder in the order of their names.
func readFolder(folder string, channels int) (*Table, error) {
	t := &Table{index: map[string]int32{}, Pictures: true}
	within := folder + string(filepath.Separator) // else a walk does not go into a link
	err := filepath.WalkDir(within, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !mnist.IsPicture(path) {
			return err
		}
		img, err := readImage(path)
		if err != nil {
			return &facts.Error{Source: path, Msg: err.Error()}
		}
		shape := shapeOf(img, channels)
		if t.Shape == nil {
			t.Shape = shape
		}
		if !slices.Equal(shape, t.Shape) {
			return &facts.Error{Source: path, Msg: fmt.Sprintf("%s pixels, the first image has %s; scale all to one size", sides(shape), sides(t.Shape))}
		}
		t.pixels = mnist.AppendPixels(t.pixels, img, channels)
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		t.add(name, t.rows)
		if short := strings.TrimSuffix(name, filepath.Ext(name)); !t.add(short, t.rows) {
			return &facts.Error{Source: path, Msg: fmt.Sprintf("there are two images named %s", short)}
		}
		t.rows++
		return nil
	})
	if err == nil && t.rows == 0 {
		err = &facts.Error{Source: folder, Msg: "the folder holds no " + strings.Join(mnist.PictureEndings, ", ") + " file"}
	}
	return t, err
}

// shapeOf is the shape of an image's features.
func shapeOf(img image.Image, channels int) []int {
	size := img.Bounds().Size()
	if channels == 3 {
		return []int{3, size.Y, size.X}
	}
	return []int{size.Y, size.X}
}

// sides names width and height of a shape.
func sides(shape []int) string {
	return fmt.Sprintf("%d×%d", shape[len(shape)-1], shape[len(shape)-2])
}

// ReadPicture reads a picture as those of a folder with features of a shape are read. It has at most limit pixels; 0
// means what a folder's may have.
func ReadPicture(in io.ReadSeeker, shape []int, limit int) ([]float32, error) {
	img, err := mnist.DecodePicture(in, cmp.Or(limit, maxPixels))
	if err != nil {
		return nil, err
	}
	channels := 1
	if len(shape) == 3 {
		channels = shape[0]
	}
	if got := shapeOf(img, channels); !slices.Equal(got, shape) {
		return nil, fmt.Errorf("%s pixels, the network was trained on pictures of %s; scale it to that size", sides(got), sides(shape))
	}
	x := make([]float32, 0, channels*shape[len(shape)-1]*shape[len(shape)-2])
	for _, v := range mnist.AppendPixels(nil, img, channels) {
		x = append(x, float32(v)/255)
	}
	return x, nil
}

func readImage(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return mnist.DecodePicture(f, maxPixels)
}
