// Package paths runs shortest paths on grids of handwritten digits, learned from paths.
//
// Table is a tables.Builder for cmd/bench. Nothing is kept between calls. A run that is
// interrupted goes on from its checkpoint in the table's folder of runs.
package paths
