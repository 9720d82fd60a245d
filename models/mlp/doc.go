// Package mlp defines multi-layer perceptrons on the layers of package nn,
//
//	x ← dropout(max(0, W_i·x + b_i))  for each hidden width,  y = W·x + b,
//
// as the classifier head behind a backbone or as a network of its own for
// feature vectors. Apply puts one into a definition; impossible widths or
// dropout probabilities are reported by nn.New with the layer's name.
package mlp
