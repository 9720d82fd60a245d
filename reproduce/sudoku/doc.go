// Package sudoku runs visual sudoku classification, 4×4 and 9×9, by the protocol of
// ViSudo-PC with disjoint images.
//
// Table is a tables.Builder for cmd/bench. Nothing is kept between calls. A run that is
// interrupted goes on from its checkpoint in the table's folder of runs.
package sudoku
