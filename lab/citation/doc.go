// Package citation runs the experiments behind the paper's table of citation
// networks: NeuPSL with its four losses on CiteSeer and Cora, beside the systems
// it is compared with, all on the same ten splits.
//
// Table5 and Ablation are tables.Builders for lab/cmd/bench. Beside the accuracy a record has that of
// the network alone on the same split, and the paired difference.
//
// Nothing is kept between calls. A run that is interrupted goes on from its
// checkpoint in the table's folder of runs.
package citation
