// Package citation loads the citation networks Cora and CiteSeer, generates
// others, draws the splits of the paper's experiments and computes the features
// its networks see.
//
// # Loading
//
//	g, err := citation.Load("cora", citation.Planetoid, "")  // or a data root
//
// Both published forms are read: the original one of the LINQS group (*.content
// and *.cites, plain, gzip-compressed or in the publisher's archive) and the
// eight files of the Planetoid splits (ind.*). They are looked for below the
// data root and in the user's cache folder, and else downloaded from their
// publishers to there. Size and sha256 of every file are pinned, so an altered,
// truncated or hostile file is refused with its name wherever it lies, and a
// download takes a file's name only after it was verified.
//
// The Planetoid files are Python pickles. Nothing in them is ever executed.
//
// Without network and files, [Generate] makes a graph of the same kind from a
// seed.
//
// # Splits and features
//
// [NewSplit] cuts one permutation of the nodes into training, validation and
// test nodes (paper, appendix on data sets: 5 %, 5 %, 1,000); the rest is latent.
// With the row-normalised word matrix X and the propagation matrix
// S = D^(−1/2)·(A + I)·D^(−1/2), [Graph.Smoothed] gives the features S²·X of the
// paper's networks.
//
// # Failures and concurrency
//
// Errors name the file, its line or byte, and what to do; a [*facts.Error] says
// which file to put where. A [Graph], a [Split] and a [Matrix] are read-only
// after they are made and may be used by many goroutines at once.
package citation
