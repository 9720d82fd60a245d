package features

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"hinge/data/mnist"
	"hinge/data/npy"
	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
)

// Options are the settings of Read. The zero value fits a file that needs none.
type Options struct {
	// Fields is the number of fields that name an entity; zero means 1.
	Fields int
	// Labelled reports whether the last field of a line is a label, not a feature.
	Labelled bool
	// Entities is a file with the names of the entities, one a line, for forms
	// without names.
	Entities string
	// Channels is the number of channels of images in a folder: 1 (or 0), grey, or
	// 3, colours.
	Channels int
	// Root is the data root for MNIST's images (see mnist.Load).
	Root string
}

// Table holds the features of entities.
type Table struct {
	// Shape is the shape of one entity's features: {width}, {height, width} or
	// {3, height, width}.
	Shape []int
	// Encoding is that of the columns of a source (ReadRecords); nil of other forms.
	Encoding *Encoding
	// Pictures reports whether the features are those of the pictures of a folder (ReadPicture).
	Pictures bool

	source string
	rows   int
	index  map[string]int32 // by name; nil where names are numbers
	values []float32        // [rows][Shape...], or
	pixels []uint8          // the same as bytes
	image  func(dst []float32, row int)
}

// Len returns the number of entities.
func (t *Table) Len() int { return t.rows }

// Width returns the number of features of an entity, the product of Shape.
func (t *Table) Width() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Entities returns the fields of the entity of each row; nil where these have no names but
// their numbers. Of an image in a folder it is the path without the ending.
func (t *Table) Entities() [][]string {
	if t.index == nil {
		return nil
	}
	names := make([]string, t.rows)
	for name, row := range t.index {
		if old := names[row]; old == "" || len(name) < len(old) {
			names[row] = name
		}
	}
	out := make([][]string, t.rows)
	for row, name := range names {
		out[row] = strings.Split(name, "\t")
	}
	return out
}

// Find returns the row of an entity, given by its fields.
func (t *Table) Find(entity ...string) (row int, ok bool) {
	if t.index != nil {
		i, ok := t.index[strings.Join(entity, "\t")]
		return int(i), ok
	}
	if len(entity) != 1 {
		return 0, false
	}
	i, err := strconv.Atoi(entity[0])
	return i, err == nil && i >= 0 && i < t.rows
}

// Row writes the features of a row to dst[:Width()].
func (t *Table) Row(dst []float32, row int) {
	n := t.Width()
	switch dst = dst[:n]; {
	case t.image != nil:
		t.image(dst, row)
	case t.values != nil:
		copy(dst, t.values[row*n:])
	default:
		for i, v := range t.pixels[row*n : (row+1)*n] {
			dst[i] = float32(v) / 255
		}
	}
}

// Read reads the features at a path in the form that they have.
func Read(path string, o Options) (*Table, error) {
	o.Fields, o.Channels = max(o.Fields, 1), max(o.Channels, 1)
	t, err := read(path, &o)
	if err != nil {
		return nil, err
	}
	t.source = path
	if o.Entities != "" {
		if t.index != nil {
			return nil, &facts.Error{Source: o.Entities, Msg: "names for " + path + ", which has names of its own; leave them out"}
		}
		err = t.name(o.Entities)
	}
	return t, err
}

func read(path string, o *Options) (*Table, error) {
	if part, ok := strings.CutPrefix(path, "mnist:"); ok {
		return readMNIST(part, o.Root)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return readFolder(path, o.Channels)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := unzip(path, f)
	if err != nil {
		return nil, err
	}
	head, err := in.Peek(16)
	switch {
	case err != nil && err != io.EOF:
		return nil, &facts.Error{Source: path, Msg: err.Error()}
	case bytes.HasPrefix(head, []byte(npy.Magic)):
		return readNPY(path, in)
	case len(head) > 4 && head[0] == 0 && head[1] == 0:
		pixels, n, height, width, err := mnist.ReadIDX(in)
		if err != nil {
			return nil, &facts.Error{Source: path, Msg: err.Error()}
		}
		return &Table{Shape: []int{height, width}, rows: n, pixels: pixels}, nil
	}
	if err := facts.Mistaken(path, head, ""); err != nil {
		return nil, err
	}
	return readText(path, in, o)
}

// unzip decompresses a file that begins as gzip does.
func unzip(path string, r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if head, _ := in.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return in, nil
	}
	z, err := facts.Unzip(in)
	if err != nil {
		return nil, &facts.Error{Source: path, Msg: err.Error()}
	}
	return bufio.NewReaderSize(z, 1<<16), nil
}

// readMNIST takes a part of MNIST.
func readMNIST(part, root string) (*Table, error) {
	set, err := mnist.Load(root)
	if err != nil {
		return nil, err
	}
	images := set.Train
	if part == "test" {
		images = set.Test
	} else if part != "train" {
		return nil, &facts.Error{Source: "mnist:" + part, Msg: "want mnist:train or mnist:test"}
	}
	return &Table{Shape: []int{mnist.Side, mnist.Side}, rows: images.Len(), image: images.Image}, nil
}

// add gives a row a name.
func (t *Table) add(name string, row int) bool {
	if _, twice := t.index[name]; twice {
		return false
	}
	t.index[name] = int32(row)
	return true
}

// name reads the names of the entities from a file.
func (t *Table) name(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := unzip(path, f)
	if err != nil {
		return err
	}
	t.index = make(map[string]int32, t.rows)
	lines := facts.NewLines(path, in)
	for err = lines.Next(); err == nil; err = lines.Next() {
		name := strings.TrimSpace(lines.Text())
		if len(t.index) == t.rows {
			return lines.Fail(-1, fmt.Sprintf("there is a name more than the %d entities of %s", t.rows, t.source))
		}
		if !t.add(name, len(t.index)) {
			return lines.Fail(-1, fmt.Sprintf("the entity %q occurs twice", name))
		}
	}
	if err != io.EOF {
		return err
	}
	if n := len(t.index); n < t.rows {
		return &facts.Error{Source: path, Msg: fmt.Sprintf("%s for the %d entities of %s", psl.Count(n, "name"), t.rows, t.source)}
	}
	return nil
}

// readNPY reads an array of numpy; one axis is one feature an entity.
func readNPY(path string, in *bufio.Reader) (*Table, error) {
	a, err := npy.Read(in)
	if err != nil {
		return nil, &facts.Error{Source: path, Msg: err.Error()}
	}
	shape := a.Shape
	if len(shape) == 1 {
		shape = append(shape, 1)
	}
	if len(shape) > 4 || len(shape) == 4 && shape[1] != 3 {
		return nil, &facts.Error{Source: path, Msg: fmt.Sprintf("an array of shape %v; want (entities, features), (entities, height, width) or (entities, 3, height, width)", shape)}
	}
	t := &Table{Shape: shape[1:], rows: shape[0], values: a.Values, pixels: a.Bytes}
	if a.Bytes != nil && len(shape) == 2 { // features, not pixels
		t.values, t.pixels = make([]float32, len(a.Bytes)), nil
		for i, v := range a.Bytes {
			t.values[i] = float32(v)
		}
	}
	return t, nil
}
