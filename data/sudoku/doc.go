// Package sudoku draws boards of handwritten digits that are a valid sudoku or not, by
// the protocol of ViSudo-PC (Augustine et al., 2022).
//
// A board of side n, 4 or 9, has n² cells, row by row, and shows the digits 0 to n−1.
// [NewSplit] draws valid boards for training, validation and test, each with an invalid twin.
// The three parts share no image: for every digit, each part takes as many images as its valid
// boards show. Every image is on one valid board. The twin has the board's images except where
// it is spoilt; a replaced cell shows any image of its part.
//
//	set, err := mnist.Load("")
//	split, err := sudoku.NewSplit(set.All(), 4, 100, 0)
//	split.Train.Row(1)   // images of the twin of the first board
//
// The protocol was published as a program without its seeds. Boards are drawn as in that
// program, from another generator. Arguments out of range and too few images are errors. A
// Split is read-only once made.
package sudoku
