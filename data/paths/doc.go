// Package paths has grids with a cost in each cell and a path of least cost through each,
// from the upper left corner to the lower right: what learning sees is a picture of every
// cell and the path, never a cost.
//
// A step leads to any of eight neighbours. The cost of a path is the sum over its cells,
// both corners included.
//
// [NewDigits] makes grids of handwritten digits (ours; the Warcraft sets' rules on MNIST):
// the cost of a cell is its digit plus one. Grids of training, validation and test share no
// image; in a part every image is used about as often as any other, in several grids where
// grids are many. Training grids can come in runs that show the same images in other places.
//
// [LoadWarcraft] reads the published Warcraft maps (Vlastelica et al., 2020), which are
// not fetched: nine or twelve .npy files a size, each held against its checksum.
//
//	set, err := mnist.Load("")
//	split, err := paths.NewDigits(set, 12, 6000, 6, 1000, 0)
//	next := paths.Neighbours(12)
//	path, cost := paths.Shortest(next, split.Test.Costs(0))
//
// Errors name the file and the example. What is returned is read-only and may be shared.
package paths
