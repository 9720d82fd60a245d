// Package paths makes grids with a cost in each cell and a path of least cost from the upper
// left corner to the lower right one. A learner sees a picture of every cell and the path,
// never a cost.
//
// A step leads to any of eight neighbours. The cost of a path is the sum over its cells,
// both corners included.
//
// [NewDigits] makes grids of handwritten digits (our own data set: the rules of the Warcraft
// sets on MNIST); the cost of a cell is its digit plus one. Grids of training, validation and
// test share no image. Within a part all images are used about equally often, in several grids
// if there are many grids. Training grids can come in runs that show the same images in
// different places.
//
// [LoadWarcraft] reads the published Warcraft maps (Vlastelica et al., 2020): nine or twelve
// .npy files a size, each checked against its checksum. They are not downloaded.
//
//	set, err := mnist.Load("")
//	split, err := paths.NewDigits(set, 12, 6000, 6, 1000, 0)
//	next := paths.Neighbours(12)
//	path, cost := paths.Shortest(next, split.Test.Costs(0))
//
// Errors name the file and the example. What is returned is read-only and may be shared.
package paths
