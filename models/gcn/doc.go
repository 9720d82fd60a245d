// Package gcn defines networks for the nodes of a graph on the layers of package
// nn. With sparse features X, hidden width H and the propagation matrix
// S = D^(−1/2)·(A + I)·D^(−1/2) of the graph,
//
//	Convolution:  logits = S·(relu(S·(X W₁ + b₁)) W₂ + b₂)
//	Propagation:  logits = Π(relu(X W₁ + b₁) W₂ + b₂),  Π = Σ over K steps of
//	              h ← (1 − α)·S·h + α·h₀
//
// the graph convolutional network of Kipf and Welling (ICLR 2017) and the
// personalised propagation of neural predictions of Gasteiger et al. (ICLR 2019),
// both with dropout on X and on the hidden units in training. Their programs have
// no biases; here b₁ and b₂ are added before the product with S, where libraries
// add them after it. First weights are drawn as by nn's linear layers, where Kipf
// and Welling's are Glorot's; Gasteiger et al. drop entries of S too.
//
// A node's output depends on its neighbours', so the batch is the whole graph:
// make the network with nn.NewWhole. The input of the network is not used, the
// features are constants of the layers; give it one number a node. Faults of the
// configuration are reported by nn.NewWhole with the layer's name.
package gcn
