package mnist

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func put(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

func encoded(t *testing.T, img image.Image, asJPEG bool) []byte {
	t.Helper()
	var out bytes.Buffer
	err := png.Encode(&out, img)
	if asJPEG {
		out.Reset()
		err = jpeg.Encode(&out, img, nil)
	}
	require.NoError(t, err)
	return out.Bytes()
}

// idxOf is an IDX file of images.
func idxOf(images ...[]uint8) []byte {
	out := []byte{0, 0, 8, 3, 0, 0, 0, byte(len(images)), 0, 0, 0, Side, 0, 0, 0, Side}
	return append(out, slices.Concat(images...)...)
}

// Files, folders and lists come in the order they are named, folders by name.
func TestReadPictures(t *testing.T) {
	set, err := Load("")
	require.NoError(t, err)
	raw := func(i int) []uint8 { return set.Test.Raw(i) }
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	require.NoError(t, os.Mkdir(folder, 0o755))
	put(t, folder, "b.PNG", encoded(t, grey(raw(1)), false))
	put(t, folder, "a.jpeg", encoded(t, drawn(raw(0), 4, 9, 9, 150, 130, white, black), true))
	put(t, folder, "notes.txt", []byte("no image"))
	one := put(t, dir, "without-extension", encoded(t, drawn(raw(2), 2, 0, 0, 56, 56, black, white), false))
	plain := put(t, dir, "images.idx", idxOf(raw(3), raw(4)))
	packed := put(t, dir, "images.gz", zip(t, idxOf(raw(5))))

	list, part, err := ReadPictures(packed, folder, plain, one)
	require.NoError(t, err)
	want := []Picture{
		{packed + "#0", Layout{AsIs: true}}, {filepath.Join(folder, "a.jpeg"), Layout{DarkInk: true}},
		{filepath.Join(folder, "b.PNG"), Layout{AsIs: true}},
		{plain + "#0", Layout{AsIs: true}}, {plain + "#1", Layout{AsIs: true}}, {one, Layout{}},
	}
	if !slices.Equal(list, want) || part.Len() != len(want) {
		t.Fatalf("read %v, want %v", list, want)
	}
	for k, i := range []int{5, 0, 1, 3, 4, 2} {
		if d := far(part.Raw(k), raw(i)); d > 2 || want[k].Layout.AsIs && d > 0 {
			t.Errorf("%s is %.2f grey levels from image %d of the test", list[k].Name, d, i)
		}
	}
}

func TestReadPicturesRefuses(t *testing.T) {
	dir := t.TempDir()
	digit := idxOf(make([]uint8, Pixels))
	whole := encoded(t, image.NewGray(image.Rect(0, 0, 9, 9)), false)
	huge := slices.Clone(digit)
	copy(huge[4:], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"text.png":  {[]byte("hello, I am text"), "neither PNG, JPEG, GIF nor IDX; save it as one of these"},
		"empty":     {nil, "the file has 0 bytes"},
		"half.png":  {whole[:len(whole)-20], "damaged: "},
		"head.png":  {whole[:20], "unexpected EOF"},
		"blank.png": {whole, "no digit stands out"},
		"blank.idx": {digit, "blank.idx#0: no digit stands out"},
		"short.idx": {digit[:99], "IDX data ends after 83 of 784 bytes: the file is cut off"},
		"none.idx":  {idxOf(), "IDX dimensions [0 28 28]: no image"},
		"label.idx": {[]byte{0, 0, 8, 1, 0, 0, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "IDX magic number is 0x00000801"},
		"stub.idx":  {digit[:9], "IDX header of 16 bytes"},
		"huge.idx":  {huge, "IDX dimensions [4294967295] are more than"},
		"bad.gz":    {[]byte{0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "the file is not compressed by gzip, or it is cut off"},
		"long.gz":   {zip(t, append(slices.Clone(digit), 1)), "trailing bytes"},
	} {
		path := put(t, dir, name, c.data)
		if _, _, err := ReadPictures(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	if _, _, err := ReadPictures(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no .png, .jpg, .jpeg, .gif file") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, _, err := ReadPictures(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("no file: %v", err)
	}
}

// A GIF is read as the same picture in PNG is; another format is told from the three, also
// in a program that has a decoder for it.
func TestDecodePicture(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	img.SetColorIndex(2, 1, 1)
	var file bytes.Buffer
	require.NoError(t, gif.Encode(&file, img, nil))
	got, err := DecodePicture(bytes.NewReader(file.Bytes()), 6)
	if err != nil || !IsPicture("b.GIF") {
		t.Fatal(err)
	}
	for x := range 3 {
		if a, b := color.GrayModel.Convert(got.At(x, 1)), color.GrayModel.Convert(img.At(x, 1)); a != b {
			t.Errorf("pixel %d of a GIF is %v, want %v", x, a, b)
		}
	}
	image.RegisterFormat("other", "OTHER", func(io.Reader) (image.Image, error) { return img, nil },
		func(io.Reader) (image.Config, error) { return image.Config{Width: 3, Height: 2}, nil })
	_, err = DecodePicture(strings.NewReader("OTHER"), 6)
	if !errors.Is(err, image.ErrFormat) || !strings.HasPrefix(err.Error(), "neither PNG, JPEG nor GIF; save it as one of these") {
		t.Errorf("another format: %v", err)
	}
}

// A GIF whose first frame covers a part of the picture has the size of the picture, and the rest is transparent. The right
// values are those of Pillow 13.0 for these bytes, laid over white.
func TestDecodePictureOfSmallFrame(t *testing.T) {
	frame := image.NewPaletted(image.Rect(1, 2, 4, 3), color.Palette{color.Transparent, color.Black, color.White})
	copy(frame.Pix, []uint8{1, 2, 1})
	var file bytes.Buffer
	require.NoError(t, gif.EncodeAll(&file, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 5, Height: 4, ColorModel: frame.Palette}}))
	img, err := DecodePicture(bytes.NewReader(file.Bytes()), 20)
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 5, 4), img.Bounds())
	want := slices.Repeat([]uint8{255}, 20)
	want[11], want[13] = 0, 0
	require.Equal(t, want, AppendPixels(nil, img, 1))
}

// A picture in memory is laid out as the same file is, and judged by its size before it
// is read.
func TestReadPicture(t *testing.T) {
	set, err := Load("")
	require.NoError(t, err)
	file := encoded(t, drawn(set.Test.Raw(0), 4, 9, 9, 150, 130, white, black), false)
	_, part, err := ReadPictures(put(t, t.TempDir(), "a.png", file))
	require.NoError(t, err)
	got := make([]uint8, Pixels)
	layout, err := ReadPicture(got, bytes.NewReader(file), 150*130)
	if err != nil || !layout.DarkInk || !slices.Equal(got, part.Raw(0)) {
		t.Errorf("%+v, %v", layout, err)
	}
	if _, err := ReadPicture(got, bytes.NewReader(file), 150*130-1); err == nil || !strings.Contains(err.Error(), "150×130 pixels are too many") {
		t.Errorf("a large picture: %v", err)
	}
}
