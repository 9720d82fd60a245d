// Package stochlog is the citation program of DeepStochLog (Winters et al., AAAI
// 2022): a stochastic definite-clause grammar whose derivations are citation
// paths.
//
//	s_n     :: doc(D, C, n) --> class(D, C).                  % stop and read D
//	1 − s_n :: doc(D, C, n) --> cites(D, Z), doc(Z, C, n−1).   % follow a link
//	doc(D, C, 0) --> class(D, C).
//
// class(D, C) is a neural rule: the network's probability p_D(C) that paper D has
// topic C. cites(D, Z) chooses one of the k linked papers with probability 1/k; a
// paper without links is read. The stop probabilities s_1 … s_L may be learned with
// the network. The probability of a topic is the sum over all derivations, and is
// computed exactly by dynamic programming over the papers,
//
//	h_0 = p,  h_n = s_n·p + (1 − s_n)·M·h_{n−1},  P(C | D) = h_L(D, C),
//
// M being the matrix of the choices: O(L·links·topics) instead of the number of
// paths. Learning minimises −(1/N) Σ log P(label | D) over labelled papers, or their weighted mean;
// Gradient is its exact derivative by the same program run backwards.
//
//	g, err := stochlog.New(papers, links, 2)
//	loss, err := g.Gradient(p, dp, classes, stop, dstop, weights, labels)
//
// A Grammar belongs to one goroutine. Faults of the graph are errors of New;
// lengths that do not fit are a programmer's mistake and panic.
package stochlog
