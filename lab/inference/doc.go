// Package inference runs the experiments behind the paper's table of inference
// times (Table 2 and its extended form in the appendix) and its study of the
// regularisation ε.
//
//	t, err := inference.Table2(tables.Options{Data: root})
//
// Table2 and Epsilon are tables.Builders for lab/cmd/bench.
//
// # Problems
//
// Cora, CiteSeer, Epinions and DDI are the test parts of package relational's
// folds, with the rules' initial weights, scaled so that the largest is 1. Cora and
// CiteSeer have the base model here (ten rules: a citation carries a topic either
// way, one rule for all topics and one for each, a small prior for none, the topics
// of a paper sum to 1), not the extended one that weights are learned for.
//
// MNIST-Add1 and -Add2 are the ground problems of package tasks/mnistadd with
// outputs of networks that were trained on such additions (folder outputs; `go test
// -run TestReadings -predictions DIR` writes it from what cmd/train's -predict says of
// MNIST's test images). A problem is as many additions as 10,000 or 1,000 of these
// images make, each an instance of one template. The weights are those of the published runs, 1 over their number.
//
// # Stop rules
//
// The published programs stop when no target has moved by 1e-3 in an iteration
// and no hard constraint is violated by more than 5e-3 (additions: when the gap is
// at most 1e-3). Package infer stops by certified gaps only, so a Method here wraps
// the one that is timed and ends it by that rule; components are stopped one by
// one. What gap that leaves is in the table. The other rule is a relative duality
// gap of 1e-6 in each component.
//
// # Errors and concurrency
//
// Missing data are errors of package relational. Timed solves use all cores;
// nothing else should run beside them.
package inference
