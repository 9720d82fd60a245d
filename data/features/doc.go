// Package features reads the inputs of a network: vectors and images, each with the name of
// the entity it belongs to.
//
//	t, err := features.Read("words.txt", features.Options{})
//	row, ok := t.Find("paper7")
//	x := make([]float32, t.Width())
//	t.Row(x, row)
//
// # Forms
//
// The form of a file follows from its contents, not from a setting:
//
//   - Text: a line an entity, tab-separated: the fields of the entity (one, or
//     Options.Fields), then numbers. With Options.Labelled the last field is a label and
//     is ignored. This is the layout of the PSL reference system's entity-data-map.
//   - .npy: an array of numbers in C order, of two axes (entities, features), of three
//     (entities, height, width) or of four (entities, 3, height, width). Unsigned bytes
//     of three and more axes are pixels, 0 to 255, and are divided by 255; no other numbers are.
//   - IDX, MNIST's form: images as unsigned bytes, divided by 255.
//   - A folder: all .png, .jpg, .jpeg and .gif files in it and in its subfolders, of one
//     size. An entity is the path of its file from the folder, with / and with or
//     without the ending. Images are grey, or with Options.Channels = 3 in colours.
//   - mnist:train and mnist:test: MNIST's own images (package data/mnist).
//
// ReadRecords takes features from the columns of a source of facts: a CSV, JSON Lines or Parquet
// file or a query of a database, numbers as they are and categories as one feature each.
//
// Text, .npy and IDX may be compressed with gzip. The entities of .npy, IDX and MNIST
// are 0, 1, …, or the lines of Options.Entities.
//
// # Failures, memory and concurrency
//
// Files are read strictly: a number that is not finite, a whole number that single precision
// does not hold, an entity that occurs twice, a line or image of another size is a *facts.Error
// that names file and line. Pixels stay bytes until Row; other numbers take 4 bytes each. A
// Table may be read by many goroutines.
package features
