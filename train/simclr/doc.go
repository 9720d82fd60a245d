// Package simclr pre-trains a backbone on images without labels, by contrast
// (SimCLR; Chen et al., 2020), as the reference experiments do for
// MNIST-Addition before NeuPSL sees a sum.
//
// In every step each image of a batch gives two distorted views. The backbone
// with a projection head, Linear, ReLU, Linear, maps them to vectors, and the
// InfoNCE loss (nn.InfoNCE) asks for the two views of an image to be close and
// for all others to be far. Only the backbone is kept.
//
//	tensors, seconds, err := simclr.Pretrain(ctx, simclr.Reference(seed), part, images, simclr.Options{})
//
// Pre-training takes minutes, and many runs start from the same backbone. The
// weights are therefore kept in a cache, under a digest of the settings and the
// images: a second call with the same arguments reads them, with the same bits.
// The cache also holds the checkpoints of an unfinished pre-training, from which
// the next call goes on, again with the bits it would have had.
//
// Errors: settings out of range; a cache folder that cannot be written; a loss
// that is not finite; and the context's error when ctx ends, after the step and a
// checkpoint. Two processes must not pre-train the same backbone at once: both
// would save checkpoints, which is safe but a waste.
package simclr
