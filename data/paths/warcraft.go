package paths

import (
	"bufio"
	"cmp"
	"crypto/md5" // of the published sums: against damage, not against malice
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hinge/data/npy"
	"hinge/symbolic/facts"
)

// TileSide is the side of a cell's picture on a Warcraft map, in pixels of three colours.
const TileSide = 8

// Sides lists the sides of the published maps.
var Sides = []int{12, 18, 24, 30}

const (
	archive = "warcraft_maps.tar.gz"
	address = "https://edmond.mpg.de/dataset.xhtml?persistentId=doi:10.17617/3.YJCQ5S"
	// archiveSum is the MD5 sum that the publisher gives for the archive.
	archiveSum = "acea5ea60a47664ff189923a84814e96"
)

// Maps are Warcraft maps with their paths.
type Maps struct {
	Grids
	files []pixels
}

// pixels holds the pixels of the maps of a file, [maps][8·Side][8·Side][3].
type pixels struct {
	bytes []uint8
	maps  int
}

// Tile writes the picture of a cell of a map to dst: three colours of
// TileSide rows and columns, in [0, 1].
func (m *Maps) Tile(dst []float32, grid, cell int) {
	file := 0
	for ; grid >= m.files[file].maps; file++ {
		grid -= m.files[file].maps
	}
	row := TileSide * m.Side * 3
	first := (grid*TileSide*m.Side+cell/m.Side*TileSide)*row + cell%m.Side*TileSide*3
	for i := range dst[:3*TileSide*TileSide] {
		colour, y, x := i/TileSide/TileSide, i/TileSide%TileSide, i%TileSide
		dst[i] = float32(m.files[file].bytes[first+y*row+x*3+colour]) / 255
	}
}

// MapSplit is a published set of maps.
type MapSplit struct{ Train, Valid, Test Maps }

// LoadWarcraft reads the published maps of a side, one of Sides, from below a folder: the
// folder that the archive was unpacked in, or the folder of the files themselves. Each file must
// have the checksum of the published one.
func LoadWarcraft(root string, side int) (*MapSplit, error) {
	if !slices.Contains(Sides, side) {
		return nil, fmt.Errorf("paths: Warcraft maps of side %d, want one of %v", side, Sides)
	}
	return load(cmp.Or(root, "."), side, published[side])
}

// ReadMaps reads maps of one's own from a folder of that layout, with one training file of
// each kind. No checksum is compared.
func ReadMaps(dir string, side int) (*MapSplit, error) { return read(dir, side, nil) }

// load finds the folder of a side. sums are the checksums of its files, in the order of
// their names; nil are not checked.
func load(root string, side int, sums *checksums) (*MapSplit, error) {
	size := fmt.Sprintf("%dx%d", side, side)
	for _, below := range []string{"", size, "warcraft_shortest_path_oneskin/" + size, "warcraft/" + size, "warcraft/warcraft_shortest_path_oneskin/" + size} {
		dir := filepath.Join(root, filepath.FromSlash(below))
		if _, err := os.Stat(filepath.Join(dir, "test_maps.npy")); err == nil {
			return read(dir, side, sums)
		}
	}
	return nil, &facts.Error{Source: root, Msg: fmt.Sprintf("no %s in the folder or below: fetch %s (0.9 GB, MD5 %s) from %s, unpack it there, and name that folder with -data",
		filepath.Join(size, "test_maps.npy"), archive, archiveSum, address)}
}

// checksums are the MD5 sums of maps, weights and paths, for each file of the part.
type checksums struct{ train, valid, test [][3]string }

// read reads the maps of a folder.
func read(dir string, side int, sums *checksums) (*MapSplit, error) {
	if sums == nil {
		sums = &checksums{make([][3]string, 1), make([][3]string, 1), make([][3]string, 1)}
	}
	s := &MapSplit{}
	for _, part := range []struct {
		name string
		sums [][3]string
		to   *Maps
	}{{"train", sums.train, &s.Train}, {"val", sums.valid, &s.Valid}, {"test", sums.test, &s.Test}} {
		part.to.Side = side
		for i, sums := range part.sums {
			suffix := ""
			if len(part.sums) > 1 {
				suffix = fmt.Sprintf("_part%d", i)
			}
			if err := part.to.add(dir, part.name, suffix, sums); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// add reads three files: maps, weights and paths.
func (m *Maps) add(dir, part, suffix string, sums [3]string) error {
	var arrays [3]*npy.Array
	width := TileSide * m.Side
	file := func(name string) string { return filepath.Join(dir, part+"_"+name+suffix+".npy") }
	for i, kind := range []struct {
		name string
		want []int // its shape behind the number of maps
	}{{"maps", []int{width, width, 3}}, {"vertex_weights", []int{m.Side, m.Side}}, {"shortest_paths", []int{m.Side, m.Side}}} {
		path := file(kind.name)
		a, err := readArray(path, sums[i])
		if err != nil {
			return err
		}
		if !slices.Equal(a.Shape[1:], kind.want) {
			return fmt.Errorf("%s: an array of shape %v, want maps of %v", path, a.Shape, kind.want)
		}
		if n := a.Shape[0]; i > 0 && n != arrays[0].Shape[0] {
			return fmt.Errorf("%s: %d maps, but %d in the file before", path, n, arrays[0].Shape[0])
		}
		arrays[i] = a
	}
	if arrays[0].Bytes == nil {
		return fmt.Errorf("%s: want pixels of one byte", file("maps"))
	}
	m.files = append(m.files, pixels{arrays[0].Bytes, arrays[0].Shape[0]})
	for i, v := range arrays[1].Values {
		if !(v > 0) {
			return fmt.Errorf("%s: number %d is %v, want a positive cost", file("vertex_weights"), i, v)
		}
		m.costs = append(m.costs, float64(v))
	}
	first := m.Len()
	if b := arrays[2].Bytes; b != nil {
		m.paths = append(m.paths, b...)
	}
	for _, v := range arrays[2].Values {
		if v != 0 && v != 1 {
			v = 2 // what Order refuses
		}
		m.paths = append(m.paths, uint8(v))
	}
	if len(m.costs) != len(m.paths) {
		return fmt.Errorf("%s: want costs, not bytes", file("vertex_weights"))
	}
	next := Neighbours(m.Side)
	for grid := first; grid < m.Len(); grid++ {
		if _, err := Order(next, m.On(grid)); err != nil {
			return fmt.Errorf("%s: map %d: %v", file("shortest_paths"), grid-first, err)
		}
	}
	return nil
}

// readArray reads a file, whose checksum must be sum unless that is empty.
func readArray(path, sum string) (*npy.Array, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("paths: %w (the archive %s from %s has it)", err, archive, address)
	}
	defer f.Close()
	hash := md5.New()
	a, err := npy.Read(bufio.NewReaderSize(io.TeeReader(f, hash), 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); sum != "" && !strings.EqualFold(got, sum) {
		return nil, fmt.Errorf("%s: its MD5 sum is %s, that of the published file is %s: unpack %s again", path, got, sum, archive)
	}
	return a, nil
}
