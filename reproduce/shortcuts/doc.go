// Package shortcuts runs MNIST-Half and MNIST-EvenOdd, as the model files of the examples have
// them: whether a network that answers sums reads the digits right, in and out of the
// combinations that it has learned from.
//
// Table is a tables.Builder for cmd/bench, which has to be started in the root of the repository,
// where examples is. Nothing is kept between calls. A run that is interrupted goes on from its
// checkpoint in the table's folder of runs.
package shortcuts
