// Package linqs reads the relational data sets of the paper's HL-MRF experiments
// and draws their folds: the citation graphs Cora and CiteSeer cut in halves, the
// signed trust network Epinions, drug–drug interactions (DDI), the ratings of Yelp and
// the debates of 4Forums and CreateDebate.
//
// # Folds
//
// Halves cuts a citation graph as the collective classification experiments do:
// half of the papers, drawn at random, are the graph to learn on, the rest is the
// graph to test on; citations between the two are dropped, and in each graph the
// topics of half of the papers are given.
//
// TrustNetwork.Fold holds out an eighth of the judgements. It reproduces the
// published folds, which come from java.util.Random with seed 0.
//
// ReadInteractions and Published.Load read a fold as it was published, in the files of
// the PSL examples.
//
// All folds are functions of the files and, for Halves, of a seed.
//
// # Files
//
// Files are lines of tab-separated fields, plain or compressed with gzip; where a
// file does not exist, the same name with .gz is tried. They are read strictly:
// the number of fields, numbers, repeated and contradictory lines, and what one
// file says of another are checked, line length and file size are limited. The files
// of a Published set must have the checksums of a file SHA256SUMS beside its splits,
// where there is one.
//
// # Failures and concurrency
//
// A mistake in a file is a *facts.Error that begins with its name and line, and so is a file that
// is not there: the error holds where it can be had. What the
// package returns is plain data that may be read by many goroutines.
package linqs
