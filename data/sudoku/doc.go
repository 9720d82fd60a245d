// Package sudoku draws boards of handwritten digits that are a valid sudoku or not, by
// the protocol of ViSudo-PC (Augustine et al., 2022).
//
// A board of side n, 4 or 9, has n² cells row by row and shows the digits 0 to n−1.
// [NewSplit] draws a number of valid boards for each of training, validation and test,
// each with an invalid twin. Their images are disjoint: for every digit, one part after
// the other takes as many as its valid boards show. Each is on one valid board;
// the twin has the board's images except for what spoils it, and a cell that is replaced
// shows any image of its part.
//
//	set, err := mnist.Load("")
//	split, err := sudoku.NewSplit(set.All(), 4, 100, 0)
//	split.Train.Row(1)   // images of the twin of the first board
//
// The protocol was published as a program without its seeds: boards are drawn as there,
// from another generator. Arguments out of range, and too few images, are errors. A Split
// is read-only once made.
package sudoku
