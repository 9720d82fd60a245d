// Package tensorboard writes the contents of a run folder as event files for TensorBoard:
//
//	err := tensorboard.Write(dir)             // a run as it is
//	observer = tensorboard.Follow(observer, dir) // a run that goes on
//	tensorboard --logdir checkpoints          // in a shell
//
// metrics.jsonl stays the source: loss and its terms, learning rate, gradient norm,
// seconds, accuracies and entropy become scalars, weights and satisfaction of the rules
// histograms, the worst cases and confusions of shown.json pictures. Steps are gradient
// steps. The time of an event is the modification time of the settings file plus the seconds
// worked so far, as lines of metrics have no time of day.
//
// The file is events.out.tfevents.TIME.hinge in the run folder, records of the TFRecord
// format (length and contents, each with its masked CRC-32C) that hold Event messages of
// format (length and contents, each with its masked CRC-32C) that hold Event messages of
// protocol buffers. A folder has one such file; a new one replaces it.
//
// A file that cannot be read is a learning.DataError. A folder has one writer at a time.
package tensorboard
