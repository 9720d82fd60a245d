package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// classes writes an entity with all classes, and what is true of them: as labels in learn where a
// file for them is named, and as truth elsewhere.
func (d dataset) classes(part, prefix string, entity, class int, names []string, label string) {
	for c, name := range names {
		d.add(prefix+"s_"+part, entity, name)
		switch {
		case part != "learn":
			d.add(prefix+"_truth_"+part, entity, name, truth(c == class))
		case label != "":
			d.add(label, entity, name, truth(c == class))
		}
	}
}

// mnistXOR: two images of the digits 0 and 1, of which it is known whether they are different.
func mnistXOR(rng *rand.Rand) dataset {
	d := dataset{}
	images := digits(rng)
	for i := range 4 {
		d.add("xor", i>>1, i&1, i>>1^i&1)
	}
	number, labelled := 0, false
	for _, part := range partitions {
		for i := range map[string]int{"learn": 200, "validation": 80, "infer": 200}[part] {
			number++
			row := []any{number}
			for k := range 2 {
				bit := i >> k & 1
				image := images.next(bit)
				row = append(row, image)
				label := ""
				if !labelled {
					label, labelled = "label_0", true
				}
				d.classes(part, "bit", image, bit, []string{"0", "1"}, label)
			}
			d.add("pairs_"+part, row...)
			for c := range 2 {
				d.atom(false, "xor", "_"+part, truth(c == (i>>1^i)&1), number, c)
			}
		}
	}
	return d
}

// mnistSudoku: boards of 4 × 4 images of the digits 1 to 4. Those to learn from are all valid; of
// the others half, of which one cell shows another digit.
func mnistSudoku(rng *rand.Rand) dataset {
	const side, box = 4, 2
	d := dataset{}
	images := digits(rng)
	for i := range side * side {
		for j := i + 1; j < side*side; j++ {
			if i/side == j/side || i%side == j%side || i/side/box == j/side/box && i%side/box == j%side/box {
				d.add("peers", i, j)
			}
		}
	}
	number, labelled := 0, [side]bool{}
	for _, part := range partitions {
		for i := range map[string]int{"learn": 60, "validation": 20, "infer": 60}[part] {
			number++
			valid := part == "learn" || i%2 == 0
			board := validBoard(rng)
			if !valid {
				cell := rng.IntN(side * side)
				board[cell] = (board[cell] + 1 + rng.IntN(side-1)) % side
			}
			for cell, class := range board {
				image := images.next(class + 1)
				d.add("cells_"+part, number, cell, image)
				label := ""
				if !labelled[class] {
					label, labelled[class] = "label_each", true
				}
				d.classes(part, "digit", image, class, []string{"0", "1", "2", "3"}, label)
			}
			d.add("boards_"+part, number)
			d.add("valid_"+part, number, truth(valid))
		}
	}
	return d
}

// validBoard draws a valid board of 4 × 4 with the classes 0 to 3, filled cell by cell.
func validBoard(rng *rand.Rand) (board [16]int) {
	var place func(i int) bool
	place = func(i int) bool {
		if i == len(board) {
			return true
		}
	next:
		for _, c := range rng.Perm(4) {
			for j := range i {
				peers := i/4 == j/4 || i%4 == j%4 || i/8 == j/8 && i%4/2 == j%4/2
				if peers && board[j] == c {
					continue next
				}
			}
			board[i] = c
			if place(i + 1) {
				return true
			}
		}
		return false
	}
	place(0)
	return board
}

// Shapes and colours of patterns.
var (
	shapes  = [...]string{"circle", "square", "triangle"}
	colours = [...][3]float64{{0.9, 0.2, 0.2}, {0.2, 0.8, 0.2}, {0.25, 0.35, 0.95}}
	tints   = [...]string{"red", "green", "blue"}
)

// figureSide is the side of the picture of a figure.
const figureSide = 10

// patterns: figures, each a shape in a colour, and pairs of them, of which it is known whether they
// are of one shape in different colours. Half of the pairs are; a figure is in about eight. It
// returns the pictures of the figures, 3 × figureSide × figureSide bytes each.
func patterns(rng *rand.Rand) (d dataset, pictures []byte) {
	d = dataset{}
	var kinds [][2]int // shape and colour of each figure
	number := 0
	for _, part := range partitions {
		figures, labelled := map[string]int{"learn": 180, "validation": 60, "infer": 120}[part], map[string]bool{}
		first := len(kinds)
		for range figures {
			f := [2]int{rng.IntN(len(shapes)), rng.IntN(len(colours))}
			pictures = append(pictures, draw(rng, f[0], colours[f[1]])...)
			for k, of := range [][]string{shapes[:], tints[:]} {
				prefix, label := [...]string{"shape", "colour"}[k], ""
				if name := of[f[k]]; !labelled[name] {
					labelled[name], label = true, prefix+"_label_each"
				}
				d.classes(part, prefix, len(kinds), f[k], of, label)
			}
			kinds = append(kinds, f)
		}
		for i := range 4 * figures {
			number++
			for {
				a, b := first+rng.IntN(figures), first+rng.IntN(figures)
				if fits := kinds[a][0] == kinds[b][0] && kinds[a][1] != kinds[b][1]; a != b && fits == (i%2 == 0) {
					d.add("pairs_"+part, number, a, b)
					break
				}
			}
			d.add("fits_"+part, number)
			d.add("fits_truth_"+part, number, truth(i%2 == 0))
		}
	}
	return d, pictures
}

// draw draws a shape in about the colour on a dark ground, somewhere and of some size: red, then
// green, then blue.
func draw(rng *rand.Rand, shape int, colour [3]float64) []byte {
	size := 2.6 + 1.4*rng.Float64()
	middle := func() float64 { return size + (figureSide-1-2*size)*rng.Float64() }
	x0, y0 := middle(), middle()
	inside := func(x, y float64) bool {
		x, y = (x-x0)/size, (y-y0)/size
		switch shapes[shape] {
		case "circle":
			return x*x+y*y <= 1
		case "square":
			return max(x, -x) <= 0.85 && max(y, -y) <= 0.85
		}
		return y <= 0.9 && 2*max(x, -x) <= 1.1*(y+0.9)
	}
	picture := make([]byte, 0, 3*figureSide*figureSide)
	for _, shade := range colour {
		shade = clamp(shade + 0.15*rng.NormFloat64())
		ground := 0.1 * rng.Float64()
		for y := range figureSide {
			for x := range figureSide {
				v := 0.0 // of 3 × 3 points of a pixel
				for k := range 9 {
					v += float64(truth(inside(float64(x)+float64(k%3-1)/3, float64(y)+float64(k/3-1)/3))) / 9
				}
				picture = append(picture, byte(255*clamp(ground+(shade-ground)*v+0.03*rng.NormFloat64())))
			}
		}
	}
	return picture
}

// writePatterns writes the data of patterns, the pictures in one file.
func writePatterns(dir string, rng *rand.Rand) error {
	d, pictures := patterns(rng)
	if err := d.write(dir); err != nil {
		return err
	}
	file := npy(pictures, len(pictures)/(3*figureSide*figureSide), 3, figureSide, figureSide)
	return os.WriteFile(filepath.Join(dir, "figures.npy"), file, 0o666)
}

// npy is an array of bytes with these axes in the form of numpy.
func npy(data []byte, axes ...int) []byte {
	shape := ""
	for _, n := range axes {
		shape += fmt.Sprintf("%d, ", n)
	}
	header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%s), }", shape[:len(shape)-2])
	const fixed = 10
	for (fixed+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	return append(append(file, header...), data...)
}
